internal import BinaryCoding

/// What a transaction saw at one moment: changes that it made later are not seen.
///
/// It keeps that state, with what it pins on disk, until it goes away; it may outlive the body of
/// the transaction. While the body runs it is used only inside it.
public final class TransactionSnapshot {
  private let view: View
  private let overlay: TransactionOverlay
  /// The changes made until then.
  private let changes: PublishedTable

  init(_ view: View, _ overlay: TransactionOverlay) {
    self.view = view
    self.overlay = overlay
    changes = overlay.publish()
  }

  /// The record that `key` had, or nothing when it was absent or deleted.
  ///
  /// - Throws: ``LogError/emptyKey``, ``LogError/corruption(_:)``, ``LogError/fileIO(_:)``.
  public func record(
    for key: [UInt8], in collection: CollectionIdentifier
  ) throws(LogError) -> StoredRecord? {
    guard !key.isEmpty else { throw .emptyKey }
    return try key.withBytes { (bytes: UnsafeRawBufferPointer) throws(LogError) in
      let key = IndexKey(collection, bytes)
      if let value = changes.find(key) {
        return value.isTombstone ? nil : overlay.record(at: value)
      }
      return try view.record(key)
    }
  }

  /// Walks the keys of `collection` that are in `keys`, in either order.
  ///
  /// - Throws: ``LogError/corruption(_:)``, ``LogError/fileIO(_:)``.
  public func records(
    in collection: CollectionIdentifier, keys: KeyRange = .all, order: KeyOrder = .ascending
  ) throws(LogError) -> RecordCursor {
    // What is changed while it is walked is no other thread's to read.
    RecordCursor(
      try RecordWalk(
        view: view, changes: (overlay, changes), collection: collection, keys: keys, order: order))
  }
}
