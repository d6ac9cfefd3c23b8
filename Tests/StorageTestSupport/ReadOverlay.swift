package import FileIO

/// What reads of one file see in place of what is there; the bytes themselves do not change.
package struct ReadOverlay: Sendable, CustomStringConvertible {
  package enum Effect: Sendable, Equatable {
    /// One bit is read wrong, always.
    case flippedBit(offset: Int, bit: Int)
    /// Other bytes are read from `offset` on: of another place, or older ones.
    case replaced(offset: Int, bytes: [UInt8])
    /// Another file is read: an older one of the same name.
    case wholeFile([UInt8])
    /// Reads end at `byteCount`, though the file is longer.
    case shortened(byteCount: Int)
    /// The first `count` reads that touch a byte at or behind `offset` fail.
    case failing(offset: Int, count: Int)
    /// Reads that touch a byte of the range fail, but the first ones that do.
    case unreadable(Range<Int>, after: Int = 0)
  }

  /// The name of the file in its directory.
  package var file: String
  package var effect: Effect
  /// What reads that fail say.
  package var reason: FileIOError.Reason

  package init(file: String, _ effect: Effect, reason: FileIOError.Reason = .ioError) {
    self.file = file
    self.effect = effect
    self.reason = reason
  }

  package var description: String {
    switch effect {
    case .flippedBit(let offset, let bit): "\(file): bit \(bit) at \(offset) flipped"
    case .replaced(let offset, let bytes): "\(file): \(bytes.count) other bytes at \(offset)"
    case .wholeFile(let bytes): "\(file): another file of \(bytes.count) bytes"
    case .shortened(let byteCount): "\(file): reads end at \(byteCount)"
    case .failing(let offset, let count): "\(file): \(count) reads from \(offset) on fail"
    case .unreadable(let range, _): "\(file): \(range) cannot be read"
    }
  }

  /// The file's size as it is reported.
  func size(of live: [UInt8]) -> Int {
    if case .wholeFile(let bytes) = effect { bytes.count } else { live.count }
  }

  /// Changes what was read into `buffer` at `offset`; gives the number of bytes that were read, or
  /// nothing when the read fails.
  mutating func apply(
    to buffer: UnsafeMutableRawBufferPointer, count: Int, at offset: Int
  ) -> Int? {
    let end = offset + count
    switch effect {
    case .flippedBit(let place, let bit):
      if (offset..<end).contains(place) { buffer[place - offset] ^= 1 << UInt8(bit) }
    case .replaced(let place, let bytes):
      let common = (offset..<end).clamped(to: place..<(place + bytes.count))
      for index in common { buffer[index - offset] = bytes[index - place] }
    case .wholeFile(let bytes):
      let common = (offset..<(offset + buffer.count)).clamped(to: 0..<bytes.count)
      for index in common { buffer[index - offset] = bytes[index] }
      return common.count
    case .shortened(let byteCount):
      return max(0, min(end, byteCount) - offset)
    case .failing(let place, let left):
      guard end > place, left > 0 else { return count }
      effect = .failing(offset: place, count: left - 1)
      return nil
    case .unreadable(let range, let left):
      guard (offset..<end).overlaps(range) else { return count }
      guard left > 0 else { return nil }
      effect = .unreadable(range, after: left - 1)
    }
    return count
  }
}
