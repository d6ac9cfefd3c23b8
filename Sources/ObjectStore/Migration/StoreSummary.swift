public import SchemaRegistry

/// What can be said of a store without its history and without reading an object.
public struct StoreSummary: Sendable {
  /// The highest version that wrote to it, by which opening decides what is still to be run;
  /// nothing when none did.
  public let version: SchemaVersion?
  /// The shapes of the versions that wrote to it.
  public let schemas: [SchemaVersion: SchemaShape]
  /// What it recorded of the history's operations.
  public let ledger: [SchemaVersion: RecordedVersion]
  /// Live objects by type and version, and the segments that hold them.
  public let statistics: StoreStatistics

  /// The oldest version that a live object has: no step up to it is needed for this store any more.
  ///
  /// Before it is taken out of the app, ask the same of backups that may be restored.
  public var floor: SchemaVersion? { statistics.oldestVersion ?? version }

  init(_ store: Store) throws(StoreError) {
    schemas = store.storedSchemas
    version = store.reader.catalog.highestVersion(with: store.log)
    ledger = store.ledger
    statistics = try store.statistics()
  }
}
