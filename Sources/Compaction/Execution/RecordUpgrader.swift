public import BinaryCoding
public import LogStore
public import SchemaRegistry

/// Brings records to the current schema version while compaction copies them.
///
/// The log knows no schema: whoever knows which collection holds which type conforms to this.
public protocol RecordUpgrader: Sendable {
  /// Whether records of that collection and version are upgraded.
  func isStale(_ version: CollectionVersion) -> Bool
  /// What becomes of a record for which ``isStale(_:)`` is true. Called by several threads at once,
  /// in any order, and any number of times for a record; an outcome may come to nothing.
  ///
  /// The new payload is appended to `payload`, all of it, also when it is the old one: of what
  /// stood there before, nothing may be changed. What is appended for another outcome than
  /// ``UpgradeOutcome/upgraded(schemaVersion:)`` is forgotten. Never throws: a step that fails is
  /// an outcome, and its record is kept as it is.
  func upgrade(_ record: StaleRecord, to payload: inout ByteWriter) -> UpgradeOutcome
  /// The same, and notes which of the bytes that it appends were copied from the old payload:
  /// where they begin in both is counted from the beginning of each, so that what is compressed
  /// in the old one need not be compressed again. `copies` knows nothing before. By default nothing
  /// is noted.
  func upgrade(
    _ record: StaleRecord, to payload: inout ByteWriter, noting copies: inout CopiedRanges
  ) -> UpgradeOutcome
  /// One that upgrades in the same way, for one of the threads of a rewrite: who keeps objects for
  /// upgrading makes others, as two threads that count references to the same ones slow each other
  /// down. Called by that thread, for each step of a compaction in which it has something to do. By
  /// default the same one.
  func forAnotherThread() -> any RecordUpgrader
}

extension RecordUpgrader {
  public func upgrade(
    _ record: StaleRecord, to payload: inout ByteWriter, noting copies: inout CopiedRanges
  ) -> UpgradeOutcome { upgrade(record, to: &payload) }

  public func forAnotherThread() -> any RecordUpgrader { self }

  /// Whether records of that version go through the upgrader; what a store knows
  /// of itself does not.
  func upgrades(_ version: CollectionVersion) -> Bool {
    !version.collection.isReserved && isStale(version)
  }
}

/// A record that was written under an old schema version, lent for as long as it is upgraded: its
/// bytes must not be kept.
public struct StaleRecord {
  /// Where the record belongs.
  public let collection: CollectionIdentifier
  /// Its key.
  public let key: UnsafeRawBufferPointer
  /// The version it was written under.
  public let schemaVersion: UInt64
  /// When it was committed.
  public let commitTime: CommitTime
  /// Its payload in the shape of that version.
  public let payload: UnsafeRawBufferPointer

  /// A record made of its parts.
  public init(
    collection: CollectionIdentifier, key: UnsafeRawBufferPointer, schemaVersion: UInt64,
    commitTime: CommitTime, payload: UnsafeRawBufferPointer
  ) {
    self.collection = collection
    self.key = key
    self.schemaVersion = schemaVersion
    self.commitTime = commitTime
    self.payload = payload
  }
}

/// What becomes of a record that compaction wants to upgrade.
public enum UpgradeOutcome: Sendable {
  /// It is written in its new form, with the payload that was appended.
  case upgraded(schemaVersion: UInt64)
  /// A step asked for the record to go.
  case dropped
  /// A step failed; the record stays as it is, to the bit, for a corrected history.
  case failed(SchemaError)
}

/// Upgrades nothing: records keep their versions.
public struct NoUpgrade: RecordUpgrader {
  /// Compaction for space only.
  public init() {}

  public func isStale(_ version: CollectionVersion) -> Bool { false }

  public func upgrade(_ record: StaleRecord, to payload: inout ByteWriter) -> UpgradeOutcome {
    payload.writeBytes(record.payload)
    return .upgraded(schemaVersion: record.schemaVersion)
  }
}
