internal import BinaryCoding

/// A state of the log that does not change, as of one commit; any number, on any thread.
///
/// Taking one costs constant time. While it lives, segments it can read stay on disk, also when
/// compaction has replaced them.
public final class Snapshot: Sendable {
  let view: View

  init(_ view: View) { self.view = view }

  /// The sequence of the newest record it sees.
  public var lastSequence: CommitSequence { view.lastSequence }

  /// The newest record of `key`, or nothing when it is absent or deleted.
  ///
  /// Costs a look-up in memory, then at most a few page reads, and one record, which is verified.
  public func record(
    for key: UnsafeRawBufferPointer, in collection: CollectionIdentifier
  ) throws(LogError) -> StoredRecord? {
    guard key.count > 0 else { throw .emptyKey }
    return try view.record(IndexKey(collection, key))
  }

  /// The newest record of `key`, or nothing when it is absent or deleted.
  public func record(
    for key: [UInt8], in collection: CollectionIdentifier
  ) throws(LogError) -> StoredRecord? {
    try key.withBytes { (key: UnsafeRawBufferPointer) throws(LogError) in
      try record(for: key, in: collection)
    }
  }

  /// Walks the keys of `collection` that are in `keys`, in either order.
  public func records(
    in collection: CollectionIdentifier, keys: KeyRange = .all, order: KeyOrder = .ascending
  ) throws(LogError) -> RecordCursor {
    try RecordCursor(
      view: view, overlay: nil, collection: collection, keys: keys, order: order)
  }
}
