internal import BinaryCoding

/// Changes that are committed together: all of them or none.
///
/// Records are encoded, compressed and checksummed here, outside the log's lock; about 0.5 µs for
/// 200 bytes. A batch belongs to one thread; it can be committed again, after a failure or not.
/// Limits are checked when a change is added: what throws is not in the batch.
public final class WriteBatch {
  /// One change and where its record lies in the batch.
  struct Change {
    let kind: RecordKind
    let collection: CollectionIdentifier
    let schemaVersion: UInt64
    let recordStart: Int
    let recordLength: Int
    let keyOffset: Int
    let keyLength: Int
    /// The record's checksum before its sequence: the record itself gets another with each commit
    /// that is tried.
    let unfinishedChecksum: UInt32
  }

  @exclusivity(unchecked) private(set) var changes: [Change] = []
  @exclusivity(unchecked) private var records = ByteWriter(capacity: 1 << 10)
  @exclusivity(unchecked) private var scratch = ByteWriter(capacity: 256)
  private lazy var compressionState = CompressionState.make()
  private let compression: LogConfiguration.Compression
  private let commitTime: CommitTime

  init(compression: LogConfiguration.Compression, commitTime: CommitTime) {
    self.compression = compression
    self.commitTime = commitTime
  }

  /// Number of changes.
  public var count: Int { changes.count }
  /// Bytes of the encoded records.
  public var byteCount: Int { records.count }

  /// Gives `key` a new payload.
  ///
  /// - Throws: ``LogError/limitExceeded(name:maximum:actual:)``, ``LogError/emptyKey``.
  public func put(
    _ key: UnsafeRawBufferPointer, in collection: CollectionIdentifier, schemaVersion: UInt64,
    payload: UnsafeRawBufferPointer
  ) throws(LogError) {
    try check(key: key, payloadByteCount: payload.count)
    guard schemaVersion <= LogLimits.schemaVersion else {
      throw .limitExceeded(
        name: "schema versions", maximum: LogLimits.schemaVersion, actual: schemaVersion)
    }
    if compression == .automatic,
      let size = RecordCompression.compress(payload, into: &scratch, with: compressionState)
    {
      append(
        .put, .lz4, key, collection, schemaVersion, rawLength: payload.count,
        payload: UnsafeRawBufferPointer(rebasing: scratch.bytes[..<size]))
    } else {
      append(
        .put, .none, key, collection, schemaVersion, rawLength: payload.count, payload: payload)
    }
  }

  /// Gives `key` a new payload.
  public func put(
    _ key: [UInt8], in collection: CollectionIdentifier, schemaVersion: UInt64, payload: [UInt8]
  ) throws(LogError) {
    try key.withBytes { (key: UnsafeRawBufferPointer) throws(LogError) in
      try payload.withBytes { (payload: UnsafeRawBufferPointer) throws(LogError) in
        try put(key, in: collection, schemaVersion: schemaVersion, payload: payload)
      }
    }
  }

  /// Removes `key`; a tombstone is written whether the key exists or not.
  ///
  /// - Precondition: the collection is not the catalog, whose records are replaced, never removed.
  public func delete(
    _ key: UnsafeRawBufferPointer, in collection: CollectionIdentifier
  ) throws(LogError) {
    // Walks of the catalog pass over segments without live records of it, tombstones among them.
    precondition(collection != .catalog, "records of the catalog must be replaced, not removed")
    try check(key: key, payloadByteCount: 0)
    append(
      .tombstone, .none, key, collection, 0, rawLength: 0,
      payload: UnsafeRawBufferPointer(start: nil, count: 0))
  }

  /// Removes `key`; a tombstone is written whether the key exists or not.
  public func delete(_ key: [UInt8], in collection: CollectionIdentifier) throws(LogError) {
    try key.withBytes { (key: UnsafeRawBufferPointer) throws(LogError) in
      try delete(key, in: collection)
    }
  }

  /// The encoded records, for the commit to complete and write.
  var encodedRecords: UnsafeMutableRawBufferPointer { records.mutableBytes }

  /// The key of a change, borrowed from the batch.
  func key(of change: Change) -> UnsafeRawBufferPointer {
    let start = change.recordStart + change.keyOffset
    return UnsafeRawBufferPointer(rebasing: records.bytes[start..<(start + change.keyLength)])
  }

  /// The payload of the change whose record starts at `recordStart`.
  func record(startingAt recordStart: Int, length: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: records.bytes[recordStart..<(recordStart + length)])
  }

  private func append(
    _ kind: RecordKind, _ compression: RecordCompressionKind, _ key: UnsafeRawBufferPointer,
    _ collection: CollectionIdentifier, _ schemaVersion: UInt64, rawLength: Int,
    payload: UnsafeRawBufferPointer
  ) {
    let start = RecordEncoder.encode(
      kind: kind, compression: compression, collection: collection, schemaVersion: schemaVersion,
      commitTime: commitTime, key: key, rawLength: rawLength, payload: payload, to: &records)
    let length = records.count - start
    let checksum = RecordEncoder.unfinishedChecksum(record(startingAt: start, length: length))
    changes.append(
      Change(
        kind: kind, collection: collection, schemaVersion: schemaVersion, recordStart: start,
        recordLength: length, keyOffset: length - payload.count - key.count, keyLength: key.count,
        unfinishedChecksum: checksum))
  }

  private func check(key: UnsafeRawBufferPointer, payloadByteCount: Int) throws(LogError) {
    try LogLimits.checkRecord(keyByteCount: key.count, payloadByteCount: payloadByteCount)
    try LogLimits.checkCommit(
      recordCount: changes.count + 1,
      byteCount: records.count + RecordHeader.byteCountMaximum + key.count + payloadByteCount)
  }
}
