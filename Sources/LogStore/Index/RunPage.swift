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
///
/// Since versions 3 and 4 all pages have this form, in a footer with a byte count of 0 and without
/// padding; or they are packed, which the lowest bit of the byte count says:
///
///         20     4  byte count + 1
///         24    28  packing         see ``PagePacking``
///         52     .  prefix
///          .  n·(…) keys            suffix and number, all of one length
///          .     8  zero            at least
///
/// A key's place in a packed page is its position.
struct RunPage {
  let bytes: UnsafeRawBufferPointer
  private let format: RunFormat
  /// Whether the fields have an ordinal.
  var hasOrdinals: Bool { format != .footer }
  /// Whether it is of many segments.
  var isMerged: Bool { format.isMerged }
  /// How the keys are packed; nothing when each is found by its place.
  let packing: PagePacking?
  /// Where the places are, or the packed keys.
  private let placesOffset: Int
  let collection: UInt32
  let count: Int
  let prefix: UnsafeRawBufferPointer
  let baseSequence: UInt64

  static let headerByteCount = 20
  static let mergedHeaderByteCount = 24
  static let prefixByteCountMaximum = 1024
  /// What the byte count of a packed page has besides.
  static let packedFlag: UInt32 = 1

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
      packing = nil
      placesOffset = reader.offset
      _ = try reader.readBytes(2 * count)
      prefix = try reader.readBytes(prefixLength)
    } else {
      let word = try reader.readInteger(UInt32.self) & UInt32(RunFormat.unit - 1)
      packing = try Self.packing(word, of: bytes, format)
      if packing != nil { _ = try reader.readBytes(PagePacking.byteCount) }
      prefix = try reader.readBytes(prefixLength)
      placesOffset = reader.offset
      if let packing {
        _ = try reader.readBytes(packing.stride * count + PagePacking.slackByteCount)
      } else {
        _ = try reader.readBytes(2 * count)
      }
    }
    self.bytes = bytes
    self.format = format
  }

  private static func packing(
    _ word: UInt32, of bytes: UnsafeRawBufferPointer, _ format: RunFormat
  ) throws(BinaryDecodingError) -> PagePacking? {
    if word == 0 { return nil }
    guard word == packedFlag, format.isPacked,
      let packing = PagePacking(bytes, at: mergedHeaderByteCount)
    else { throw .invalidValue(offset: 20, reason: "unknown form of the page") }
    guard format.isMerged || packing.hasNoOrdinals else {
      throw .invalidValue(offset: 32, reason: "the footer of one segment names others")
    }
    return packing
  }

  /// The suffix and the fields of the key at `position`.
  struct Fields {
    let suffix: UnsafeRawBufferPointer
    var reader: ByteReader
  }

  /// Where the fields of the key at `position` start, from the start of the page; in a packed page
  /// the position.
  func place(at position: Int) -> Int {
    if packing != nil { return position }
    return Int(
      UInt16(
        littleEndian: bytes.loadUnaligned(
          fromByteOffset: placesOffset + 2 * position, as: UInt16.self)))
  }

  /// What follows the prefix in the key at `position`.
  func suffix(at position: Int) throws(BinaryDecodingError) -> UnsafeRawBufferPointer {
    if let packing { return packedSuffix(at: position, packing) }
    return try fields(at: position).suffix
  }

  /// All bytes of the packed keys were checked to be there.
  @inline(__always)
  private func packedSuffix(at position: Int, _ packing: PagePacking) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: packedKey(at: position, packing), count: packing.suffixByteCount)
  }

  /// Where a packed key starts: its suffix, the number, and eight bytes at least.
  @inline(__always)
  func packedKey(at position: Int, _ packing: PagePacking) -> UnsafeRawPointer {
    guard let base = bytes.baseAddress else { preconditionFailure("a page has a header") }
    return base + placesOffset + position * packing.stride
  }

  /// The first eight bytes from the prefix on, in a packed page, where so many always follow.
  @inline(__always)
  func wordOfPrefix(_ packing: PagePacking) -> UInt64 {
    packedKey(at: 0, packing).loadUnaligned(fromByteOffset: -prefix.count, as: UInt64.self)
  }

  /// The first eight bytes of what begins with `byteCount` bytes of `prefix`, eight at most, and
  /// goes on with `suffix`; all as they lie in memory.
  @inline(__always)
  static func word(_ prefix: UInt64, byteCount: Int, then suffix: UInt64) -> UInt64 {
    let mask = UInt64.max << UInt64(8 * byteCount)
    let rest = UInt64(littleEndian: suffix) << UInt64(8 * byteCount)
    return (UInt64(littleEndian: prefix) & ~mask | rest).littleEndian
  }

  /// The suffix and the value of a packed key.
  @inline(__always)
  func packedSuffixAndValue(
    at position: Int, _ packing: PagePacking
  ) -> (suffix: UnsafeRawBufferPointer, value: IndexValue) {
    (packedSuffix(at: position, packing), packedValue(at: position, packing))
  }

  /// The value of a packed key.
  @inline(__always)
  func packedValue(at position: Int, _ packing: PagePacking) -> IndexValue {
    packing.value(
      at: packedKey(at: position, packing) + packing.suffixByteCount, baseSequence: baseSequence)
  }

  /// The first eight bytes of the packed key at `position`, as ``IndexKey/head`` has them.
  func head(at position: Int, _ packing: PagePacking) -> UInt64 {
    let suffix = packedKey(at: position, packing).loadUnaligned(as: UInt64.self)
    let word = Self.word(wordOfPrefix(packing), byteCount: min(prefix.count, 8), then: suffix)
    let length = prefix.count + packing.suffixByteCount
    let head = UInt64(bigEndian: word)
    return length >= 8 ? head : head & ~(UInt64.max &>> UInt64(8 * length))
  }

  /// Of a page that is not packed.
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
    let value = try Self.value(
      &fields.reader, baseSequence: baseSequence, hasOrdinal: hasOrdinals)
    guard format.isMerged || value.ordinal == 0 else {
      throw .invalidValue(offset: 0, reason: "the footer of one segment names others")
    }
    return value
  }

  /// The value of `key`, which belongs to the page's collection.
  func find(_ key: IndexKey) throws(BinaryDecodingError) -> IndexValue? {
    guard let suffix = suffix(of: key.buffer) else { return nil }
    if let packing, let suffixes = PackedSuffixes(self, packing) {
      guard Int(key.length) == suffixes.keyByteCount else { return nil }
      return suffixes.position(of: suffixes.suffix(of: key)).map { packedValue(at: $0, packing) }
    }
    let position = try lowerBound(suffix: suffix)
    guard position < count else { return nil }
    let found = try suffixAndValue(at: position)
    return Self.order(found.suffix, suffix) == 0 ? found.value : nil
  }

  static func value(
    _ reader: inout ByteReader, baseSequence: UInt64, hasOrdinal: Bool
  ) throws(BinaryDecodingError) -> IndexValue {
    let delta = try reader.readVariableLength()
    let ordinal = hasOrdinal ? try reader.readVariableLength(as: UInt32.self) : 0
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

  /// Negative, zero or positive as the key at `position` sorts before, with or after `key`.
  func order(ofKeyAt position: Int, with key: IndexKey) throws(BinaryDecodingError) -> Int {
    if collection != key.collection { return collection < key.collection ? -1 : 1 }
    let order = Self.order(
      prefix, UnsafeRawBufferPointer(rebasing: key.buffer.prefix(prefix.count)))
    if order != 0 { return order }
    return Self.order(
      try suffix(at: position), UnsafeRawBufferPointer(rebasing: key.buffer[prefix.count...]))
  }

  /// The first position whose suffix is not below `suffix`.
  private func lowerBound(suffix: UnsafeRawBufferPointer) throws(BinaryDecodingError) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) >> 1
      if Self.order(try self.suffix(at: middle), suffix) < 0 {
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
