internal import LogStore
internal import SchemaRegistry

/// Finds the schema of a store that only grows: everything that any model ever added to it.
///
/// 1. Every version of such a store adds to the one before; the ledger has the values that older
///    objects have for what it added.
/// 2. So the history is read out of the catalog, from the oldest version that an object has.
/// 3. The models may add to the newest version, which makes one more; it is written with the first
///    object that needs it.
struct AdditiveSchema {
  let catalog: SchemaCatalog
  /// Live objects by type and version.
  let records: [(version: CollectionVersion, totals: RecordTotals)]
  let models: [any StorableObject.Type]
  private let declared: DeclaredModels

  /// What indexes carry in place of a sum over a history's operations: additions change no value.
  private static let fingerprint = ShapeFingerprint(high: 0, low: 1)

  /// What one version added.
  private struct Growth {
    var changes: [SchemaChange] = []
    var defaults: [MemberDefault] = []
    var embeddedDefaults: [MemberDefault] = []
    var innerDefaults: [InnerDefault] = []

    /// Notes what a new type has.
    mutating func note(_ type: TypeShape, _ model: DeclaredModels.Declared) {
      defaults += AdditiveSchema.defaults(of: type, model)
      innerDefaults += type.members.flatMap {
        AdditiveSchema.innerDefaults(of: $0, in: type, model)
      }
    }
  }

  init(
    _ models: [any StorableObject.Type], catalog: SchemaCatalog,
    records: [(version: CollectionVersion, totals: RecordTotals)]
  ) throws(StoreError) {
    self.models = models
    self.catalog = catalog
    self.records = records
    declared = try DeclaredModels(models)
  }

  func schema() throws(StoreError) -> StoreSchema {
    try catalog.checkModelsAreDescribed()
    guard let newest = catalog.highestVersion, let stored = catalog.shapes[newest] else {
      let shape = try StoreError.schema { () throws(SchemaError) in
        try declared.schema(at: 0)
      }
      let history = SchemaHistory(base: Base(version: 0, types: shape.types.map { Type($0) }))
      var growth = Growth()
      for (model, type) in zip(declared.types, shape.types) { growth.note(type, model) }
      return try schema(shape, history, growth)
    }
    try checkDescribed(through: newest)
    let next = SchemaVersion(newest.rawValue + 1)
    let growth = try growth(of: stored, in: next)
    let first = try firstVersion(newest)
    var versions: [Version] = []
    var version = first
    while version < newest {
      version = SchemaVersion(version.rawValue + 1)
      versions.append(try recorded(version))
    }
    if !growth.changes.isEmpty { versions.append(Version(number: next, changes: growth.changes)) }
    let base = Base(
      version: first, types: (catalog.shapes[first] ?? stored).types.map { Type($0) },
      fingerprint: catalog.ledger[first]?.fingerprint)
    let history = SchemaHistory(base: base, versions: versions)
    let shape = try StoreError.schema { () throws(SchemaError) in
      growth.changes.isEmpty ? stored : try history.shape(at: next)
    }
    return try schema(shape, history, growth)
  }

  private func schema(
    _ shape: SchemaShape, _ history: SchemaHistory, _ growth: Growth
  ) throws(StoreError) -> StoreSchema {
    try StoreError.schema { () throws(SchemaError) in try history.validate() }
    var ledger: [SchemaVersion: RecordedVersion] = [:]
    if catalog.shapes[shape.version] == nil {
      ledger[shape.version] = RecordedVersion(
        version: shape.version,
        fingerprint: try StoreError.schema { () throws(SchemaError) in
          try history.fingerprint(at: shape.version)
        },
        operations: history.ledger(through: shape.version)[shape.version]?.operations ?? [],
        defaults: growth.defaults, embeddedDefaults: growth.embeddedDefaults,
        innerDefaults: growth.innerDefaults)
    }
    var schema = StoreSchema(
      version: shape.version, shape: shape, history: history, indexes: try indexes(shape),
      ledger: ledger)
    schema.isAdditive = true
    schema.defaults = try recordedDefaults(of: shape, with: ledger[shape.version])
    return schema
  }

  /// The indexes of all apps: one that these models do not declare is kept up, and stays unique.
  private func indexes(_ shape: SchemaShape) throws(StoreError) -> IndexPlan {
    var plan = try IndexPlan(models: models, shape: shape) { _ in Self.fingerprint }
    for index in catalog.indexes where index.phase != .retired {
      if index.fingerprint != Self.fingerprint { plan.outdated.insert(index.collection) }
      let known = plan.declared.firstIndex {
        $0.type == index.type && $0.member == index.member
      }
      let own = known.map { plan.declared[$0] }
      let isOfElements = own?.isOfElements ?? index.isOfElements
      let kept = IndexPlan.Declared(
        type: index.type, member: index.member,
        isUnique: !isOfElements && (index.isUnique || own?.isUnique == true),
        isOfElements: isOfElements, fingerprint: Self.fingerprint)
      if let known { plan.declared[known] = kept } else { plan.declared.append(kept) }
    }
    return plan
  }

  /// Refuses objects of a version that nothing describes any more, as a salvage may leave them: its
  /// number would be given to what these models add, and the objects be read as that.
  private func checkDescribed(through newest: SchemaVersion) throws(StoreError) {
    let lost = records.first { key, totals in
      totals.recordCount > 0 && SchemaVersion(key.schemaVersion) > newest
        && catalog.identity(of: key.collection) != nil
    }
    guard let lost else { return }
    throw .malformedCatalog(
      reason: "there are \(lost.totals.recordCount) objects of version "
        + "\(lost.version.schemaVersion), which it does not describe")
  }

  /// The version to begin with: the oldest that an object has, as far as only additions followed.
  ///
  /// Objects from before the additions are no obstacle when the newest version does not have their
  /// type, or no version touched it until then: they are read as of the first version.
  private func firstVersion(_ newest: SchemaVersion) throws(StoreError) -> SchemaVersion {
    var oldest = newest
    var written: [(type: TypeIdentity, version: SchemaVersion)] = []
    for (key, totals) in records where totals.recordCount > 0 {
      guard let type = catalog.identity(of: key.collection),
        catalog.shapes[newest]?.type(type) != nil
      else { continue }
      written.append((type, SchemaVersion(key.schemaVersion)))
      oldest = min(oldest, SchemaVersion(key.schemaVersion))
    }
    var version = newest
    while version > oldest {
      let before = SchemaVersion(version.rawValue - 1)
      guard catalog.ledger[version]?.defaults != nil, catalog.shapes[before] != nil else { break }
      version = before
    }
    for (type, stored) in written where stored < version {
      guard isUntouched(type, after: stored, through: version) else {
        let isConfigured = catalog.models[version] != nil && catalog.ledger[version] == nil
        throw .conflictingSettings(
          "there are objects of version \(stored), and version \(version) is one of a "
            + (isConfigured
              ? "configuration; open the store with that, and call migrate(), before it is opened "
                + "with evolution: .additive"
              : "history; migrate the store with that before it is opened with evolution: "
                + ".additive")
        )
      }
    }
    return version
  }

  /// Whether all versions between left a type as it was, by its shapes and by what they recorded.
  private func isUntouched(
    _ identity: TypeIdentity, after first: SchemaVersion, through last: SchemaVersion
  ) -> Bool {
    guard let type = catalog.shapes[first]?.type(identity),
      catalog.shapes[last]?.type(identity) == type
    else { return false }
    let between = catalog.ledger.values.filter { $0.version > first && $0.version <= last }
    guard UInt64(between.count) == last.rawValue - first.rawValue else { return false }
    // A barrier may touch any type.
    return between.flatMap(\.operations).allSatisfy { operation in
      !operation.id.contains("/\(type.name)/") && !operation.id.contains("/barrier:")
    }
  }

  /// What a version added, by comparing it with the one before.
  private func recorded(_ version: SchemaVersion) throws(StoreError) -> Version {
    guard let old = catalog.shapes[SchemaVersion(version.rawValue - 1)],
      let new = catalog.shapes[version], let entry = catalog.ledger[version],
      let defaults = entry.defaults
    else { throw .malformedCatalog(reason: "it does not describe version \(version)") }
    var changes: [SchemaChange] = []
    for type in new.types {
      guard let known = old.type(type.identity) else {
        changes.append(.addType(Type(type)))
        continue
      }
      var operations = try recordedInside(type, known, entry)
      operations += type.members.filter { member in
        !known.members.contains { $0.identity == member.identity }
      }.map { member in
        RecordOperation.add(
          member: member.name, type: member.type,
          default: defaults.first { $0.type == type.identity && $0.member == member.identity }?
            .value)
      }
      if !operations.isEmpty {
        changes.append(.records(type: type.name, operations: operations))
      }
    }
    return Version(number: version, changes: changes)
  }

  /// What a version added inside embedded objects of a type.
  private func recordedInside(
    _ type: TypeShape, _ known: TypeShape, _ entry: RecordedVersion
  ) throws(StoreError) -> [RecordOperation] {
    var operations: [RecordOperation] = []
    for member in known.members {
      guard let new = type.members.first(where: { $0.identity == member.identity }),
        new.type.description != member.type.description
      else { continue }
      let values = entry.embeddedDefaults.first {
        $0.type == type.identity && $0.member == member.identity
      }?.value
      guard
        let growth = EmbeddedGrowth(
          of: member.name, stored: member.type, wanted: new.type,
          initial: values.map { EmbeddedInitialValues($0) }, path: member.name),
        growth.withoutDefault.isEmpty
      else {
        throw .malformedCatalog(
          reason: "version \(entry.version) changes \(type.name).\(member.name), "
            + "and does not say how")
      }
      operations += growth.operations
    }
    return operations
  }

  /// What the models add to `stored`; throws a list of everything else that they change.
  private func growth(
    of stored: SchemaShape, in version: SchemaVersion
  ) throws(StoreError) -> Growth {
    let wanted = try StoreError.schema { () throws(SchemaError) in
      try declared.schema(at: version)
    }
    var growth = Growth()
    var refused: [SchemaDifference] = []
    var withoutDefault: [String] = []
    let unique = Set(
      models.flatMap { model in
        model.indexes.filter(\.isUnique).map { "\(model.typeName).\($0.member)" }
      })
    for (model, type) in zip(declared.types, wanted.types) {
      guard let known = stored.type(named: type.name) else {
        growth.changes.append(.addType(Type(type)))
        growth.note(type, model)
        continue
      }
      var operations: [RecordOperation] = []
      let rest = try grow(known, type, model, &growth, &operations, &withoutDefault)
      for difference in known.differences(to: rest, ignoringIdentities: true) {
        switch difference {
        case .memberRemoved(_, let member, _) where known.index(ofMember: member) != nil:
          continue
        case .memberAdded(_, let member, let holds) where type.index(ofMember: member) != nil:
          try checkNames(of: member, in: type, model, known)
          guard let value = model.defaults[member] ?? (holds.isOptional ? .null : nil) else {
            withoutDefault.append("\(type.name).\(member)")
            continue
          }
          guard value.isNull || !unique.contains("\(type.name).\(member)") else {
            throw .conflictingSettings(
              "\(type.name).\(member) is added and unique, but objects of other apps would all "
                + "have the same value in it; make it optional and nil at first, or not unique")
          }
          operations.append(.add(member: member, type: holds, default: value))
          let added = MemberShape(member, holds, introducedIn: version)
          growth.defaults.append(
            MemberDefault(type: known.identity, member: added.identity, value: value))
          growth.innerDefaults += Self.innerDefaults(of: added, in: known, model)
        default: refused.append(difference)
        }
      }
      if !operations.isEmpty {
        growth.changes.append(.records(type: type.name, operations: operations))
      }
    }
    guard refused.isEmpty, withoutDefault.isEmpty else {
      throw .schema(.notAdditive(changes: refused, withoutDefault: withoutDefault))
    }
    return growth
  }

  /// Adds what a model adds inside embedded objects of a type, and gives what it wants besides.
  private func grow(
    _ known: TypeShape, _ type: TypeShape, _ model: DeclaredModels.Declared,
    _ growth: inout Growth, _ operations: inout [RecordOperation],
    _ withoutDefault: inout [String]
  ) throws(StoreError) -> TypeShape {
    var members = type.members
    for member in known.members {
      guard let index = members.firstIndex(where: { $0.name == member.name }),
        members[index].type.description != member.type.description
      else { continue }
      let earlier = model.earlierTypes[member.name] ?? members[index].type
      let wanted = members[index].type.keeping(member.type, from: earlier)
      let inside = EmbeddedGrowth(
        of: member.name, stored: member.type, wanted: wanted,
        initial: model.embedded[member.name], path: "\(type.name).\(member.name)")
      let isKept = wanted.description == member.type.description
      guard isKept || inside != nil else { continue }
      members[index] = member
      guard let inside else { continue }
      withoutDefault += inside.withoutDefault
      guard !inside.operations.isEmpty else { continue }
      operations += inside.operations
      growth.embeddedDefaults.append(
        MemberDefault(type: known.identity, member: member.identity, value: inside.values))
      growth.innerDefaults += inside.innerDefaults.map {
        InnerDefault(
          type: known.identity, member: member.identity, path: $0.path, value: $0.value)
      }
    }
    return try StoreError.schema { () throws(SchemaError) in
      try TypeShape(
        name: type.name, identity: type.identity, keyMember: type.keyMember, members: members)
    }
  }
}
