internal import BinaryCoding

/// Reads and changes that become visible and durable together when the transaction's body returns.
///
/// It sees the state at its start plus its own changes. Writers are serial: while one runs, others
/// wait, and readers do not. A large one is written to disk as it grows, so its memory is bounded
/// by ``LogConfiguration/transactionByteCountInMemory`` and the index of one segment. Used only
/// inside the body it was handed to: after that changes trap, and so does reading, unless a cursor
/// or snapshot was made. Those may be kept, and read the state that they were made of.
public final class Transaction {
  private let pipeline: CommitPipeline
  private let makeBatch: () -> WriteBatch
  /// The changes that are still in memory.
  private(set) var batch: WriteBatch
  /// What it reads beneath its changes, and these in order, once it read something.
  private var view: View?
  private var overlay: TransactionOverlay?
  private(set) var spill: TransactionSpill?
  /// Why earlier changes could not be written to disk: from then on nothing can be committed.
  private(set) var failure: LogError?

  /// One that begins with the empty `batch`, and takes further ones where that grows too large.
  init(_ pipeline: CommitPipeline, _ batch: WriteBatch, makeBatch: @escaping () -> WriteBatch) {
    self.pipeline = pipeline
    self.batch = batch
    self.makeBatch = makeBatch
  }

  /// Whether a cursor or snapshot reads its batch, which may be kept.
  private var isWalked = false
  private var isOver = false

  /// The body returned; says whether nobody else knows the batch that it began with.
  func end() -> Bool {
    isOver = true
    return !isWalked && spill == nil
  }

  private func checkUse(forReading: Bool = false) {
    // What a cursor or snapshot goes by is kept.
    guard !isOver || forReading && isWalked else {
      fatalError("a transaction must be used inside the body only that it was handed to")
    }
  }

  /// Taken when it is needed: nobody else writes meanwhile, and a transaction that only writes
  /// publishes nothing.
  private func readableView() -> View {
    if let view { return view }
    let taken = pipeline.head
    view = taken
    return taken
  }

  private func readableOverlay() -> TransactionOverlay {
    if let overlay { return overlay }
    let made = TransactionOverlay(batch)
    overlay = made
    return made
  }

  /// The newest record of `key`, or nothing when it is absent or deleted.
  public func record(
    for key: [UInt8], in collection: CollectionIdentifier
  ) throws(LogError) -> StoredRecord? {
    checkUse(forReading: true)
    guard !key.isEmpty else { throw .emptyKey }
    return try key.withBytes { (bytes: UnsafeRawBufferPointer) throws(LogError) in
      let key = IndexKey(collection, bytes)
      if batch.count > 0, let value = readableOverlay().find(key) {
        return value.isTombstone ? nil : readableOverlay().record(at: value)
      }
      return try readableView().record(key)
    }
  }

  /// Walks the keys of `collection` that are in `keys`, in either order; changes made later are not
  /// seen.
  public func records(
    in collection: CollectionIdentifier, keys: KeyRange = .all, order: KeyOrder = .ascending
  ) throws(LogError) -> RecordCursor {
    try snapshot().records(in: collection, keys: keys, order: order)
  }

  /// What the transaction sees now: the state at its start with the changes made until now.
  ///
  /// Costs what changes since the last one, or the last walk, cost to sort.
  public func snapshot() -> TransactionSnapshot {
    checkUse(forReading: true)
    isWalked = true
    return TransactionSnapshot(readableView(), readableOverlay())
  }

  /// Gives `key` a new payload; see ``WriteBatch/put(_:in:schemaVersion:payload:)``.
  ///
  /// - Throws: what writing earlier changes to disk threw, too; then the transaction cannot be
  ///   committed any more.
  public func put(
    _ key: [UInt8], in collection: CollectionIdentifier, schemaVersion: UInt64, payload: [UInt8]
  ) throws(LogError) {
    // What may not be put leaves no empty batch for the end.
    try LogLimits.checkRecord(keyByteCount: key.count, payloadByteCount: payload.count)
    try LogLimits.checkSchemaVersion(schemaVersion)
    try makeRoom()
    try batch.put(key, in: collection, schemaVersion: schemaVersion, payload: payload)
  }

  /// Gives many keys new payloads, as if each were put in its turn; see
  /// ``WriteBatch/put(_:in:schemaVersion:)``. There may be more than memory has room for.
  ///
  /// - Throws: what ``put(_:in:schemaVersion:payload:)`` throws. Where one of them may not be put,
  ///   none is.
  public func put(
    _ records: [KeyedPayload], in collection: CollectionIdentifier, schemaVersion: UInt64
  ) throws(LogError) {
    try WriteBatch.check(records, in: collection, schemaVersion: schemaVersion)
    var start = 0
    while start < records.count {
      var end = start
      var byteCount = 0
      repeat {
        byteCount += records[end].byteCountMaximum
        end += 1
      } while end < records.count && byteCount < Self.spilledFrameByteCount
      try makeRoom()
      do throws(LogError) {
        try batch.putChecked(Array(records[start..<end]), collection, schemaVersion)
      } catch {
        if start > 0 { failure = error }
        throw error
      }
      start = end
    }
  }

  /// Removes `key`.
  public func delete(_ key: [UInt8], in collection: CollectionIdentifier) throws(LogError) {
    try LogLimits.checkRecord(keyByteCount: key.count, payloadByteCount: 0)
    try makeRoom()
    try batch.delete(key, in: collection)
  }

  /// Writes the changes to disk when they are too many to keep; the caller has one more for the
  /// end.
  ///
  /// After an error the transaction can only be given up, whatever its body makes of the error: it
  /// lacks a change that somebody asked for.
  private func makeRoom() throws(LogError) {
    checkUse()
    if let failure { throw failure }
    do throws(LogError) { try spillIfLarge() } catch {
      failure = error
      throw error
    }
  }

  private func spillIfLarge() throws(LogError) {
    // No commit holds more, and what a commit refuses would leave half a change to the body.
    let limit = min(
      pipeline.configuration.transactionByteCountInMemory, LogLimits.commitByteCount / 2)
    let most = spill == nil ? limit : min(limit, Self.spilledFrameByteCount)
    guard batch.byteCount >= most, batch.count > 0 else { return }
    let spill: TransactionSpill
    if let known = self.spill {
      spill = known
    } else {
      spill = try TransactionSpill(pipeline)
      self.spill = spill
    }
    try spill.write(batch, isLast: false)
    view = spill.view
    batch = makeBatch()
    overlay = nil
  }

  /// Later parts of a large transaction are written in frames of about this size.
  private static let spilledFrameByteCount = 1 << 20

  /// Commits a transaction that was written to disk as it grew, and calls `committed` before
  /// anybody sees it; under the writer's lock.
  func commitSpilled(
    _ spill: TransactionSpill, _ committed: () -> Void
  ) throws(LogError) {
    precondition(batch.count > 0, "the last part of a large transaction must have a record")
    do throws(LogError) {
      try spill.write(batch, isLast: true)
      try pipeline.publish(spill, committed)
    } catch {
      spill.cancel()
      throw error
    }
  }
}
