internal import BinaryCoding

/// Decides which records of a rewrite are compressed anew, and against what. Used by one thread.
final class Recompressor {
  private let dictionaries: DictionaryShelf
  private let compression: LogConfiguration.Compression
  private var payload = ByteWriter(capacity: 4 << 10)
  private var newest: (version: CollectionVersion, dictionary: CompressionDictionary?)?
  /// Dictionaries that are lost, once each.
  private(set) var damages: [CorruptionReport] = []

  init(_ dictionaries: DictionaryShelf, compression: LogConfiguration.Compression) {
    self.dictionaries = dictionaries
    self.compression = compression
  }

  /// Adds a verified record to `portion`: to be encoded anew if that makes it smaller.
  ///
  /// Or else as it is: because that is best, because a rewrite compressed it against the same
  /// dictionary before, or because its dictionary is lost.
  func add(
    _ record: RecordDecoder.Decoded, _ sequence: CommitSequence, in segment: Segment,
    at offset: UInt32, to portion: RewritePortion
  ) throws(LogError) {
    let header = record.header
    guard header.kind == .put,
      let dictionary = dictionary(of: header.collection, header.schemaVersion),
      dictionary.compresses,
      segment.stream == .user || dictionary.identifier.rawValue != header.dictionary,
      let raw = try raw(record, in: segment, at: offset)
    else { return portion.add(record.bytes, header, sequence) }
    portion.add(record, payload: raw, dictionary, sequence)
  }

  /// Adds a record with a new payload to `portion`.
  func add(
    _ record: RewriteRecord, schemaVersion: UInt64, _ payload: [UInt8], to portion: RewritePortion
  ) {
    let dictionary = dictionary(of: record.collection, schemaVersion)
    add(record, .put, schemaVersion: schemaVersion, payload, dictionary, to: portion)
  }

  /// Adds a tombstone in the place of a record to `portion`.
  func addTombstone(of record: RewriteRecord, to portion: RewritePortion) {
    add(record, .tombstone, schemaVersion: 0, [], nil, to: portion)
  }

  private func add(
    _ record: RewriteRecord, _ kind: RecordKind, schemaVersion: UInt64, _ payload: [UInt8],
    _ dictionary: CompressionDictionary?, to portion: RewritePortion
  ) {
    let header = RecordHeader(
      kind, record.collection, schemaVersion: schemaVersion, commitTime: record.commitTime,
      keyLength: record.key.count, rawLength: payload.count)
    record.key.withBytes { key in
      payload.withBytes { payload in
        portion.add(key: key, header, payload: payload, dictionary, record.sequence)
      }
    }
  }

  private func dictionary(
    of collection: CollectionIdentifier, _ schemaVersion: UInt64
  ) -> CompressionDictionary? {
    if compression == .none || collection.isReserved || dictionaries.isEmpty { return nil }
    let version = CollectionVersion(collection: collection, schemaVersion: schemaVersion)
    if let newest, newest.version == version { return newest.dictionary }
    let found = dictionaries.newest(of: version)
    newest = (version, found)
    return found
  }

  /// The payload of a record; nothing when its dictionary is lost.
  private func raw(
    _ record: RecordDecoder.Decoded, in segment: Segment, at offset: UInt32
  ) throws(LogError) -> UnsafeRawBufferPointer? {
    if record.header.compression == .none { return record.storedPayload }
    do throws(LogError) {
      return try segment.payload(of: record, at: offset, decompressedInto: &payload)
    } catch .corruption(let damage) where damage.lostDictionary != nil {
      if !damages.contains(where: { $0.lostDictionary == damage.lostDictionary }) {
        damages.append(damage)
      }
      return nil
    }
  }
}
