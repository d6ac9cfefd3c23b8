/// A record lent for the time of a closure: nothing of it was copied but what had to be
/// decompressed.
public struct BorrowedRecord {
  /// The key; not valid after the closure that it was lent to.
  public let key: UnsafeRawBufferPointer
  /// The payload, verified and decompressed; not valid after the closure that it was lent to.
  public let payload: UnsafeRawBufferPointer
  /// The schema version the payload was written under.
  public let schemaVersion: UInt64
  /// The record's place in the history of the store.
  public let sequence: CommitSequence
  /// When it was committed.
  public let commitTime: CommitTime
}
