public import LogStore
public import SchemaRegistry

/// What a store holds, as of its last commit.
public struct StoreStatistics: Sendable {
  /// The live objects of one type that were written under one schema version.
  public struct TypeTotals: Sendable {
    /// The type's name at the version it was written under.
    public let type: String
    /// The type, whatever its name at other versions; nothing where the catalog does not know it.
    package let identity: TypeIdentity?
    /// The collection of the type's objects.
    package let collection: CollectionIdentifier
    /// The schema version of the records.
    public let version: SchemaVersion
    /// Number and bytes of the records.
    public let totals: RecordTotals
  }

  /// Segments, sequences and bytes.
  public let log: LogStatistics
  /// Live objects by type and version, sorted.
  public let types: [TypeTotals]

  /// The oldest schema version that a live object has; steps up to it could be forgotten.
  public var oldestVersion: SchemaVersion? { types.map(\.version).min() }
  /// Live objects of all types.
  public var objectCount: UInt64 { types.reduce(0) { $0 + $1.totals.recordCount } }

  init(_ log: LogStatistics, catalog: SchemaCatalog) {
    self.log = log
    types = Self.types(log.liveByVersion, catalog)
  }

  static func types(
    _ live: [CollectionVersion: RecordTotals], _ catalog: SchemaCatalog
  ) -> [TypeTotals] {
    live
      .filter { key, _ in
        !key.collection.isReserved
          && !catalog.indexes.contains { $0.collection == key.collection }
      }
      .map { key, totals in
        let version = SchemaVersion(rawValue: key.schemaVersion)
        let identity = catalog.identity(of: key.collection)
        let name = identity.flatMap { catalog.shapes[version]?.type($0)?.name }
        return TypeTotals(
          type: name ?? "collection \(key.collection)", identity: identity,
          collection: key.collection, version: version, totals: totals)
      }
      .sorted { ($0.type, $0.version) < ($1.type, $1.version) }
  }
}
