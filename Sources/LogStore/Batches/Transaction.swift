internal import BinaryCoding

/// Reads and changes that become visible and durable together when the transaction's body returns.
///
/// It sees the state at its start plus its own changes. Writers are serial: while one runs, others
/// wait, and readers do not. A large one is written to disk as it grows, so its memory is bounded
/// by ``LogConfiguration/transactionByteCountInMemory`` and the index of one segment. Used only
/// inside the body it was handed to.
public final class Transaction {
  private let pipeline: CommitPipeline
  private let makeBatch: () -> WriteBatch
  private var view: View
  private var overlay: TransactionOverlay
  private(set) var spill: TransactionSpill?

  init(_ pipeline: CommitPipeline, makeBatch: @escaping () -> WriteBatch) {
    self.pipeline = pipeline
    self.makeBatch = makeBatch
    view = pipeline.head
    overlay = TransactionOverlay(makeBatch())
  }

  /// The changes that are still in memory.
  var batch: WriteBatch { overlay.batch }

  /// The newest record of `key`, or nothing when it is absent or deleted.
  public func record(
    for key: [UInt8], in collection: CollectionIdentifier
  ) throws(LogError) -> StoredRecord? {
    guard !key.isEmpty else { throw .emptyKey }
    return try key.withBytes { (bytes: UnsafeRawBufferPointer) throws(LogError) in
      let key = IndexKey(collection, bytes)
      if let value = overlay.find(key) {
        return value.isTombstone ? nil : overlay.record(at: value)
      }
      return try view.record(key)
    }
  }

  /// Walks the keys of `collection` that are in `keys`, in either order; changes made later are not
  /// seen.
  public func records(
    in collection: CollectionIdentifier, keys: KeyRange = .all, order: KeyOrder = .ascending
  ) throws(LogError) -> RecordCursor {
    try RecordCursor(
      view: view, overlay: overlay, collection: collection, keys: keys, order: order)
  }

  /// Gives `key` a new payload; see ``WriteBatch/put(_:in:schemaVersion:payload:)``.
  ///
  /// - Throws: what writing earlier changes to disk threw, too; then the transaction cannot be
  ///   committed any more.
  public func put(
    _ key: [UInt8], in collection: CollectionIdentifier, schemaVersion: UInt64, payload: [UInt8]
  ) throws(LogError) {
    try makeRoom()
    try batch.put(key, in: collection, schemaVersion: schemaVersion, payload: payload)
  }

  /// Removes `key`.
  public func delete(_ key: [UInt8], in collection: CollectionIdentifier) throws(LogError) {
    try makeRoom()
    try batch.delete(key, in: collection)
  }

  /// Writes the changes to disk when they are too many to keep; at least one stays for the end.
  private func makeRoom() throws(LogError) {
    let limit = pipeline.configuration.transactionByteCountInMemory
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
    overlay = TransactionOverlay(makeBatch())
  }

  /// Later parts of a large transaction are written in frames of about this size.
  private static let spilledFrameByteCount = 1 << 20

  /// Commits a transaction that was written to disk as it grew; under the writer's lock.
  func commitSpilled(_ spill: TransactionSpill) throws(LogError) {
    do throws(LogError) {
      try spill.write(batch, isLast: true)
      try pipeline.publish(spill)
    } catch {
      spill.cancel()
      throw error
    }
  }
}
