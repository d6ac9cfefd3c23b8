internal import BinaryCoding

/// Look-ups by the places that a locator gives.
extension RunPage {
  /// The value whose fields start at `place` of a page of a merged run, if it is that of `key`.
  ///
  /// The same as the search by ``find(_:)``, for a page that was checked, and with the fewest
  /// instructions.
  static func find(
    _ key: IndexKey, atPlace place: Int, inMerged page: UnsafeRawBufferPointer
  ) throws(BinaryDecodingError) -> IndexValue? {
    let prefixLength = Int(
      UInt16(littleEndian: page.loadUnaligned(fromByteOffset: 10, as: UInt16.self)))
    let collection = UInt32(littleEndian: page.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
    guard collection == key.collection, prefixLength <= Int(key.length) else { return nil }
    guard let base = page.baseAddress, place <= page.count,
      mergedHeaderByteCount + prefixLength <= page.count
    else { throw .invalidValue(offset: place, reason: "a key lies outside its page") }
    let word = UInt32(littleEndian: page.loadUnaligned(fromByteOffset: 20, as: UInt32.self))
    let form = word & UInt32(RunFormat.unit - 1)
    if form != 0 {
      guard form == packedFlag else {
        throw .invalidValue(offset: 20, reason: "unknown form of the page")
      }
      return try find(key, at: place, prefixLength: prefixLength, inPacked: page)
    }
    guard IndexKey.memoryOrder(base + mergedHeaderByteCount, key.bytes, prefixLength) == 0 else {
      return nil
    }
    var reader = ByteReader(UnsafeRawBufferPointer(rebasing: page[place...]))
    let suffix = try reader.readLengthPrefixedBytes()
    guard suffix.count == Int(key.length) - prefixLength else { return nil }
    if let start = suffix.baseAddress, suffix.count > 0,
      IndexKey.memoryOrder(start, key.bytes + prefixLength, suffix.count) != 0
    {
      return nil
    }
    let sequence = UInt64(littleEndian: page.loadUnaligned(fromByteOffset: 12, as: UInt64.self))
    return try value(&reader, baseSequence: sequence, hasOrdinal: true)
  }

  /// The same in a packed page, where places are positions.
  private static func find(
    _ key: IndexKey, at position: Int, prefixLength: Int, inPacked page: UnsafeRawBufferPointer
  ) throws(BinaryDecodingError) -> IndexValue? {
    guard let base = page.baseAddress, let packing = PagePacking(page, at: mergedHeaderByteCount)
    else { throw .invalidValue(offset: mergedHeaderByteCount, reason: "no packing") }
    let prefix = mergedHeaderByteCount + PagePacking.byteCount
    let count = Int(UInt16(littleEndian: page.loadUnaligned(fromByteOffset: 8, as: UInt16.self)))
    guard position < count else {
      throw .invalidValue(offset: 8, reason: "key \(position) of a page with \(count)")
    }
    let start = offset(ofKeyAt: position, prefixLength: prefixLength, packing)
    let number = start + packing.suffixByteCount
    guard number + PagePacking.slackByteCount <= page.count else {
      throw .invalidValue(offset: start, reason: "a key lies outside its page")
    }
    guard Int(key.length) == prefixLength + packing.suffixByteCount,
      IndexKey.memoryOrder(base + prefix, key.bytes, prefixLength) == 0,
      IndexKey.memoryOrder(base + start, key.bytes + prefixLength, packing.suffixByteCount) == 0
    else { return nil }
    let sequence = UInt64(littleEndian: page.loadUnaligned(fromByteOffset: 12, as: UInt64.self))
    return packing.value(at: base + number, baseSequence: sequence)
  }

  /// Where the key at `position` lies if the page is packed; of a page that was not checked it may
  /// lie anywhere.
  static func offsetInPacked(_ page: UnsafeRawBufferPointer, at position: Int) -> Int? {
    let word = UInt32(littleEndian: page.loadUnaligned(fromByteOffset: 20, as: UInt32.self))
    guard word & packedFlag != 0, let packing = PagePacking(page, at: mergedHeaderByteCount) else {
      return nil
    }
    let prefixLength = page.loadUnaligned(fromByteOffset: 10, as: UInt16.self)
    return offset(
      ofKeyAt: position, prefixLength: Int(UInt16(littleEndian: prefixLength)), packing)
  }

  /// Where the key at `position` of a packed page begins.
  @inline(__always)
  private static func offset(
    ofKeyAt position: Int, prefixLength: Int, _ packing: PagePacking
  ) -> Int {
    mergedHeaderByteCount + PagePacking.byteCount + prefixLength + position * packing.stride
  }

  /// What one key mostly takes at least.
  static let prefetchedFieldByteCount = 16
}
