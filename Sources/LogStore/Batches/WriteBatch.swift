internal import BinaryCoding
internal import FileIO

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
    private(set) var recordStart: Int
    let recordLength: Int
    let keyOffset: Int
    let keyLength: Int
    /// The record's checksum before its sequence: the record itself gets another with each commit
    /// that is tried.
    let unfinishedChecksum: UInt32

    /// The same where the record lies `distance` bytes farther back.
    func moved(by distance: Int) -> Change {
      var moved = self
      moved.recordStart += distance
      return moved
    }
  }

  private static let keptByteCountMaximum = 64 << 10
  private static let keptChangeCountMaximum = 256
  private static let firstByteCount = 1 << 10
  private static let smallByteCountMaximum = 4 << 10

  @exclusivity(unchecked) private(set) var changes: [Change] = []
  @exclusivity(unchecked) private var records = ByteWriter(capacity: firstByteCount)
  @exclusivity(unchecked) private var hasAskedForMemory = false
  /// Once something was compressed.
  @exclusivity(unchecked) private var compressionState: CompressionState?
  private let compression: LogConfiguration.Compression
  @exclusivity(unchecked) private(set) var commitTime: CommitTime
  /// Those of the log that made the batch.
  let dictionaries: DictionaryShelf
  /// The dictionaries that its records need.
  @exclusivity(unchecked) private(set) var dictionaryUses = DictionaryUses()
  /// The dictionary of the last version that was asked for.
  @exclusivity(unchecked) private var newest:
    (version: CollectionVersion, dictionary: CompressionDictionary?)?

  /// Which payloads are worth trying to compress; without it all are tried.
  private let outlook: CompressionOutlook?
  /// That of the last collection that was asked for.
  @exclusivity(unchecked) private var attempts:
    (collection: CollectionIdentifier, attempts: CompressionAttempts)?

  /// Encodes a part of many records beside this thread, where the log may have threads.
  let worker: SerialWorker?

  init(
    compression: LogConfiguration.Compression, commitTime: CommitTime,
    dictionaries: DictionaryShelf, outlook: CompressionOutlook? = nil, worker: SerialWorker? = nil
  ) {
    self.compression = compression
    self.commitTime = commitTime
    self.dictionaries = dictionaries
    self.outlook = outlook
    self.worker = worker
  }

  deinit {
    compressionState?.giveBack()
    if records.allocatedByteCount > Self.keptByteCountMaximum { giveMemoryBack() }
  }

  /// Batches that outgrow what they begin with go on in memory of one that is gone, if some is
  /// kept: it need not grow step by step.
  private func takeMemory() {
    hasAskedForMemory = true
    // What has more already would have to grow again.
    guard records.allocatedByteCount <= Self.keptByteCountMaximum,
      let memory = BatchMemoryPool.shared.take()
    else { return }
    memory.records.writeBytes(records.bytes)
    memory.changes.append(contentsOf: changes)
    swap(&records, &memory.records)
    swap(&changes, &memory.changes)
  }

  private func giveMemoryBack() {
    let memory = BatchMemory(capacity: Self.firstByteCount)
    swap(&records, &memory.records)
    swap(&changes, &memory.changes)
    BatchMemoryPool.shared.giveBack(memory)
  }

  /// The changes that are added from now on are made at `commitTime`.
  func begin(at commitTime: CommitTime) { self.commitTime = commitTime }

  /// Forgets all changes and keeps the memory of small ones.
  func removeAll() {
    if records.allocatedByteCount > Self.keptByteCountMaximum {
      giveMemoryBack()
      hasAskedForMemory = false
    }
    changes.removeAll(keepingCapacity: changes.count <= Self.keptChangeCountMaximum)
    records.removeAll()
    compressionState?.forgetLargeScratch()
    if !dictionaryUses.isEmpty { dictionaryUses = DictionaryUses() }
    newest = nil
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
    try LogLimits.checkSchemaVersion(schemaVersion)
    Self.expectNoDictionary(key, collection)
    put(key, collection, schemaVersion, payload)
  }

  /// Traps for the key of a dictionary.
  static func expectNoDictionary(
    _ key: UnsafeRawBufferPointer, _ collection: CollectionIdentifier
  ) {
    guard collection != .catalog || CompressionDictionary.identifier(ofKey: key) == nil else {
      fatalError("the keys of dictionaries in the catalog are the log's own")
    }
  }

  /// How payloads of a version are compressed from now on.
  func compressing(
    _ collection: CollectionIdentifier, _ schemaVersion: UInt64
  ) -> PayloadCompressing {
    let dictionary = dictionary(collection, schemaVersion)
    guard tries(dictionary) else { return PayloadCompressing(dictionary, tries: .none) }
    guard compression == .automatic, dictionary == nil,
      let attempts = attempts(of: collection), attempts.areHopeless
    else { return PayloadCompressing(dictionary, tries: .all) }
    return PayloadCompressing(dictionary, tries: .sample)
  }

  private func attempts(of collection: CollectionIdentifier) -> CompressionAttempts? {
    if let attempts, attempts.collection == collection { return attempts.attempts }
    guard let found = outlook?.attempts(of: collection) else { return nil }
    attempts = (collection, found)
    return found
  }

  /// Remembers what became of attempts, for the batches that follow.
  func note(_ outcome: CompressionAttempts.Outcome, of collection: CollectionIdentifier) {
    if outcome.attemptCount > 0 { attempts(of: collection)?.note(outcome) }
  }

  private func tries(_ dictionary: CompressionDictionary?) -> Bool {
    switch compression {
    case .none: false
    case .automatic: dictionary?.compresses ?? true
    case .always: true
    }
  }

  /// Adds a record whose key and payload were checked.
  func put(
    _ key: UnsafeRawBufferPointer, _ collection: CollectionIdentifier, _ schemaVersion: UInt64,
    _ payload: UnsafeRawBufferPointer
  ) {
    // Keys of indexes have no payloads, and come between objects.
    if payload.count < RecordCompression.payloadByteCountMinimum, dictionaries.isEmpty {
      var compressing = PayloadCompressing(nil, tries: .none)
      return put(key, collection, schemaVersion, payload, &compressing)
    }
    var compressing = compressing(collection, schemaVersion)
    let lengths =
      RecordCompression.payloadByteCountMinimum...CompressionAttempts.payloadByteCountMaximum
    // Others are not tried, or always: they use up no place of the sample.
    if compressing.tries == .sample, lengths.contains(payload.count) {
      compressing.isSampled = attempts(of: collection)?.takeSample() ?? true
    }
    put(key, collection, schemaVersion, payload, &compressing)
    note(compressing.outcome, of: collection)
  }

  /// The same, where it was decided whether the payload is compressed.
  func put(
    _ key: UnsafeRawBufferPointer, _ collection: CollectionIdentifier, _ schemaVersion: UInt64,
    _ payload: UnsafeRawBufferPointer, _ compressing: inout PayloadCompressing
  ) {
    let dictionary = compressing.dictionary
    if compressing.tries(payload), let compressed = compressed(payload, &compressing) {
      let identifier = dictionary.flatMap { $0.compresses ? $0.identifier.rawValue : nil }
      append(
        .put, identifier == nil ? .lz4 : .lz4WithDictionary, dictionary: identifier ?? 0, key,
        collection, schemaVersion, rawLength: payload.count, payload: compressed)
    } else {
      append(
        .put, .none, key, collection, schemaVersion, rawLength: payload.count, payload: payload)
    }
  }

  /// The compressed payload, valid until the next, or nothing when too little is saved.
  private func compressed(
    _ payload: UnsafeRawBufferPointer, _ compressing: inout PayloadCompressing
  ) -> UnsafeRawBufferPointer? {
    let state: CompressionState
    if let compressionState {
      state = compressionState
    } else {
      state = .make()
      compressionState = state
    }
    let size = RecordCompression.compress(
      payload, against: compressing.dictionary, savesAnything: compression == .always,
      into: &state.scratch, with: state)
    compressing.note(payload, size: size)
    return size.map { UnsafeRawBufferPointer(rebasing: state.scratch.bytes[..<$0]) }
  }

  /// A batch for some of the records that this one is to have, with ``append(_:changes:)``.
  func makePart() -> WriteBatch {
    let part = WriteBatch(
      compression: compression, commitTime: commitTime, dictionaries: dictionaries)
    // One that is made meanwhile is for the next batch.
    part.newest = newest
    return part
  }

  /// Adds some changes of a part, as they are encoded there.
  func append(_ part: WriteBatch, changes moved: Range<Int>) {
    guard let first = part.changes[moved].first, let last = part.changes[moved].last else { return }
    if records.count > Self.smallByteCountMaximum, !hasAskedForMemory { takeMemory() }
    let shift = records.count - first.recordStart
    let end = last.recordStart + last.recordLength
    records.writeBytes(
      UnsafeRawBufferPointer(rebasing: part.records.bytes[first.recordStart..<end]))
    for change in part.changes[moved] { changes.append(change.moved(by: shift)) }
  }

  /// Remembers what the records of a part need.
  func noteDictionaries(of part: WriteBatch) {
    if !part.dictionaryUses.isEmpty { dictionaryUses.add(part.dictionaryUses) }
  }

  /// Adds one of the two records of a dictionary.
  func put(_ dictionary: CompressionDictionary, copy: UInt8) {
    let key = CompressionDictionary.key(dictionary.identifier, copy: copy)
    key.withBytes { key in
      dictionary.encode().withBytes { payload in put(key, .catalog, 0, payload) }
    }
  }

  /// What payloads of a version are compressed against; the batch asks once for each change of it.
  private func dictionary(
    _ collection: CollectionIdentifier, _ schemaVersion: UInt64
  ) -> CompressionDictionary? {
    if dictionaries.isEmpty || compression == .none || collection.isReserved { return nil }
    let version = CollectionVersion(collection: collection, schemaVersion: schemaVersion)
    if let newest, newest.version == version { return newest.dictionary }
    let found = dictionaries.newest(of: version)
    newest = (version, found)
    return found
  }

  /// What the payload of a record of this batch was compressed against.
  func dictionary(of header: RecordHeader) -> LentDictionary {
    do throws(LogError) {
      return try dictionaries.lent(for: header, in: StoreDirectory.manifest, at: 0)
    } catch { preconditionFailure("a dictionary that was used must be known: \(error)") }
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
    guard collection != .catalog else {
      fatalError("records of the catalog must be replaced, not removed")
    }
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
    _ kind: RecordKind, _ compression: RecordCompressionKind, dictionary: UInt32 = 0,
    _ key: UnsafeRawBufferPointer, _ collection: CollectionIdentifier, _ schemaVersion: UInt64,
    rawLength: Int, payload: UnsafeRawBufferPointer
  ) {
    if records.count > Self.smallByteCountMaximum, !hasAskedForMemory { takeMemory() }
    let start = RecordEncoder.encode(
      kind: kind, compression: compression, dictionary: dictionary, collection: collection,
      schemaVersion: schemaVersion, commitTime: commitTime, key: key, rawLength: rawLength,
      payload: payload, to: &records)
    if compression == .lz4WithDictionary {
      dictionaryUses.count(dictionary, rawLength: rawLength, storedLength: payload.count)
    }
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
