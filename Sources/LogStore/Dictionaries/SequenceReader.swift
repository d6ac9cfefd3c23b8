/// The sequences of an LZ4 block, with where they lie in it and in its payload.
///
/// Memory is kept for the next block; used by one thread. Blocks may be anything.
final class SequenceReader {
  /// Those of the last block, valid until the next is read.
  var sequences: SequenceList { SequenceList(found, count: count) }
  private let found = UnsafeMutablePointer<SequenceList.Sequence>.allocate(capacity: capacity + 1)
  private var count = 0

  private static let capacity =
    DictionaryMatcher.payloadByteCountMaximum / DictionaryMatcher.matchByteCountMinimum

  deinit { found.deallocate() }

  /// Reads the sequences of `block`; false when it does not make a payload of `byteCount` bytes.
  func read(_ block: UnsafeRawBufferPointer, payloadByteCount byteCount: Int) -> Bool {
    count = 0
    guard byteCount <= DictionaryMatcher.payloadByteCountMaximum, block.count <= 2 * byteCount + 16
    else { return false }
    var position = 0
    var offset = 0
    while offset < block.count {
      let token = Int(block[offset])
      var next = SequenceList.Sequence(
        offset: Int32(offset), distanceOffset: 0, literalStart: Int32(position), start: 0, end: 0,
        distance: 0)
      offset += 1
      let literalCount = Self.number(token >> 4, block, &offset)
      offset += literalCount
      position += literalCount
      if offset == block.count, position == byteCount {
        found[count] = next
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
      found[count] = next
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
