/// Reads the sequences of LZ4 blocks. Blocks may be anything.
enum SequenceReader {
  /// For how many sequences memory must have room.
  static let countMaximum =
    DictionaryMatcher.payloadByteCountMaximum / DictionaryMatcher.matchByteCountMinimum + 1

  /// The sequences of `block`, with where they lie in it and in its payload; nothing when it does
  /// not make a payload of `byteCount` bytes.
  ///
  /// They lie in `memory`, which may hold anything.
  static func read(
    _ block: UnsafeRawBufferPointer, payloadByteCount byteCount: Int,
    into memory: UnsafeMutablePointer<SequenceList.Sequence>
  ) -> SequenceList? {
    guard byteCount <= DictionaryMatcher.payloadByteCountMaximum, block.count <= 2 * byteCount + 16
    else { return nil }
    var count = 0
    var position = 0
    var offset = 0
    while offset < block.count {
      let token = Int(block[offset])
      var next = SequenceList.Sequence(
        offset: Int32(offset), distanceOffset: 0, literalStart: Int32(position), start: 0, end: 0,
        distance: 0)
      offset += 1
      let literalCount = number(token >> 4, block, &offset)
      offset += literalCount
      position += literalCount
      if offset == block.count, position == byteCount {
        memory[count] = next
        return SequenceList(memory, count: count)
      }
      guard offset + 2 <= block.count, position < byteCount, count < countMaximum - 1
      else { return nil }
      next.distanceOffset = Int32(offset)
      next.start = Int32(position)
      next.distance = Int32(
        UInt16(littleEndian: block.loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
      guard next.distance > 0 else { return nil }
      offset += 2
      position += number(token & 15, block, &offset) + DictionaryMatcher.matchByteCountMinimum
      guard position <= byteCount else { return nil }
      next.end = Int32(position)
      memory[count] = next
      count += 1
    }
    return nil
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
