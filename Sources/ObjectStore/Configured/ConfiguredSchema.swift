internal import LogStore
internal import SchemaRegistry

/// Finds the schema of a store that is opened by a configuration: what it holds, compared with the
/// models, and what the migration block asks for.
struct ConfiguredSchema {
  let configuration: Store.Configuration
  let catalog: SchemaCatalog
  /// Live objects by type and version.
  let records: [(version: CollectionVersion, totals: RecordTotals)]
  private let models: DeclaredModels
  private let version: SchemaVersion
  /// What indexes carry in place of a sum over a history's operations; the sums of the models,
  /// which the catalog has, say more.
  private static let fingerprint = ShapeFingerprint(high: 0, low: 0)

  init(
    _ configuration: Store.Configuration, catalog: SchemaCatalog,
    records: [(version: CollectionVersion, totals: RecordTotals)]
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
  var olderVersions: [SchemaVersion] { olderVersions { _ in true } }

  /// The same for the types that `schema` has: objects of others are left as they are.
  func olderVersions(in schema: SchemaShape) -> [SchemaVersion] {
    olderVersions { schema.type($0) != nil }
  }

  private func olderVersions(_ isWanted: (TypeIdentity) -> Bool) -> [SchemaVersion] {
    var versions = Set(
      records.filter { $0.totals.recordCount > 0 }
        .filter { catalog.identity(of: $0.version.collection).map(isWanted) ?? false }
        .map { SchemaVersion(rawValue: $0.version.schemaVersion) })
    if let highest = catalog.highestVersion { versions.insert(highest) }
    return versions.filter { $0 < version }.sorted()
  }

  /// The schema; `noted` gets what the block asked for, by the versions that it was called for.
  func schema(
    noting noted: inout [SchemaVersion: Migration]
  ) throws(StoreError) -> StoreSchema {
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
      let history = try history(from: shape, target: target, noting: &noted)
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
    let recorded = recordedModels(shape, histories)
    plan.outdated = outdatedIndexes(histories, recorded)
    var schema = StoreSchema(version: version, shape: shape, history: nil, indexes: plan)
    schema.inferred = histories
    schema.models = catalog.models[version, default: [:]].merging(recorded) { $0.merging($1) }
    return schema
  }

  private func history(
    from stored: SchemaShape, target: SchemaShape?, noting noted: inout [SchemaVersion: Migration]
  ) throws(StoreError) -> SchemaHistory {
    let newSchema = try StoreError.schema { () throws(SchemaError) in
      try models.schema(at: version)
    }
    let migration = Migration(
      oldSchema: stored, newSchema: newSchema, timing: configuration.migrationTiming)
    try run(migration, for: stored.version)
    noted[stored.version] = migration
    let notes = migration.notes
    let (catalog, revision) = (catalog, configuration.migrationRevision)
    let isEager = configuration.migrationTiming == .atOpen
    return try InferredHistory(
      stored: stored, models: models, version: version, notes: notes,
      step: { type, aliases in
        let bodies = notes.closures.filter { $0.type == type.name }.map(\.body)
        return MigrationStep(
          migration: migration, bodies: isEager ? [] : bodies, stored: type, aliases: aliases,
          target: newSchema.type(named: type.name) ?? type, revision: revision
        ).closure()
      },
      recorded: { type, member, wanted in
        catalog.recordedValue(of: member, in: type, as: wanted, after: stored.version)
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

  /// What the models mean to this build: their initial values, and how objects of each older
  /// version become current ones.
  private func recordedModels(
    _ shape: SchemaShape, _ histories: [SchemaVersion: SchemaHistory]
  ) -> [TypeIdentity: RecordedModel] {
    var recorded: [TypeIdentity: RecordedModel] = [:]
    for model in models.types {
      guard let type = shape.type(named: model.name) else { continue }
      var values: [MemberIdentity: Value] = [:]
      for member in type.members where member.name != type.keyMember {
        values[member.identity] = model.defaults[member.name]
      }
      recorded[type.identity] = RecordedModel(
        values: values,
        sums: histories.mapValues { $0.fingerprint(of: type.identity, through: version) })
    }
    return recorded
  }

  /// Indexes of another version hold what objects are now only when no object is older than they
  /// are, and when nothing changes what their member holds; those of this version, when older
  /// objects become what they are in the way that was recorded.
  private func outdatedIndexes(
    _ histories: [SchemaVersion: SchemaHistory], _ models: [TypeIdentity: RecordedModel]
  ) -> Set<CollectionIdentifier> {
    var outdated: Set<CollectionIdentifier> = []
    for index in catalog.indexes where index.phase != .retired {
      // One that was made under a history holds what that gave for older objects.
      let isInferred = index.fingerprint == Self.fingerprint
      if isInferred, index.version == version {
        let known = catalog.models[version]?[index.type]
        let isSame = histories.keys.allSatisfy { older in
          known == nil || known?.sums[older] == models[index.type]?.sums[older]
        }
        // Without models of the type, nobody asks the index.
        if isSame || models[index.type] == nil { continue }
        outdated.insert(index.collection)
        continue
      }
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
