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
  let version: SchemaVersion
  let stored: DeclaredShapes
  /// The newest declaration of each type that the store has and the models declare, by name.
  let newest: [String: (version: SchemaVersion, type: TypeShape)]
  /// Those types: what is older of them is migrated, and of no others.
  let types: Set<TypeIdentity>
  /// What indexes carry in place of a sum over a history's operations; the sums of the models,
  /// which the catalog has, say more.
  private static let fingerprint = ShapeFingerprint(high: 0, low: 0)

  init(
    _ configuration: Store.Configuration, catalog: SchemaCatalog,
    records: [(version: CollectionVersion, totals: RecordTotals)]
  ) throws(StoreError) {
    try catalog.checkModelsAreDescribed()
    self.configuration = configuration
    self.catalog = catalog
    self.records = records
    let models = try DeclaredModels(configuration.models)
    let stored = DeclaredShapes(catalog, records: records)
    newest = Dictionary(
      models.types.compactMap { model in stored.newest(model.name).map { (model.name, $0) } },
      uniquingKeysWith: { first, _ in first })
    types = Set(newest.values.map(\.type.identity))
    self.models = models
    self.stored = stored
    version = SchemaVersion(rawValue: configuration.schemaVersion)
    guard version != .reserved else { throw .schema(.reservedVersion) }
  }

  var declared: DeclaredModels { models }

  /// How the models differ from what was declared under their version.
  func differences() throws(SchemaError) -> [SchemaDifference] {
    let known = try SchemaShape(version: version, types: stored.types(at: version) ?? [])
    return known.differences(to: try models.schema(at: version), ignoringIdentities: true)
  }

  /// The versions that objects of the models have.
  private var liveVersions: Set<SchemaVersion> {
    Set(
      records.filter { $0.totals.recordCount > 0 }
        .filter { catalog.identity(of: $0.version.collection).map(types.contains) ?? false }
        .map { SchemaVersion(rawValue: $0.version.schemaVersion) })
  }

  /// Whether objects of the models are older than they are.
  var hasOlderObjects: Bool { liveVersions.contains { $0 < version } }

  /// The older versions that objects of the models have, and those that declared one of the types
  /// last, ascending; also the newest of the store, where it has none of the types, or where blocks
  /// run at open: these look at objects of types outside the models, too, and delete them.
  ///
  /// A later build asks the block of those that declared its types before, behind the oldest that
  /// objects have, as the first one did, so that what it brings back does not depend on which; what
  /// only other apps declared it does not know.
  var olderVersions: [SchemaVersion] {
    var versions = liveVersions
    if let oldest = versions.min() {
      versions.formUnion(
        types.compactMap { stored.newestVersion(of: $0, before: version) }.filter { $0 > oldest })
    }
    let seesAll = types.isEmpty || configuration.migrationTiming == .atOpen
    if seesAll, let highest = catalog.highestVersion { versions.insert(highest) }
    versions.formUnion(newest.values.map(\.version))
    return versions.filter { $0 < version }.sorted()
  }

  /// Refuses a store to which a newer version wrote.
  func checkVersion() throws(StoreError) {
    guard let highest = catalog.highestVersion, highest > version else { return }
    throw .schema(.storeIsNewer(stored: highest, requested: version))
  }

  /// The schema; `noted` gets what the block asked for, by the versions that it was called for.
  func schema(
    noting noted: inout [SchemaVersion: Migration]
  ) throws(StoreError) -> StoreSchema {
    try checkVersion()
    try checkHistories()
    let declared = try StoreError.schema { () throws(SchemaError) in
      try models.schema(at: version)
    }
    let differences = try StoreError.schema { () throws(SchemaError) in
      try self.differences()
    }
    guard differences.isEmpty else {
      throw .modelsChanged(version: version, differences: models.naming(differences))
    }
    let found = try inferred(declared, noting: &noted)
    let histories = found.histories
    let shape = try self.shape(found.target, declared)
    var plan = try IndexPlan(models: configuration.models, shape: shape) { _ in Self.fingerprint }
    let recorded = recordedModels(shape, found)
    plan.outdated = outdatedIndexes(histories, recorded)
    var schema = StoreSchema(version: version, shape: shape, history: nil, indexes: plan)
    schema.inferred = histories
    schema.models = catalog.models[version, default: [:]].merging(recorded) { $0.merging($1) }
    for type in shape.types where recorded[type.identity] == nil {
      schema.undeclared[type.identity] = stored.newestVersion(of: type.identity)
    }
    return schema
  }

  /// How objects are read under it; see ``schema(noting:)``.
  func reading(
    noting noted: inout [SchemaVersion: Migration], _ slowUpgrades: SlowUpgradeReports?
  ) throws(StoreError) -> StoreReading.Decided {
    var schema = try schema(noting: &noted)
    schema.slowUpgrades = slowUpgrades
    // At open nothing may fail and be written in another form all the same.
    if configuration.migrationTiming == .onRead {
      schema.failurePolicies = configuration.settings.failurePolicies
    }
    return StoreReading.Decided(
      reader: UpgradingReader(schema: schema, catalog: catalog),
      bindings: try ModelBindings(configuration.models, schema: schema))
  }

  /// The types that the models mean, those of the models that are new to the store, and what it has
  /// besides as that was last.
  private func shape(
    _ types: [TypeShape], _ declared: SchemaShape
  ) throws(StoreError) -> SchemaShape {
    var types = types
    let highest = catalog.highestVersion.flatMap { catalog.shapes[$0] }
    for other in declared.types + (highest?.types ?? [])
    where !types.contains(where: { $0.name == other.name || $0.identity == other.identity }) {
      types.append(other)
    }
    return try StoreError.schema { () throws(SchemaError) in
      try SchemaShape(version: version, types: types)
    }
  }

  func inferred(
    from stored: SchemaShape, _ lineages: @escaping (TypeIdentity) -> MemberLineages,
    noting noted: inout [SchemaVersion: Migration]
  ) throws(StoreError) -> (
    history: SchemaHistory, found: [TypeIdentity: InferredOperations]
  ) {
    let newSchema = try StoreError.schema { () throws(SchemaError) in
      try models.schema(at: version)
    }
    // Once is enough, however often the rest is inferred.
    let known = noted[stored.version]
    let migration = known ?? migration(from: stored, to: newSchema)
    if known == nil { try run(migration, for: stored.version) }
    noted[stored.version] = migration
    let notes = migration.notes
    let (catalog, configuration) = (catalog, configuration)
    let memberTypes = models.memberTypes
    let isEager = configuration.migrationTiming == .atOpen
    let storedTypes = self.stored.types(at: stored.version) ?? []
    return try InferredHistory(
      stored: stored, known: storedTypes.filter { types.contains($0.identity) }, models: models,
      version: version, notes: notes,
      earlier: catalog.shapes.values.filter { $0.version < stored.version },
      later: catalog.shapes.values.filter { $0.version > stored.version },
      laterRenames: { [noted] shape, type in
        if let known = noted[shape.version] { return known.notes.renames(of: type) }
        return renames(of: type, for: shape, to: newSchema)
      },
      lineages: lineages,
      formerNames: { type in catalog.models[stored.version]?[type]?.lineage?.formerNames },
      isEager: isEager, checksNames: configuration.settings.checksPurity,
      isKnown: { type, member in
        catalog.shapes.values.contains { $0.type(named: type)?.index(ofMember: member) != nil }
      },
      step: { type, aliases, needed in
        migration.note(needed, aliases, of: type.name)
        let bodies = notes.closures.filter { $0.type == type.name }.map(\.body)
        return MigrationStep(
          migration: migration, bodies: isEager ? [] : bodies, stored: type, aliases: aliases,
          target: newSchema.type(named: type.name) ?? type,
          memberTypes: memberTypes[type.name] ?? .unknown,
          revision: configuration.migrationRevision, needed: needed,
          checksPurity: configuration.settings.checksPurity
        ).closure()
      },
      recorded: { type, members, wanted, isForNil, initial in
        catalog.recordedValue(
          of: members, in: type, as: wanted, after: stored.version, isForNil: isForNil, initial)
      },
      recordedInside: { type, members, wanted in
        catalog.addedInside(members, of: type, as: wanted, after: stored.version)
      }
    ).inferred()
  }

  /// What the block is given for a version.
  func migration(from stored: SchemaShape, to newSchema: SchemaShape) -> Migration {
    let types = catalog.shapes.values.flatMap(\.types).map(\.name) + models.types.map(\.name)
    return Migration(
      oldSchema: stored, newSchema: newSchema, timing: configuration.migrationTiming,
      knownTypes: Set(types), checksNames: configuration.settings.checksPurity)
  }

  /// What the block renames in a type of an older version, whether it has objects or not.
  private func renames(
    of type: String, for shape: SchemaShape, to newSchema: SchemaShape
  ) -> [(from: String, to: String)]? {
    guard shape.version < version else { return nil }
    let migration = migration(from: shape, to: newSchema)
    do throws(StoreError) { try run(migration, for: shape.version) } catch { return nil }
    return migration.notes.renames(of: type)
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

  /// The types with their members in the order of the models, so that objects need no detour.
  func ordered(
    _ types: [TypeShape], _ declared: SchemaShape
  ) throws(SchemaError) -> [TypeShape] {
    try types.map { (type) throws(SchemaError) in
      guard let model = declared.type(named: type.name) else { return type }
      return try TypeShape(
        name: type.name, identity: type.identity, keyMember: type.keyMember,
        members: model.members.map { member in
          MemberShape(
            name: member.name, type: member.type,
            identity: type.members.first { $0.name == member.name }?.identity
              ?? member.identity)
        })
    }
  }

  /// Indexes of another version hold what objects are now only when no object is older than they
  /// are, and when nothing changes what their member holds; those of this version, when older
  /// objects become what they are in the way that was recorded.
  private func outdatedIndexes(
    _ histories: [SchemaVersion: SchemaHistory], _ models: [TypeIdentity: RecordedModel]
  ) -> Set<CollectionIdentifier> {
    var outdated: Set<CollectionIdentifier> = []
    for index in catalog.indexes where index.phase != .retired {
      // Objects of other types are read as they were written, and may be else for who has models.
      guard models[index.type] != nil else {
        outdated.insert(index.collection)
        continue
      }
      // One that was made under a history holds what that gave for older objects.
      let isInferred = index.fingerprint == Self.fingerprint
      if isInferred, index.version == version {
        let known = catalog.models[version]?[index.type]
        let isSame = histories.keys.allSatisfy { older in
          known == nil || known?.sums[older] == models[index.type]?.sums[older]
        }
        if !isSame { outdated.insert(index.collection) }
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
