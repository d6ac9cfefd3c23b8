/// The newest record of a key as a snapshot sees it: bytes of the application, tagged.
public struct StoredRecord: Sendable, Equatable {
  /// The schema version the payload was written under.
  public let schemaVersion: UInt64
  /// The record's place in the history of the store.
  public let sequence: CommitSequence
  /// When it was committed.
  public let commitTime: CommitTime
  /// The payload, verified and decompressed.
  public let payload: [UInt8]
}
