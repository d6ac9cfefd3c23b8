internal import BinaryCoding

/// A record as it lies in a frame. Variable-length integers are LEB128.
///
///     offset  size  field
///          0     4  checksum         CRC-32C, see below
///          4     1  tag              low four bits kind, high four bits compression
///          5   1-4  collection       variable length, below 2^24
///          .  1-10  schema version   variable length
///          .   1-5  commit time      variable length, seconds since 2025
///          .   1-2  key length       variable length, 1 to 4096
///          .   1-4  raw length       variable length, bytes of the payload before compression
///          .   1-4  stored length    only when compressed: bytes of the payload as stored
///          .   1-5  dictionary       only with compression 2: identifier of the dictionary
///          .     .  key
///          .     .  payload
///
///     ┌──────────┬─────┬────────────┬─────────┬──────┬─────────┬─────┬─────────┐
///     │ checksum │ tag │ collection │ version │ time │ lengths │ key │ payload │
///     └──────────┴─────┴────────────┴─────────┴──────┴─────────┴─────┴─────────┘
///
/// The checksum covers everything after itself, then the record's sequence (8 bytes) and the
/// store's checksum seed (8 bytes), which are not stored here: a record read under a wrong sequence
/// or in a wrong store does not verify, and a relocated record keeps its checksum to the bit.
struct RecordHeader: Equatable {
  var kind: RecordKind
  var compression: RecordCompressionKind
  var collection: CollectionIdentifier
  var schemaVersion: UInt64
  var commitTime: CommitTime
  var rawLength: Int
  var dictionary: UInt32
  /// Where the key starts in the record.
  var keyOffset: Int
  var keyLength: Int
  var storedLength: Int

  static let checksumSize = 4
  static let tagOffset = checksumSize
  /// Checksum, tag, and the longest of each variable-length field.
  static let byteCountMaximum = 4 + 1 + 4 + 10 + 5 + 2 + 4 + 4 + 5

  /// From this size on, seven numbers of up to five bytes each lie within the record.
  private static let ordinaryByteCountMinimum = tagOffset + 1 + 7 * ShortNumbers.byteCountMaximum

  /// The longest record.
  static let recordByteCountMaximum =
    byteCountMaximum + LogLimits.keyByteCount + LogLimits.payloadByteCount

  /// The size of the whole record.
  var recordByteCount: Int { keyOffset + keyLength + storedLength }

  /// The header of a record that this process encoded.
  static func decoded(_ bytes: UnsafeRawBufferPointer) -> RecordHeader {
    do throws(BinaryDecodingError) {
      return try RecordHeader(decoding: bytes)
    } catch { preconditionFailure("a record that was just encoded must be readable: \(error)") }
  }

  /// The header of a record that is to be encoded, its payload not compressed.
  init(
    _ kind: RecordKind, _ collection: CollectionIdentifier, schemaVersion: UInt64,
    commitTime: CommitTime, keyLength: Int, rawLength: Int
  ) {
    self.kind = kind
    compression = .none
    self.collection = collection
    self.schemaVersion = schemaVersion
    self.commitTime = commitTime
    self.rawLength = rawLength
    dictionary = 0
    keyOffset = 0
    self.keyLength = keyLength
    storedLength = rawLength
  }

  /// Reads a header from bytes that may be anything; the record's end may lie beyond them.
  @inline(__always)
  init(decoding bytes: UnsafeRawBufferPointer) throws(BinaryDecodingError) {
    if let ordinary = RecordHeader(ordinary: bytes) {
      self = ordinary
    } else {
      self = try RecordHeader(checking: bytes)
    }
  }

  /// The header of nearly all records, where bounds need no check and numbers are short; nothing
  /// for any other, and for bytes that are none.
  @inline(__always)
  init?(ordinary bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= Self.ordinaryByteCountMinimum, let start = bytes.baseAddress else {
      return nil
    }
    let tag = start.load(fromByteOffset: Self.tagOffset, as: UInt8.self)
    guard let kind = RecordKind(rawValue: tag & 0x0F),
      let compression = RecordCompressionKind(rawValue: tag >> 4)
    else { return nil }
    var numbers = ShortNumbers(start + Self.tagOffset + 1)
    let collection = numbers.next()
    let schemaVersion = numbers.next()
    let time = numbers.next()
    let keyLength = numbers.next()
    let rawLength = numbers.next()
    let storedLength = compression == .none ? rawLength : numbers.next()
    let dictionary = compression == .lz4WithDictionary ? numbers.next() : 0
    guard !numbers.areLong, let collection = CollectionIdentifier(exactly: collection),
      max(time, dictionary) <= UInt64(UInt32.max), storedLength <= rawLength,
      rawLength <= UInt64(LogLimits.payloadByteCount), keyLength > 0,
      keyLength <= UInt64(LogLimits.keyByteCount), schemaVersion <= LogLimits.schemaVersion
    else { return nil }
    self.kind = kind
    self.compression = compression
    self.collection = collection
    self.schemaVersion = schemaVersion
    commitTime = CommitTime(secondsSince2025: UInt32(truncatingIfNeeded: time))
    self.rawLength = Int(rawLength)
    self.dictionary = UInt32(truncatingIfNeeded: dictionary)
    keyOffset = numbers.place - start
    self.keyLength = Int(keyLength)
    self.storedLength = Int(storedLength)
  }

  /// The same for any bytes, and the oracle of it.
  init(checking bytes: UnsafeRawBufferPointer) throws(BinaryDecodingError) {
    var reader = ByteReader(bytes)
    _ = try reader.readInteger(UInt32.self)
    let tag = try reader.readByte()
    guard let kind = RecordKind(rawValue: tag & 0x0F),
      let compression = RecordCompressionKind(rawValue: tag >> 4)
    else { throw .invalidValue(offset: 4, reason: "unknown record tag \(tag)") }
    self.kind = kind
    self.compression = compression
    guard let collection = CollectionIdentifier(exactly: try reader.readVariableLength()) else {
      throw .invalidValue(offset: 5, reason: "collection above the limit")
    }
    self.collection = collection
    schemaVersion = try reader.readVariableLength()
    guard schemaVersion <= LogLimits.schemaVersion else {
      throw .invalidValue(offset: reader.offset, reason: "schema version \(schemaVersion)")
    }
    commitTime = CommitTime(secondsSince2025: try reader.readVariableLength(as: UInt32.self))
    keyLength = try reader.readVariableLength(as: Int.self)
    guard (1...LogLimits.keyByteCount).contains(keyLength) else {
      throw .invalidValue(offset: reader.offset, reason: "key length \(keyLength)")
    }
    rawLength = try reader.readVariableLength(as: Int.self)
    guard rawLength <= LogLimits.payloadByteCount else {
      throw .invalidValue(offset: reader.offset, reason: "payload length \(rawLength)")
    }
    storedLength = rawLength
    dictionary = 0
    if compression != .none {
      storedLength = try reader.readVariableLength(as: Int.self)
      guard storedLength <= rawLength else {
        throw .invalidValue(offset: reader.offset, reason: "stored length \(storedLength)")
      }
    }
    if compression == .lz4WithDictionary {
      dictionary = try reader.readVariableLength(as: UInt32.self)
    }
    keyOffset = reader.offset
  }
}
