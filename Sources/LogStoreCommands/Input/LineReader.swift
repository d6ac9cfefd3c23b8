internal import FileIO

/// Cuts an input into lines without holding more than the longest of them in memory.
///
/// Lines end with a line feed or a carriage return and a line feed; a last line without either
/// counts, and may end with a carriage return alone. A byte order mark at the very start is
/// skipped. One thread at a time.
final class LineReader {
  /// The number of the line that `next` gave last, counted from 1; 0 before the first.
  private(set) var lineNumber = 0
  /// How the line that `next` gave last ended.
  private(set) var terminator = LineTerminator.endOfInput
  /// The number of bytes taken from the input so far.
  private(set) var byteCountRead: UInt64 = 0

  private let input: any ByteInput
  private let lineByteCountLimit: Int
  /// Holds unread bytes in `start..<end`; grows only for a line longer than itself.
  private var buffer: [UInt8]
  private var start = 0
  private var end = 0
  private var inputHasEnded = false

  /// Reads `input` in parts of `bufferByteCount` bytes, and refuses longer lines than the limit.
  init(
    _ input: any ByteInput, lineByteCountLimit: Int = ImportLimits.rowByteCountMaximum,
    bufferByteCount: Int = ImportLimits.readByteCount
  ) {
    precondition(bufferByteCount > 0 && lineByteCountLimit > 0, "Line limits must be positive.")
    self.input = input
    self.lineByteCountLimit = lineByteCountLimit
    buffer = [UInt8](repeating: 0, count: bufferByteCount)
  }

  /// Gives the next line, without its end, to `body`, which must not call this reader.
  ///
  /// - Returns: What `body` returns, or nothing at the end of the input.
  func next<Result>(
    _ body: (Span<UInt8>) throws(ImportError) -> Result
  ) throws(ImportError) -> Result? {
    guard let range = try nextRange() else { return nil }
    // Shares the buffer for the call; nothing is copied, as it changes only afterwards.
    let bytes = buffer
    return try body(bytes.span.extracting(range))
  }

  /// Finds the next line in the buffer, filling it as needed, and steps over it.
  private func nextRange() throws(ImportError) -> Range<Int>? {
    var searched = 0
    while true {
      if let lineFeed = indexOfLineFeed(from: start + searched) {
        return try takeLine(endingAt: lineFeed, next: lineFeed + 1)
      }
      searched = end - start
      // One more for a carriage return that may belong to the line's end.
      guard searched <= lineByteCountLimit + 1 else {
        throw .rowTooLong(line: lineNumber + 1, limit: lineByteCountLimit)
      }
      guard try fill() else {
        return searched == 0 ? nil : try takeLine(endingAt: end, next: end)
      }
    }
  }

  private func indexOfLineFeed(from first: Int) -> Int? {
    let buffer = self.buffer
    let bytes = buffer.span
    let end = self.end
    var index = first
    while index < end {
      if bytes[index] == UInt8(ascii: "\n") { return index }
      index += 1
    }
    return nil
  }

  private func takeLine(endingAt lineEnd: Int, next: Int) throws(ImportError) -> Range<Int>? {
    lineNumber += 1
    var range = start..<lineEnd
    start = next
    let last = range.last.flatMap { buffer[$0] == UInt8(ascii: "\r") ? $0 : nil }
    if let last { range = range.lowerBound..<last }
    terminator =
      lineEnd == next ? .endOfInput : last == nil ? .lineFeed : .carriageReturnLineFeed
    let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    if lineNumber == 1, buffer[range].starts(with: byteOrderMark) {
      range = range.lowerBound + byteOrderMark.count..<range.upperBound
    }
    guard range.count <= lineByteCountLimit else {
      throw .rowTooLong(line: lineNumber, limit: lineByteCountLimit)
    }
    return range
  }

  /// Appends bytes of the input behind the unread ones; false at the end of the input.
  private func fill() throws(ImportError) -> Bool {
    guard !inputHasEnded else { return false }
    if start > 0 {
      buffer.replaceSubrange(0..<end - start, with: buffer[start..<end])
      end -= start
      start = 0
    }
    if end == buffer.count {
      buffer.append(contentsOf: repeatElement(0, count: buffer.count))
    }
    let result = buffer.withUnsafeMutableBytes { bytes in
      Result { () throws(FileIOError) -> Int in
        try input.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[end...]))
      }
    }
    let count = try result.mapError { ImportError.unreadable($0) }.get()
    guard count > 0 else {
      inputHasEnded = true
      return false
    }
    end += count
    byteCountRead += UInt64(count)
    return true
  }
}
