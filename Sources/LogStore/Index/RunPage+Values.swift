internal import BinaryCoding

extension RunPage {
  /// The suffix and the value of the key at `position`: what ``fields(at:)`` and ``value(_:)``
  /// give, with the fewest instructions where the fields do not lie at the end of the page.
  @inline(__always)
  func suffixAndValue(
    at position: Int
  ) throws(BinaryDecodingError) -> (suffix: UnsafeRawBufferPointer, value: IndexValue) {
    if let packing { return packedSuffixAndValue(at: position, packing) }
    if let found = shortSuffixAndValue(at: position) { return found }
    return try checkedSuffixAndValue(at: position)
  }

  /// The same, with every byte checked before it is read.
  func checkedSuffixAndValue(
    at position: Int
  ) throws(BinaryDecodingError) -> (suffix: UnsafeRawBufferPointer, value: IndexValue) {
    if let packing { return packedSuffixAndValue(at: position, packing) }
    let fields = try fields(at: position)
    return (fields.suffix, try value(fields))
  }

  /// The same, or nothing when the fields may reach beyond the page or a number is long.
  @inline(__always)
  private func shortSuffixAndValue(
    at position: Int
  ) -> (suffix: UnsafeRawBufferPointer, value: IndexValue)? {
    let place = place(at: position)
    guard let base = bytes.baseAddress, place + Self.shortFieldsByteCount <= bytes.count else {
      return nil
    }
    let suffixLength = Int(base.load(fromByteOffset: place, as: UInt8.self))
    let start = place + 1
    guard suffixLength < 0x80, start + suffixLength + Self.shortFieldsByteCount <= bytes.count
    else { return nil }
    var numbers = ShortNumbers(base + start + suffixLength)
    let delta = numbers.next()
    let ordinal = hasOrdinals ? numbers.next() : 0
    let offset = numbers.next()
    let length = numbers.next()
    let tagged = numbers.next()
    guard !numbers.areLong, max(ordinal, offset, length) <= UInt64(UInt32.max),
      ordinal == 0 || isMerged
    else { return nil }
    return (
      UnsafeRawBufferPointer(start: base + start, count: suffixLength),
      IndexValue(
        sequence: CommitSequence(baseSequence &+ delta), schemaVersion: tagged >> 1,
        offset: UInt32(truncatingIfNeeded: offset), length: UInt32(truncatingIfNeeded: length),
        isTombstone: tagged & 1 == 1, ordinal: UInt32(truncatingIfNeeded: ordinal))
    )
  }

  /// What the five numbers of a key's fields take at most when none is long.
  private static var shortFieldsByteCount: Int { 5 * ShortNumbers.byteCountMaximum }
}
