internal import BinaryCoding
public import FileIO
internal import LogStore
public import SchemaRegistry

extension Store {
  /// Opens the store in the directory at `path` under the last version of `history`.
  ///
  /// The history is checked against the models and against what the store holds before any object
  /// is touched. No record of an object is read, no byte of an existing store changes, and it costs
  /// the same whatever the versions of the stored objects, unless the history has barriers that the
  /// store has not passed: these run now, see ``StoreConfiguration/Barriers``.
  /// - Throws: ``StoreError/schema(_:)`` when the history is invalid, does not reach the models, is
  ///   older than the store, or does not describe what is stored; ``StoreError/log(_:)`` when the
  ///   files cannot be opened.
  public static func open(
    at path: String, models: [any StorableObject.Type] = [], history: SchemaHistory,
    configuration: StoreConfiguration = StoreConfiguration(),
    fileSystem: any FileSystem = POSIXFileSystem()
  ) throws(StoreError) -> Store {
    try StoreError.schema { () throws(SchemaError) in try history.validate() }
    let told = configuration.log.observer.map { (observer: $0, edits: Lock(LedgerComparison())) }
    return try open(at: path, configuration, fileSystem) { (log, catalog) throws(StoreError) in
      let schema = try checkedSchema(
        history, models: models, log: log, catalog: catalog, configuration: configuration)
      if let told {
        tell(history.comparison(with: catalog.ledger), besides: told.edits, told.observer)
      }
      let bindings = try ModelBindings(models, schema: schema)
      // Before anything is done that the message would come too late for.
      try checkPolicies(configuration, schema.shape.types.map(\.name))
      let passed = try passBarriers(
        history, latest: schema.shape, log: log, catalog: catalog, configuration: configuration)
      return StoreReading.Decided(
        reader: UpgradingReader(schema: schema, catalog: passed), bindings: bindings)
    }
  }

  /// Tells `observer` of edits of a history, unless these were told when the store was opened or
  /// refreshed before.
  private static func tell(
    _ edits: LedgerComparison, besides told: Lock<LedgerComparison>,
    _ observer: any StoreObserver
  ) {
    let isNew = told.withLock { told in
      defer { told = edits }
      return told != edits && edits != LedgerComparison()
    }
    guard isNew else { return }
    observer.observe(.historyEdited(edited: edits.edited, revised: edits.revised))
  }

  /// Runs what has to run before the store can be used, and gives the catalog as it is then.
  private static func passBarriers(
    _ history: SchemaHistory, latest: SchemaShape, log: Log, catalog: SchemaCatalog,
    configuration: StoreConfiguration
  ) throws(StoreError) -> SchemaCatalog {
    let plan = BarrierPlan(history, catalog: catalog, log: log)
    guard !plan.barriers.isEmpty else { return catalog }
    guard configuration.log.access == .readWrite,
      plan.estimate.byteCount <= configuration.barriers.byteCountMaximum
    else { throw .barrierPending(plan.estimate) }
    var run = BarrierRun(
      log: log, history: history, latest: latest, plan: plan, catalog: catalog,
      progress: configuration.barriers.progress)
    try run.run()
    return run.catalog
  }

  /// Opens the store in the directory at `path` as it is stored, without the application's history.
  ///
  /// Every object is read in the shape of the version it was written under; what is written takes
  /// the highest stored version. For tools.
  /// - Parameter addedTypes: types that the store does not have yet, to be written at that version;
  ///   the version of their identities is replaced by it.
  public static func open(
    at path: String, adding addedTypes: [TypeShape] = [],
    configuration: StoreConfiguration = StoreConfiguration(),
    fileSystem: any FileSystem = POSIXFileSystem()
  ) throws(StoreError) -> Store {
    try open(at: path, configuration, fileSystem) { (log, catalog) throws(StoreError) in
      if configuration.log.access == .readWrite { try catalog.checkModelsAreDescribed() }
      let version = catalog.highestVersion ?? 0
      let shape = try StoreError.schema { () throws(SchemaError) in
        let stored = catalog.shapes[version]?.types ?? []
        let added = try addedTypes.map { (type) throws(SchemaError) in
          try type.introduced(in: version)
        }
        return try SchemaShape(version: version, types: stored + added)
      }
      var schema = StoreSchema(
        version: version, shape: shape, history: nil, indexes: IndexPlan(keeping: catalog))
      let stored = DeclaredShapes(catalog, records: log.sortedLive)
      for type in shape.types {
        schema.undeclared[type.identity] = stored.newestVersion(of: type.identity)
      }
      return StoreReading.Decided(
        reader: UpgradingReader(schema: schema, catalog: catalog),
        bindings: try ModelBindings([], schema: schema))
    }
  }

  private static func open(
    at path: String, _ configuration: StoreConfiguration, _ fileSystem: any FileSystem,
    _ decide: @escaping StoreReading.Deciding
  ) throws(StoreError) -> Store {
    try open(at: path, configuration, fileSystem, again: decide, first: decide)
  }

  /// Opens the log, and decides with `first` how its objects are read; with `again` later.
  static func open(
    at path: String, _ configuration: StoreConfiguration, _ fileSystem: any FileSystem,
    again: @escaping StoreReading.Deciding,
    first: (Log, SchemaCatalog) throws(StoreError) -> StoreReading.Decided
  ) throws(StoreError) -> Store {
    let signal = CompactionSignal()
    var logConfiguration = configuration.log
    logConfiguration.mayCompact = { signal.send() }
    let log = try StoreError.log { () throws(LogError) in
      try Log.open(at: path, configuration: logConfiguration, fileSystem: fileSystem)
    }
    do throws(StoreError) {
      let store = Store(
        log: log, reading: try StoreReading(log, again: again, first: first),
        configuration: configuration)
      try checkPolicies(configuration, store.schema.types.map(\.name))
      signal.connect(store.compaction)
      if let observer = configuration.log.observer {
        let incomplete = store.incompleteIndexes
        if !incomplete.isEmpty { observer.observe(.indexesIncomplete(incomplete)) }
        store.tellUndescribed(observer)
      }
      return store
    } catch {
      // Nothing was written, so closing only gives the lock back.
      do throws(LogError) { try log.close() } catch {}
      throw error
    }
  }

  /// Throws, in builds for debugging, when a policy is for a type that nothing has.
  static func checkPolicies(
    _ configuration: StoreConfiguration, _ names: [String]
  ) throws(StoreError) {
    guard configuration.checksPurity else { return }
    let known = Set(names)
    let unknown = configuration.failurePolicies.keys.filter { !known.contains($0) }.sorted()
    guard !unknown.isEmpty else { return }
    throw .conflictingSettings(
      "failurePolicies names \(unknown.joined(separator: ", ")), and neither the models nor the "
        + "store have such a type; give the names that types have now: "
        + known.sorted().joined(separator: ", "))
  }

  private static func checkedSchema(
    _ history: SchemaHistory, models: [any StorableObject.Type], log: Log, catalog: SchemaCatalog,
    configuration: StoreConfiguration
  ) throws(StoreError) -> StoreSchema {
    // A model that links to one of them makes an object of it.
    for model in models { try model.checkStorableMembers() }
    try catalog.checkModelsAreDescribed()
    let version = history.latestVersion
    let latest = try StoreError.schema { () throws(SchemaError) in
      try history.shape(at: version)
    }
    var counts: [RecordCount] = []
    for (key, totals) in log.sortedLive {
      guard let identity = catalog.identity(of: key.collection) else { continue }
      counts.append(
        RecordCount(
          type: identity, version: SchemaVersion(rawValue: key.schemaVersion),
          count: totals.recordCount))
    }
    let orders = try models.map { model throws(StoreError) in
      try declaredType(model, in: latest)
    }
    let links = try ShapeVisitor.links(of: models)
    try StoreError.schema { () throws(SchemaError) in
      try HistoryCheck.checkLinks(links, history, at: version)
      let others = latest.types.filter { type in !orders.contains { $0.name == type.name } }
      let declared = try SchemaShape(version: version, types: orders + others)
      _ = try HistoryCheck.check(
        history, storedShapes: catalog.shapes, records: counts, requested: version,
        ledger: configuration.editedHistory == .refused ? catalog.ledger : SortedTable(),
        declared: declared, allowingNewer: configuration.newerStore == .projected)
      try HistoryCheck.checkBarriers(
        history, records: counts, requested: version, ledger: catalog.ledger)
    }
    try checkCases(of: models, history, at: version)
    let shape = try StoreError.schema { () throws(SchemaError) in
      try current(latest, models: orders, catalog: catalog, history: history)
    }
    let newer = NewerVersions(catalog, than: version)
    var schema = StoreSchema(
      version: version, shape: shape, history: history,
      indexes: try IndexPlan(
        models: models, shape: shape, history: history, catalog: catalog, newer: newer))
    schema.newer = newer
    if newer != nil { schema.undeclared = newerTypes(of: shape, catalog, history) }
    schema.caseRules = try StoreError.schema { () throws(SchemaError) in
      try history.caseRules(at: version)
    }
    schema.checksPurity = configuration.checksPurity
    schema.failurePolicies = configuration.failurePolicies
    schema.slowUpgrades = SlowUpgradeReports(configuration)
    return schema
  }

  /// The types that only newer apps have, with the version whose shape they have: under the number
  /// of this one, those apps could not read what is written of them.
  private static func newerTypes(
    of shape: SchemaShape, _ catalog: SchemaCatalog, _ history: SchemaHistory
  ) -> [TypeIdentity: SchemaVersion] {
    var versions: [TypeIdentity: SchemaVersion] = [:]
    for type in shape.types where !history.knows(type.identity) {
      guard let newest = catalog.newestVersion(of: type.identity), newest > shape.version else {
        continue
      }
      versions[type.identity] = newest
    }
    return versions
  }

  /// Compares the cases of enumerations with the history's; asks none where it declares none.
  private static func checkCases(
    of models: [any StorableObject.Type], _ history: SchemaHistory, at version: SchemaVersion
  ) throws(StoreError) {
    let known = try StoreError.schema { () throws(SchemaError) in try history.cases(at: version) }
    guard !known.isEmpty else { return }
    let declared = try ShapeVisitor.cases(of: models)
    try StoreError.schema { () throws(SchemaError) in
      try HistoryCheck.checkCases(declared, history, at: version)
    }
  }

  /// What the model declares, with the identities that the history gives its type and members.
  private static func declaredType<Model: StorableObject>(
    _ model: Model.Type, in latest: SchemaShape
  ) throws(StoreError) -> TypeShape {
    let known = latest.type(named: model.typeName)
    let members = try ShapeVisitor.members(of: model).map { name, type in
      MemberShape(
        name: name, type: type,
        identity: known?.members.first { $0.name == name }?.identity
          ?? MemberIdentity(introducedIn: latest.version, originalName: name))
    }
    return try StoreError.schema { () throws(SchemaError) in
      try TypeShape(
        name: model.typeName,
        identity: known?.identity
          ?? TypeIdentity(introducedIn: latest.version, originalName: model.typeName),
        keyMember: model.primaryKey, members: members)
    }
  }

  /// The latest shape with the member order that records of it have or will have: the stored one
  /// where the version wrote to the store before, else the models', else the history's.
  ///
  /// Types that the history never had are kept as they were last written (R28), so that a tool or
  /// an app which knows a part of the store cannot make the rest unreadable. Those that it removed
  /// stay gone (R29).
  private static func current(
    _ latest: SchemaShape, models: [TypeShape], catalog: SchemaCatalog, history: SchemaHistory
  ) throws(SchemaError) -> SchemaShape {
    let stored = catalog.shapes[latest.version]
    let types = latest.types.map { type in
      if let known = stored?.type(type.identity) { return known }
      return models.first { $0.identity == type.identity } ?? type
    }
    let written = catalog.collections.keys.compactMap { catalog.newestShape(of: $0) }
    // So are types that the version described before any object of them was written.
    let foreign = written + (stored?.types ?? [])
    return try SchemaShape(
      version: latest.version, types: history.adding(foreign: foreign, to: types))
  }
}

extension SchemaHistory {
  /// `types` with those of `others` that no version ever had and whose names are free.
  func adding(foreign others: [TypeShape], to types: [TypeShape]) -> [TypeShape] {
    others.reduce(into: types) { types, other in
      guard isForeign(other.identity), !types.contains(where: { $0.name == other.name }) else {
        return
      }
      types.append(other)
    }
  }
}
