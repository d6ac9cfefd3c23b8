import FileIO
import Testing

@testable import LogStoreCommands

@Suite("Lines are cut from a stream in bounded memory")
struct LineReaderTests {
  private func lines(
    _ text: String, limit: Int = 1000, partByteCount: Int = .max, bufferByteCount: Int = 8
  ) throws(ImportError) -> [String] {
    let reader = LineReader(
      MemoryInput(text, partByteCount: partByteCount), lineByteCountLimit: limit,
      bufferByteCount: bufferByteCount)
    var lines: [String] = []
    while let line = try reader.next({ (line) throws(ImportError) in
      line.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }) {
      lines.append(line)
    }
    return lines
  }

  @Test(
    "Line ends of every kind are found at every part and buffer size", arguments: 1...9, 1...9)
  func lineEnds(partByteCount: Int, bufferByteCount: Int) throws {
    let text = "one\r\n\ntwo\nthree is longer than the buffer\r\n\r\nlast\r"
    #expect(
      try lines(text, partByteCount: partByteCount, bufferByteCount: bufferByteCount)
        == ["one", "", "two", "three is longer than the buffer", "", "last"])
  }

  @Test("An empty input has no line, a lone line feed ends one empty line")
  func emptyInput() throws {
    #expect(try lines("") == [])
    #expect(try lines("\n") == [""])
    #expect(try lines("a\n") == ["a"])
  }

  @Test("A byte order mark is skipped at the start only")
  func byteOrderMark() throws {
    #expect(try lines("\u{FEFF}a\n\u{FEFF}b") == ["a", "\u{FEFF}b"])
  }

  @Test("A line of exactly the limit is read, one byte more is an error naming the line")
  func limit() throws {
    #expect(try lines("ok\nabcde\r\nabcde", limit: 5) == ["ok", "abcde", "abcde"])
    #expect(throws: ImportError.rowTooLong(line: 2, limit: 5)) {
      try lines("ok\nabcdef\n", limit: 5)
    }
    #expect(throws: ImportError.rowTooLong(line: 1, limit: 5)) {
      try lines("abcdef", limit: 5)
    }
  }

  @Test("Numbers, ends and read bytes are told for each line")
  func position() throws {
    let reader = LineReader(MemoryInput("a\nb\r\nc"), bufferByteCount: 64)
    var seen: [String] = []
    while try reader.next({ (_) throws(ImportError) in }) != nil {
      seen.append("\(reader.lineNumber) \(reader.terminator)")
    }
    #expect(seen == ["1 lineFeed", "2 carriageReturnLineFeed", "3 endOfInput"])
    #expect(reader.byteCountRead == 6)
  }

  @Test("A failing input is an error, not the end")
  func failingInput() {
    let reader = LineReader(MemoryInput(Array("abc".utf8), failureOffset: 3))
    #expect(
      throws: ImportError.unreadable(FileIOError(.ioError, operation: "read", path: "memory"))
    ) {
      try reader.next { (_) throws(ImportError) in }
    }
  }
}
