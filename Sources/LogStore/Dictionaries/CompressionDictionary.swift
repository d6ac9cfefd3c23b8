internal import BinaryCoding

/// Bytes that records of one collection and schema version have in common. Each payload is
/// compressed against them by itself, so that reading one record decompresses one record.
///
/// Immutable, and in the log twice, as records of the catalog. One without bytes says that payloads
/// of its kind do not compress, so that nobody tries.
final class CompressionDictionary: Sendable {
  /// How well it compressed the sample that it was made from, in bytes.
  struct Sample: Equatable, Sendable {
    var rawByteCount: UInt64
    var storedByteCount: UInt64

    /// Stored bytes as a part of all, 0 to 1.
    var storedFraction: Double {
      rawByteCount == 0 ? 1 : Double(storedByteCount) / Double(rawByteCount)
    }
  }

  let identifier: DictionaryIdentifier
  let version: CollectionVersion
  let sample: Sample
  /// What payloads are decompressed with; valid as long as the dictionary.
  let lent: LentDictionary
  /// Valid as long as the dictionary.
  var bytes: UnsafeRawBufferPointer { lent.bytes }
  private let lazilyPrepared = OnceReference<PreparedDictionary>()
  private let lazilyMatching = OnceReference<DictionaryMatcher>()

  /// Whether the other one is a copy of it.
  func isSame(as other: CompressionDictionary) -> Bool {
    version == other.version && bytes.count == other.bytes.count
      && bytes.elementsEqual(other.bytes)
  }

  /// LZ4 reaches back no further.
  static let byteCountMaximum = 64 << 10
  private static let format: UInt8 = 1

  init(
    _ identifier: DictionaryIdentifier, _ version: CollectionVersion, sample: Sample,
    bytes: UnsafeRawBufferPointer
  ) {
    precondition(bytes.count <= Self.byteCountMaximum, "a dictionary has at most 64 KiB")
    self.identifier = identifier
    self.version = version
    self.sample = sample
    lent = .allocate(bytes)
  }

  deinit { lent.deallocate() }

  /// Whether payloads are compressed against it; otherwise they are not worth compressing.
  var compresses: Bool { !bytes.isEmpty }

  /// What LZ4 starts from when it compresses a large payload against it; made when it is first
  /// needed.
  var prepared: PreparedDictionary {
    lazilyPrepared.load() ?? lazilyPrepared.storeIfNil(PreparedDictionary(bytes))
  }

  /// Lends what other payloads are compressed with: it finds more than LZ4 does. Made when it is
  /// first needed; nothing for a dictionary of a few bytes.
  func lendMatcher<Result>(_ body: (DictionaryMatcher) -> Result) -> Result? {
    if let result = lazilyMatching.lend(body) { return result }
    return DictionaryMatcher(bytes).map { body(lazilyMatching.storeIfNil($0)) }
  }

  /// The same for who looks for matches quickly; valid as long as the dictionary. No reference is
  /// counted, which threads would fight for.
  var quickMatcher: DictionaryMatcher.Lent? {
    // Not `??`, which counts a reference.
    if let matcher = lazilyMatching.lend({ $0.lent }) { return matcher }
    return lendMatcher { $0.lent }
  }

  // MARK: As a record

  /// The key of one of its two records: FF, the copy, the identifier as 4 bytes big-endian.
  static func key(_ identifier: DictionaryIdentifier, copy: UInt8) -> [UInt8] {
    let number = identifier.rawValue
    return [keyPrefix, copy] + (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
  }

  /// What the keys of all dictionaries begin with, in the catalog's collection.
  static let keyPrefix: UInt8 = 0xFF
  private static let keyByteCount = 6

  /// The dictionary and the copy that a key of the catalog's collection names, if it names one.
  static func identifier(
    ofKey key: UnsafeRawBufferPointer
  ) -> (identifier: DictionaryIdentifier, copy: UInt8)? {
    guard key.count == keyByteCount, key[0] == keyPrefix, key[1] <= 1 else { return nil }
    let number = UInt32(bigEndian: key.loadUnaligned(fromByteOffset: 2, as: UInt32.self))
    return number > 0 ? (DictionaryIdentifier(number), key[1]) : nil
  }

  /// The payload of its records.
  func encode() -> [UInt8] {
    var writer = ByteWriter(capacity: bytes.count + 32)
    writer.writeByte(Self.format)
    writer.writeVariableLength(UInt64(version.collection.rawValue))
    writer.writeVariableLength(version.schemaVersion)
    writer.writeVariableLength(sample.rawByteCount)
    writer.writeVariableLength(sample.storedByteCount)
    writer.writeBytes(bytes)
    return writer.array()
  }

  /// The dictionary in a record's payload; bytes may be anything.
  static func decode(
    _ identifier: DictionaryIdentifier, _ payload: UnsafeRawBufferPointer
  ) throws(BinaryDecodingError) -> CompressionDictionary {
    var reader = ByteReader(payload)
    guard try reader.readByte() == format else {
      throw .invalidValue(offset: 0, reason: "the dictionary's format is unknown")
    }
    guard let collection = CollectionIdentifier(exactly: try reader.readVariableLength()) else {
      throw .invalidValue(offset: 1, reason: "collection above the limit")
    }
    let version = CollectionVersion(
      collection: collection, schemaVersion: try reader.readVariableLength())
    let sample = Sample(
      rawByteCount: try reader.readVariableLength(),
      storedByteCount: try reader.readVariableLength())
    let bytes = try reader.readBytes(reader.remainingByteCount)
    guard bytes.count <= byteCountMaximum else {
      throw .invalidValue(offset: reader.offset, reason: "a dictionary of \(bytes.count) bytes")
    }
    return CompressionDictionary(identifier, version, sample: sample, bytes: bytes)
  }
}

extension KeyRange {
  /// The keys of the catalog's collection that do not belong to dictionaries.
  package static let catalogOfSchemas = KeyRange(
    to: .excluding([CompressionDictionary.keyPrefix]))
}
