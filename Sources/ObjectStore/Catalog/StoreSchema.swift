internal import LogStore
internal import SchemaRegistry

/// The schema that an open store works with: its current shape, and how to get there.
struct StoreSchema: Sendable {
  /// The version that is written.
  let version: SchemaVersion
  /// The shape of that version, with the member order that its records have.
  let shape: SchemaShape
  /// The steps to it; nothing when the store was opened as it is stored.
  let history: SchemaHistory?
  /// The steps from each older version, when they were inferred from the models; else nothing.
  var inferred: [SchemaVersion: SchemaHistory]?
  /// Which indexes there shall be.
  var indexes = IndexPlan()
  /// What the store records of the models when this version first writes to it, by type; nothing
  /// for stores with a history.
  var models: [TypeIdentity: RecordedModel] = [:]
  /// Types that no model of a configuration declares, and those that only newer apps have, with the
  /// version that declared them last: their objects are read as they are, never upgraded, and
  /// written under that version.
  var undeclared: [TypeIdentity: SchemaVersion] = [:]
  /// What the store records when this version first writes to it; nothing for what the history
  /// says.
  private let additions: [SchemaVersion: RecordedVersion]?

  /// The types whose objects transactions write when they read them in an older version.
  let materialisedTypes: Set<TypeIdentity>
  /// Whether the history begins where additions did: objects from before were not touched since,
  /// and are read as of its first version.
  var isAdditive = false
  /// What members of stored types have where nobody said it, in stores that grow by additions.
  var defaults: [TypeIdentity: [MemberIdentity: RecordedDefault]] = [:]
  /// Whether closures run twice and must give the same both times.
  var checksPurity = false
  /// Who is told of slow upgrades; nothing when nobody is.
  var slowUpgrades: SlowUpgradeReports?
  /// What a store that is newer than the app allows; nothing for one that is not.
  var newer: NewerVersions?
  /// The cases that the history declares, for objects that no model writes.
  var caseRules: [TypeIdentity: CaseRules] = [:]
  /// What readers get for objects whose upgrade fails, by type.
  var failurePolicies: [String: FailurePolicy] = [:]

  /// The same for trying steps: their failures are what is asked for.
  func checkingPurity() -> StoreSchema {
    var copy = self
    copy.checksPurity = true
    return copy
  }

  init(
    version: SchemaVersion, shape: SchemaShape, history: SchemaHistory?,
    indexes: IndexPlan = IndexPlan(), ledger: [SchemaVersion: RecordedVersion]? = nil
  ) {
    self.version = version
    self.shape = shape
    self.history = history
    self.indexes = indexes
    materialisedTypes = history?.materialisedTypes ?? []
    additions = ledger
  }

  /// What the store records of the history when this version first writes to it: nobody who only
  /// reads waits for it.
  var ledger: [SchemaVersion: RecordedVersion] {
    additions ?? history?.ledger(through: version) ?? [:]
  }

  /// Whether the catalog says all that it shall say once this version has written.
  func isDescribed(in catalog: SchemaCatalog) -> Bool {
    catalog.shapes[version] == shape(describedIn: catalog)
      && indexes.adopted(by: catalog) == catalog.indexes
      && (!recordsModels || models == catalog.models[version])
  }

  /// The shape that describes the version in `catalog`. A type that has been described there, of
  /// which there may be objects, stays although the history does not have it any more.
  func shape(describedIn catalog: SchemaCatalog) -> SchemaShape {
    guard let stored = catalog.shapes[version], stored != shape else { return shape }
    let kept = stored.types.filter { type in
      shape.type(type.identity) == nil && shape.type(named: type.name) == nil
        && catalog.collections[type.identity] != nil
    }
    if kept.isEmpty { return shape }
    // Too many types are left to those who say so.
    return (try? SchemaShape(version: version, types: shape.types + kept)) ?? shape
  }

  /// Whether the store records the models, also when there are none: whoever comes next must know
  /// what was not declared.
  var recordsModels: Bool { inferred != nil }

  /// Whether records of older versions are upgraded at all.
  var upgrades: Bool { history != nil || inferred != nil }

  /// The steps for records of `version`; nothing when they are left as they are.
  func history(from version: SchemaVersion) -> SchemaHistory? { inferred?[version] ?? history }

  /// The type of that name, for reading and writing.
  func type(_ name: String) throws(StoreError) -> TypeShape {
    guard let type = shape.type(named: name) else {
      throw .schema(.unknownType(type: name, version: version))
    }
    return type
  }
}
