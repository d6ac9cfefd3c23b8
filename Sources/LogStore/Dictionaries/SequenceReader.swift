/// The sequences of an LZ4 block, with where they lie in it and in its payload.
///
/// Memory is kept for the next block; used by one thread. Blocks may be anything.
final class SequenceReader {
  /// Literals, then a match.
  struct Sequence {
    /// Where its token lies in the block.
    fileprivate(set) var offset: Int32
    /// Where its distance lies in the block.
    fileprivate(set) var distanceOffset: Int32
    /// Where its literals begin in the payload.
    fileprivate(set) var literalStart: Int32
    /// Where its match begins in the payload, and where it ends.
    fileprivate(set) var start: Int32
    fileprivate(set) var end: Int32
    /// How far before its beginning the match refers.
    fileprivate(set) var distance: Int32
  }

  private let sequences = UnsafeMutablePointer<Sequence>.allocate(capacity: capacity + 1)
  private(set) var count = 0

  private static let capacity =
    DictionaryMatcher.payloadByteCountMaximum / DictionaryMatcher.matchByteCountMinimum

  deinit { sequences.deallocate() }

  /// A sequence with a match or, behind them, the literals at the end.
  subscript(number: Int) -> Sequence {
    @inline(__always) get { sequences[number] }
  }

  /// The first from `first` on whose match ends at `end` or behind it, or ``count``.
  @inline(__always)
  func first(from first: Int, endingAt end: Int) -> Int {
    var lower = first
    // Mostly it is this one, or the next.
    if lower > 0, Int(sequences[lower - 1].end) >= end { lower = search(before: lower, end) }
    while lower < count, Int(sequences[lower].end) < end { lower += 1 }
    return lower
  }

  private func search(before first: Int, _ end: Int) -> Int {
    var lower = 0
    var upper = first
    while lower < upper {
      let middle = (lower + upper) / 2
      if Int(sequences[middle].end) < end { lower = middle + 1 } else { upper = middle }
    }
    return lower
  }

  /// Reads the sequences of `block`; false when it does not make a payload of `byteCount` bytes.
  func read(_ block: UnsafeRawBufferPointer, payloadByteCount byteCount: Int) -> Bool {
    count = 0
    guard byteCount <= DictionaryMatcher.payloadByteCountMaximum, block.count <= 2 * byteCount + 16
    else { return false }
    var position = 0
    var offset = 0
    while offset < block.count {
      let token = Int(block[offset])
      var next = Sequence(
        offset: Int32(offset), distanceOffset: 0, literalStart: Int32(position), start: 0, end: 0,
        distance: 0)
      offset += 1
      let literalCount = Self.number(token >> 4, block, &offset)
      offset += literalCount
      position += literalCount
      if offset == block.count, position == byteCount {
        sequences[count] = next
        return true
      }
      guard offset + 2 <= block.count, position < byteCount, count < Self.capacity else { break }
      next.distanceOffset = Int32(offset)
      next.start = Int32(position)
      next.distance = Int32(
        UInt16(littleEndian: block.loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
      guard next.distance > 0 else { break }
      offset += 2
      position += Self.number(token & 15, block, &offset) + DictionaryMatcher.matchByteCountMinimum
      guard position <= byteCount else { break }
      next.end = Int32(position)
      sequences[count] = next
      count += 1
    }
    count = 0
    return false
  }

  /// A number of a token, with the bytes that follow where they hold a part of it.
  @inline(__always)
  private static func number(
    _ low: Int, _ block: UnsafeRawBufferPointer, _ offset: inout Int
  ) -> Int {
    var number = low
    if low == 15 {
      while offset < block.count {
        let more = Int(block[offset])
        offset += 1
        number += more
        if more < 255 { break }
      }
    }
    return number
  }
}
