internal import BinaryCoding

/// Reads and changes that become visible and durable together when the transaction's body returns.
///
/// It sees the state at its start plus its own changes. Writers are serial: while one runs, others
/// wait; readers never do. Used only inside the body it was handed to.
public final class Transaction {
  private let view: View
  private let overlay: TransactionOverlay

  init(view: View, batch: WriteBatch) {
    self.view = view
    overlay = TransactionOverlay(batch)
  }

  /// The changes made so far.
  public var batch: WriteBatch { overlay.batch }

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
  public func put(
    _ key: [UInt8], in collection: CollectionIdentifier, schemaVersion: UInt64, payload: [UInt8]
  ) throws(LogError) {
    try batch.put(key, in: collection, schemaVersion: schemaVersion, payload: payload)
  }

  /// Removes `key`.
  public func delete(_ key: [UInt8], in collection: CollectionIdentifier) throws(LogError) {
    try batch.delete(key, in: collection)
  }
}
