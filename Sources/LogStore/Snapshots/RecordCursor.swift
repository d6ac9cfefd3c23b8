internal import BinaryCoding

/// Walks the live records of one collection in ascending key order; used by one thread.
public final class RecordCursor {
  private let view: View
  private let overlay: TransactionOverlay?
  /// The changes of the transaction when the walk began, kept for the cursor.
  private let overlayTable: PublishedTable?
  private let collection: CollectionIdentifier
  private let cursor: MergingCursor
  /// Whether the record the cursor stands on was handed out.
  private var isHandedOut = false

  init(
    view: View, overlay: TransactionOverlay?, collection: CollectionIdentifier, from start: [UInt8]?
  ) throws(LogError) {
    self.view = view
    self.overlay = overlay
    self.collection = collection
    let overlayTable = overlay?.publish()
    self.overlayTable = overlayTable
    // The smallest key is one zero byte; keys are never empty.
    let first = start.flatMap { $0.isEmpty ? nil : $0 } ?? [0]
    cursor = try first.withBytes { (bytes: UnsafeRawBufferPointer) throws(LogError) in
      let key = IndexKey(collection, bytes)
      return try MergingCursor(
        view: view, overlay: overlayTable?.cursor(from: key),
        sealed: collection == .catalog ? view.sealed.filter(\.holdsCatalog) : view.sealed,
        from: key)
    }
  }

  /// The next record with its key, or nothing after the last.
  ///
  /// A record that does not verify throws; the cursor stands behind it then and may go on. When the
  /// index itself cannot be read the walk is over.
  public func next() throws(LogError) -> (key: [UInt8], record: StoredRecord)? {
    if isHandedOut {
      isHandedOut = false
      try cursor.advance()
    }
    while let current = cursor.current, current.key.collection == collection.rawValue {
      if current.value.isTombstone {
        try cursor.advance()
        continue
      }
      isHandedOut = true
      let key = [UInt8](current.key.buffer)
      return (key, try record(at: current.value, key: key, origin: current.origin))
    }
    return nil
  }

  private func record(
    at value: IndexValue, key: [UInt8], origin: MergingCursor.Origin
  ) throws(LogError) -> StoredRecord {
    switch origin {
    case .segment(let segment):
      try key.withBytes { (bytes: UnsafeRawBufferPointer) throws(LogError) in
        try segment.record(at: value, key: IndexKey(collection, bytes))
      }
    case .overlay:
      overlayRecord(at: value)
    }
  }

  private func overlayRecord(at value: IndexValue) -> StoredRecord {
    guard let overlay else { preconditionFailure("a change must come from a transaction") }
    return overlay.record(at: value)
  }
}
