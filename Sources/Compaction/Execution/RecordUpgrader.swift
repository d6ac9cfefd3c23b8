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
  /// Never throws: a step that fails is an outcome, and its record is kept as it is.
  func upgrade(_ record: StaleRecord) -> UpgradeOutcome
}

extension RecordUpgrader {
  /// Whether records of that version go through the upgrader; what a store knows
  /// of itself does not.
  func upgrades(_ version: CollectionVersion) -> Bool {
    !version.collection.isReserved && isStale(version)
  }
}

/// A record that was written under an old schema version.
public struct StaleRecord: Sendable {
  /// Where the record belongs.
  public let collection: CollectionIdentifier
  /// Its key, as bytes.
  public let key: [UInt8]
  /// The version it was written under.
  public let schemaVersion: UInt64
  /// When it was committed.
  public let commitTime: CommitTime
  /// Its payload in the shape of that version.
  public let payload: [UInt8]

  /// A record made of its parts.
  public init(
    collection: CollectionIdentifier, key: [UInt8], schemaVersion: UInt64, commitTime: CommitTime,
    payload: [UInt8]
  ) {
    self.collection = collection
    self.key = key
    self.schemaVersion = schemaVersion
    self.commitTime = commitTime
    self.payload = payload
  }
}

extension StaleRecord {
  /// A record that a rewrite lends, with its payload decompressed.
  init(_ record: LentRecord, payload: [UInt8]) {
    self.init(
      collection: record.collection, key: [UInt8](record.key),
      schemaVersion: record.schemaVersion, commitTime: record.commitTime, payload: payload)
  }

  /// A record that a rewrite met, with its payload decompressed.
  init(_ record: RewriteRecord, payload: [UInt8]) {
    self.init(
      collection: record.collection, key: record.key, schemaVersion: record.schemaVersion,
      commitTime: record.commitTime, payload: payload)
  }
}

/// What becomes of a record that compaction wants to upgrade.
public enum UpgradeOutcome: Sendable {
  /// It is written in its new form.
  case upgraded(schemaVersion: UInt64, payload: [UInt8])
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

  public func upgrade(_ record: StaleRecord) -> UpgradeOutcome {
    .upgraded(schemaVersion: record.schemaVersion, payload: record.payload)
  }
}
