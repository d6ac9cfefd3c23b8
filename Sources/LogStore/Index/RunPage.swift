internal import BinaryCoding

/// A sorted page of an index run: some keys of one collection. All integers are little-endian.
///
///     offset  size  field
///          0     4  checksum        CRC-32C of salt, place in the run, and the rest of the page
///          4     4  collection
///          8     2  count
///         10     2  prefix length   bytes shared by all keys of the page
///         12     8  base sequence   the smallest of the page
///         20   2·n  places          of each key's fields, from the start of the page
///          .     .  prefix
///          .     .  fields          n times: suffix length, suffix, sequence − base, offset,
///                                   length, schema version · 2 + tombstone; all variable length
///
///     ┌──────────┬────────────┬───────┬────────┬──────┬────────┬────────┬────────┬─────┐
///     │ checksum │ collection │ count │ prefix │ base │ places │ prefix │ fields │  …  │
///     └──────────┴────────────┴───────┴────────┴──────┴────────┴────────┴────────┴─────┘
///
/// A page of a merged run is padded with zeros to whole units of 4096 bytes, and differs so:
///
///         20     4  byte count      of the page; what has more than one unit holds one key
///         24     .  prefix          here, so that it is in the cache line of the header
///          .   2·n  places
///          .     .  fields          with the segment's ordinal between sequence and offset
struct RunPage {
  let bytes: UnsafeRawBufferPointer
  private let format: RunFormat
  var isMerged: Bool { format == .merged }
  private let placesOffset: Int
  let collection: UInt32
  let count: Int
  let prefix: UnsafeRawBufferPointer
  let baseSequence: UInt64

  static let headerByteCount = 20
  static let mergedHeaderByteCount = 24
  static let prefixByteCountMaximum = 1024

  /// The checksum of a page at `place` of its run.
  static func checksum(_ page: UnsafeRawBufferPointer, salt: UInt64, place: UInt64) -> UInt32 {
    let bound = Checksum.crc32c(of: place, continuing: Checksum.crc32c(of: salt, continuing: 0))
    return Checksum.crc32c(UnsafeRawBufferPointer(rebasing: page[4...]), continuing: bound)
  }

  /// Whether the bytes are long enough to be a page and carry the right checksum.
  static func isIntact(_ page: UnsafeRawBufferPointer, salt: UInt64, place: UInt64) -> Bool {
    guard page.count >= headerByteCount else { return false }
    return UInt32(littleEndian: page.loadUnaligned(as: UInt32.self))
      == checksum(page, salt: salt, place: place)
  }

  init(
    _ bytes: UnsafeRawBufferPointer, format: RunFormat = .footer
  ) throws(BinaryDecodingError) {
    var reader = ByteReader(bytes)
    _ = try reader.readInteger(UInt32.self)
    collection = try reader.readInteger()
    count = Int(try reader.readInteger(UInt16.self))
    let prefixLength = Int(try reader.readInteger(UInt16.self))
    baseSequence = try reader.readInteger()
    guard (1...format.pageKeyCountMaximum).contains(count), prefixLength <= LogLimits.keyByteCount
    else {
      throw .invalidValue(offset: 8, reason: "\(count) keys that share \(prefixLength) bytes")
    }
    if format == .footer {
      placesOffset = reader.offset
      _ = try reader.readBytes(2 * count)
      prefix = try reader.readBytes(prefixLength)
    } else {
      _ = try reader.readInteger(UInt32.self)
      prefix = try reader.readBytes(prefixLength)
      placesOffset = reader.offset
      _ = try reader.readBytes(2 * count)
    }
    self.bytes = bytes
    self.format = format
  }

  /// The suffix and the fields of the key at `position`.
  struct Fields {
    let suffix: UnsafeRawBufferPointer
    var reader: ByteReader
  }

  /// Where the fields of the key at `position` start, from the start of the page.
  func place(at position: Int) -> Int {
    Int(
      UInt16(
        littleEndian: bytes.loadUnaligned(
          fromByteOffset: placesOffset + 2 * position, as: UInt16.self)))
  }

  func fields(at position: Int) throws(BinaryDecodingError) -> Fields {
    try fields(atPlace: place(at: position))
  }

  func fields(atPlace place: Int) throws(BinaryDecodingError) -> Fields {
    guard place <= bytes.count else {
      throw .invalidValue(offset: place, reason: "a key lies outside its page")
    }
    var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[place...]))
    let suffix = try reader.readLengthPrefixedBytes()
    return Fields(suffix: suffix, reader: reader)
  }

  /// The rest of a key's fields; the ordinal is 0 in a footer.
  func value(_ fields: consuming Fields) throws(BinaryDecodingError) -> IndexValue {
    try Self.value(&fields.reader, baseSequence: baseSequence, format: format)
  }

  /// The value of `key`, which belongs to the page's collection.
  func find(_ key: UnsafeRawBufferPointer) throws(BinaryDecodingError) -> IndexValue? {
    guard let suffix = suffix(of: key) else { return nil }
    let position = try lowerBound(suffix: suffix)
    guard position < count else { return nil }
    let found = try fields(at: position)
    guard Self.order(found.suffix, suffix) == 0 else { return nil }
    return try value(found)
  }

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
    return try value(&reader, baseSequence: sequence, format: .merged)
  }

  private static func value(
    _ reader: inout ByteReader, baseSequence: UInt64, format: RunFormat
  ) throws(BinaryDecodingError) -> IndexValue {
    let delta = try reader.readVariableLength()
    let ordinal = format == .merged ? try reader.readVariableLength(as: UInt32.self) : 0
    let offset = try reader.readVariableLength(as: UInt32.self)
    let length = try reader.readVariableLength(as: UInt32.self)
    let tagged = try reader.readVariableLength()
    return IndexValue(
      sequence: CommitSequence(baseSequence &+ delta), schemaVersion: tagged >> 1, offset: offset,
      length: length, isTombstone: tagged & 1 == 1, ordinal: ordinal)
  }

  /// What follows the page's prefix in `key`; nothing when it does not begin with that.
  private func suffix(of key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard key.count >= prefix.count,
      Self.order(UnsafeRawBufferPointer(rebasing: key[..<prefix.count]), prefix) == 0
    else { return nil }
    return UnsafeRawBufferPointer(rebasing: key[prefix.count...])
  }

  /// The first position whose key is not below `key`.
  func position(of key: IndexKey) throws(BinaryDecodingError) -> Int {
    if collection != key.collection { return collection < key.collection ? count : 0 }
    let shared = UnsafeRawBufferPointer(rebasing: key.buffer.prefix(prefix.count))
    let order = Self.order(prefix, shared)
    if order != 0 { return order < 0 ? count : 0 }
    return try lowerBound(suffix: UnsafeRawBufferPointer(rebasing: key.buffer[prefix.count...]))
  }

  /// The first position whose suffix is not below `suffix`.
  private func lowerBound(suffix: UnsafeRawBufferPointer) throws(BinaryDecodingError) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) >> 1
      if Self.order(try fields(at: middle).suffix, suffix) < 0 {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }

  /// Byte order; a prefix sorts first.
  static func order(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    let shared = min(left.count, right.count)
    if shared > 0, let a = left.baseAddress, let b = right.baseAddress {
      let order = IndexKey.memoryOrder(a, b, shared)
      if order != 0 { return order }
    }
    return left.count - right.count
  }
}
