internal import BinaryCoding

/// Encodes the records of a rewrite, compressed as well as is known: they are written to stay. Used
/// by one thread.
final class Recompressor {
  private let dictionaries: DictionaryShelf
  private let compression: LogConfiguration.Compression
  private let state = CompressionState.make()
  private let matching = DictionaryMatching()
  private var payload = ByteWriter(capacity: 4 << 10)
  private var compressed = ByteWriter(capacity: 4 << 10)
  private var encoded = ByteWriter(capacity: 4 << 10)
  private var newest: (version: CollectionVersion, dictionary: CompressionDictionary?)?
  /// Dictionaries that are lost, once each.
  private(set) var damages: [CorruptionReport] = []

  init(_ dictionaries: DictionaryShelf, compression: LogConfiguration.Compression) {
    self.dictionaries = dictionaries
    self.compression = compression
  }

  /// The record that was encoded last; valid until the next.
  var bytes: UnsafeRawBufferPointer { encoded.bytes }

  /// Encodes a verified record anew if that makes it smaller; its checksum is unfinished.
  ///
  /// False when it is to stay as it is: because that is best, because a rewrite compressed it
  /// against the same dictionary before, or because its dictionary is lost.
  func recompress(
    _ record: RecordDecoder.Decoded, in segment: Segment, at offset: UInt32
  ) throws(LogError) -> Bool {
    let header = record.header
    guard header.kind == .put,
      let dictionary = dictionary(of: header.collection, header.schemaVersion),
      dictionary.compresses,
      segment.stream == .user || dictionary.identifier.rawValue != header.dictionary,
      let raw = try raw(record, in: segment, at: offset),
      let size = compress(raw, against: dictionary), size < header.storedLength
    else { return false }
    encode(
      .lz4WithDictionary, dictionary, record.key, header.collection, header.schemaVersion,
      header.commitTime, rawLength: raw.count,
      UnsafeRawBufferPointer(rebasing: compressed.bytes[..<size]))
    return true
  }

  /// Encodes a record with a new payload; its checksum is unfinished.
  func encode(
    _ key: UnsafeRawBufferPointer, _ collection: CollectionIdentifier, schemaVersion: UInt64,
    _ commitTime: CommitTime, _ payload: UnsafeRawBufferPointer
  ) {
    let dictionary = dictionary(of: collection, schemaVersion)
    let isTried = compression == .always || dictionary?.compresses ?? true
    if compression != .none, isTried, let size = compress(payload, against: dictionary) {
      let used = dictionary.flatMap { $0.compresses ? $0 : nil }
      encode(
        used == nil ? .lz4 : .lz4WithDictionary, used, key, collection, schemaVersion, commitTime,
        rawLength: payload.count, UnsafeRawBufferPointer(rebasing: compressed.bytes[..<size]))
    } else {
      encode(
        .none, nil, key, collection, schemaVersion, commitTime, rawLength: payload.count, payload)
    }
  }

  /// Encodes a tombstone; its checksum is unfinished.
  func encodeTombstone(
    _ key: UnsafeRawBufferPointer, _ collection: CollectionIdentifier, _ commitTime: CommitTime
  ) {
    encoded.removeAll()
    _ = RecordEncoder.encode(
      kind: .tombstone, compression: .none, collection: collection, schemaVersion: 0,
      commitTime: commitTime, key: key, rawLength: 0, payload: RecordCompression.noDictionary,
      to: &encoded)
  }

  private func encode(
    _ kind: RecordCompressionKind, _ dictionary: CompressionDictionary?,
    _ key: UnsafeRawBufferPointer, _ collection: CollectionIdentifier, _ schemaVersion: UInt64,
    _ commitTime: CommitTime, rawLength: Int, _ stored: UnsafeRawBufferPointer
  ) {
    encoded.removeAll()
    _ = RecordEncoder.encode(
      kind: .put, compression: kind, dictionary: dictionary?.identifier.rawValue ?? 0,
      collection: collection, schemaVersion: schemaVersion, commitTime: commitTime, key: key,
      rawLength: rawLength, payload: stored, to: &encoded)
  }

  /// Completes the checksum of the record that was encoded; returns its header.
  func finishChecksum(_ sequence: CommitSequence, seed: UInt64) -> RecordHeader {
    if let base = encoded.mutableBytes.baseAddress {
      RecordEncoder.finishChecksum(
        base, unfinished: RecordEncoder.unfinishedChecksum(encoded.bytes), sequence: sequence,
        seed: seed)
    }
    return .decoded(encoded.bytes)
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

  /// Compresses into `compressed`; returns the size, or nothing when too little is saved.
  private func compress(
    _ raw: UnsafeRawBufferPointer, against dictionary: CompressionDictionary?
  ) -> Int? {
    let used = dictionary.flatMap { $0.compresses ? $0 : nil }
    if raw.count <= DictionaryMatcher.payloadByteCountMaximum, let matcher = used?.matcher {
      return RecordCompression.compress(
        raw, savesAnything: compression == .always, into: &compressed
      ) { raw, target in matching.compress(raw, with: matcher, into: target) }
    }
    return RecordCompression.compress(
      raw, against: used?.prepared, savesAnything: compression == .always, into: &compressed,
      with: state)
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
