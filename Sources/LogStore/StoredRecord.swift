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

extension StoredRecord {
  /// A copy of a record that is lent, to keep it.
  public init(copying record: BorrowedRecord) {
    self.init(
      schemaVersion: record.schemaVersion, sequence: record.sequence,
      commitTime: record.commitTime, payload: [UInt8](record.payload))
  }
}
