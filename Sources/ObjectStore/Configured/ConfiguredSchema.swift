internal import LogStore
internal import SchemaRegistry

/// Finds the schema of a store that is opened by a configuration: what it holds, compared with the
/// models, and what the migration block asks for.
struct ConfiguredSchema {
  let configuration: Store.Configuration
  let catalog: SchemaCatalog
  /// Live objects by type and version.
  let records: [CollectionVersion: RecordTotals]
  private let models: DeclaredModels
  private let version: SchemaVersion
  /// What indexes carry in place of a sum over a history's operations.
  private static let fingerprint = ShapeFingerprint(high: 0, low: 0)

  init(
    _ configuration: Store.Configuration, catalog: SchemaCatalog,
    records: [CollectionVersion: RecordTotals]
  ) throws(StoreError) {
    self.configuration = configuration
    self.catalog = catalog
    self.records = records
    models = try DeclaredModels(configuration.models)
    version = SchemaVersion(rawValue: configuration.schemaVersion)
    guard version != .reserved else { throw .schema(.reservedVersion) }
  }

  var declared: DeclaredModels { models }

  /// Whether stored objects are not what the models say, or of an older version.
  var needsMigration: Bool {
    guard let highest = catalog.highestVersion else { return false }
    guard highest == version, let stored = catalog.shapes[highest],
      let wanted = try? models.schema(at: version)
    else { return true }
    return !stored.differences(to: wanted, ignoringIdentities: true).isEmpty
  }

  /// The older versions that objects have, and the newest one of the store, ascending.
  var olderVersions: [SchemaVersion] {
    var versions = Set(
      records.filter { $0.value.recordCount > 0 }
        .filter { catalog.identity(of: $0.key.collection) != nil }
        .map { SchemaVersion(rawValue: $0.key.schemaVersion) })
    if let highest = catalog.highestVersion { versions.insert(highest) }
    return versions.filter { $0 < version }.sorted()
  }

  func schema() throws(StoreError) -> StoreSchema {
    let highest = catalog.highestVersion ?? version
    guard highest <= version else {
      throw .schema(.storeIsNewer(stored: highest, requested: version))
    }
    let declared = try StoreError.schema { () throws(SchemaError) in
      try models.schema(at: version)
    }
    if let stored = catalog.shapes[version] {
      let differences = stored.differences(to: declared, ignoringIdentities: true)
      guard differences.isEmpty else {
        throw .schema(.schemaMismatch(version: version, differences: differences))
      }
    }
    var histories: [SchemaVersion: SchemaHistory] = [:]
    var target = try catalog.shapes[version].map { (stored) throws(StoreError) in
      try merged(stored, declared)
    }
    // The newest version first: it says which members the current ones are.
    for stored in olderVersions.reversed() {
      guard let shape = catalog.shapes[stored] else {
        throw .malformedCatalog(reason: "it does not describe version \(stored)")
      }
      let history = try history(from: shape, target: target)
      histories[stored] = history
      if target == nil {
        let reached = try StoreError.schema { () throws(SchemaError) in
          try history.shape(at: version)
        }
        target = try ordered(reached, declared)
      }
    }
    let shape = target ?? declared
    var plan = try IndexPlan(models: configuration.models, shape: shape) { _ in Self.fingerprint }
    plan.outdated = outdatedIndexes(histories)
    var schema = StoreSchema(version: version, shape: shape, history: nil, indexes: plan)
    schema.inferred = histories
    return schema
  }

  private func history(
    from stored: SchemaShape, target: SchemaShape?
  ) throws(StoreError) -> SchemaHistory {
    let newSchema = try StoreError.schema { () throws(SchemaError) in
      try models.schema(at: version)
    }
    let migration = Migration(
      oldSchema: stored, newSchema: newSchema, timing: configuration.migrationTiming)
    try run(migration, for: stored.version)
    let notes = migration.notes
    let isEager = configuration.migrationTiming == .atOpen
    return try InferredHistory(
      stored: stored, models: models, version: version, notes: notes,
      step: { type, aliases in
        let bodies = notes.closures.filter { $0.type == type.name }.map(\.body)
        return MigrationStep(
          migration: migration, bodies: isEager ? [] : bodies, stored: type, aliases: aliases,
          target: newSchema.type(named: type.name) ?? type
        ).closure()
      }, target: target
    ).history()
  }

  /// Calls the block and throws what was wrong with it.
  func run(_ migration: Migration, for version: SchemaVersion) throws(StoreError) {
    guard let block = configuration.migrationBlock else { return }
    do {
      try block(migration, version.rawValue)
    } catch {
      throw error as? StoreError ?? .migrationBlockFailed(fromVersion: version, reason: "\(error)")
    }
    if let fault = migration.notes.fault { throw fault }
  }

  /// The stored shape of the current version, and the models that it does not have yet.
  private func merged(
    _ stored: SchemaShape, _ declared: SchemaShape
  ) throws(StoreError) -> SchemaShape {
    try StoreError.schema { () throws(SchemaError) in
      try SchemaShape(
        version: version,
        types: stored.types + declared.types.filter { stored.type(named: $0.name) == nil })
    }
  }

  /// The shape with its members in the order of the models, so that objects need no detour.
  private func ordered(
    _ shape: SchemaShape, _ declared: SchemaShape
  ) throws(StoreError) -> SchemaShape {
    try StoreError.schema { () throws(SchemaError) in
      try SchemaShape(
        version: version,
        types: shape.types.map { (type) throws(SchemaError) in
          guard let model = declared.type(named: type.name) else { return type }
          return try TypeShape(
            name: type.name, identity: type.identity, keyMember: type.keyMember,
            members: model.members.map { member in
              MemberShape(
                name: member.name, type: member.type,
                identity: type.members.first { $0.name == member.name }?.identity
                  ?? member.identity)
            })
        })
    }
  }

  /// Indexes of another version hold what objects are now only when no object is older than they
  /// are, and when nothing changes what their member holds.
  private func outdatedIndexes(
    _ histories: [SchemaVersion: SchemaHistory]
  ) -> Set<CollectionIdentifier> {
    var outdated: Set<CollectionIdentifier> = []
    for index in catalog.indexes where index.phase != .retired {
      // One that was made under a history holds what that gave for older objects.
      let isInferred = index.fingerprint == Self.fingerprint
      if isInferred, index.version == version { continue }
      let isKept =
        isInferred
        && olderVersions.allSatisfy { older in
          guard older >= index.version, let history = histories[older] else { return false }
          return !history.changesValues(
            of: index.member, in: index.type, after: older, through: version)
        }
      if !isKept { outdated.insert(index.collection) }
    }
    return outdated
  }
}
