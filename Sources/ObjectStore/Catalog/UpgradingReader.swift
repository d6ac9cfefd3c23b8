internal import BinaryCoding
internal import Compaction
internal import FileIO
internal import LogStore
internal import SchemaRegistry

/// Reads records in the current shape, whatever version they were written under.
///
/// Plans are made once for each type and stored version, and kept; threads of a rewrite make their
/// own, see ``copy()``. Reading never writes. Safe on any thread.
final class UpgradingReader: Sendable {
  private struct PlanKey: Hashable {
    let collection: CollectionIdentifier
    let version: SchemaVersion
  }

  private struct State: ~Copyable {
    var catalog: SchemaCatalog
    /// The same for readers, who see commits later.
    var shown: SchemaCatalog
    var unseen = UnseenIndexes()
    /// Whether this process changed it.
    var hasInstalled = false
    /// The same for transactions, once there was one.
    var known: KnownCatalog?
    var plans = SmallTable<PlanKey, TypePlan>()
    /// The plan that was asked for last: walks and compactions ask for the same one over and over.
    var lastKey: PlanKey?
    var lastPlan: TypePlan?
    /// The same, if it upgrades.
    var lastUpgrade: Unmanaged<UpgradePlan>?
    /// The type whose collection was asked for last, and its collection.
    var lastType: TypeIdentity?
    var lastCollection: CollectionIdentifier?

    mutating func collection(of type: TypeIdentity) -> CollectionIdentifier? {
      if lastType == type { return lastCollection }
      guard let found = catalog.collections[type] else { return nil }
      lastType = type
      lastCollection = found
      return found
    }

    mutating func plan(_ key: PlanKey) -> TypePlan? {
      if lastKey == key { return lastPlan }
      guard let plan = plans[key] else { return nil }
      lastKey = key
      lastPlan = plan
      lastUpgrade = if case .upgrade(let plan) = plan { .passUnretained(plan) } else { nil }
      return plan
    }

    /// The plan that was asked for last, if it upgrades records of `key`; valid as long as the
    /// reader, which forgets none.
    func lentUpgrade(_ key: PlanKey) -> Unmanaged<UpgradePlan>? {
      lastKey == key ? lastUpgrade : nil
    }
  }

  /// How the records of one type and version become current ones. Indirect, as each read of an old
  /// record copies it.
  indirect enum TypePlan: Sendable {
    /// They are in the current shape.
    case current(TypeShape)
    /// They stay in the shape they were written in: the store was opened as it is stored.
    case stored(TypeShape)
    case upgrade(UpgradePlan)
    /// A newer app wrote them.
    case projected(Projection)
  }

  /// A record in the current shape.
  typealias Upgraded = (shape: TypeShape, key: Value, payload: [UInt8])

  let schema: StoreSchema
  /// The version whose barriers run, for which records are brought to it.
  private let runningBarrier: SchemaVersion?
  private let state: Lock<State>
  let knownMembers = KnownMembers()

  init(schema: StoreSchema, catalog: SchemaCatalog, runningBarrier: SchemaVersion? = nil) {
    self.schema = schema
    self.runningBarrier = runningBarrier
    state = Lock(State(catalog: catalog, shown: catalog))
  }

  /// One with plans of its own, for a thread that upgrades many records: what both share, shapes
  /// above all, is counted less often than a plan. It does not learn what is added later.
  func copy() -> UpgradingReader {
    UpgradingReader(schema: schema, catalog: catalog, runningBarrier: runningBarrier)
  }

  /// What the store knows of its data, with all that was appended.
  var catalog: SchemaCatalog { state.withLock { state in state.catalog } }

  /// The same for who reads what is visible: taken before a snapshot, it promises nothing that the
  /// snapshot lacks.
  var shownCatalog: SchemaCatalog { state.withLock { state in state.shown } }

  /// The same for a transaction.
  var knownCatalog: KnownCatalog {
    state.withLock { state in
      if let known = state.known { return known }
      let known = KnownCatalog(state.catalog, schema: schema)
      state.known = known
      return known
    }
  }

  /// Whether a commit of this process added something to the catalog.
  var hasInstalled: Bool { state.withLock { state in state.hasInstalled } }

  /// Takes over what a commit added, when it is appended; gives the ticket for ``show(_:)``.
  func install(_ catalog: SchemaCatalog) -> UInt64 {
    state.withLock { state in
      let ticket = state.unseen.note(state.catalog.indexes, catalog.indexes)
      state.catalog = catalog
      state.shown = state.unseen.hidden(in: catalog)
      state.known = nil
      state.hasInstalled = true
      state.lastType = nil
      return ticket
    }
  }

  /// Takes over that readers see the commit of `ticket`; nothing where it added nothing.
  func show(_ ticket: UInt64?) {
    guard let ticket else { return }
    state.withLock { state in
      state.unseen.show(ticket)
      state.shown = state.unseen.hidden(in: state.catalog)
    }
  }

  /// The version that objects of a type are written under.
  func version(writing type: TypeIdentity) -> SchemaVersion {
    schema.undeclared.isEmpty ? schema.version : schema.undeclared[type] ?? schema.version
  }

  /// The collection of a type; nothing when no object of it was ever written.
  func collection(of type: TypeShape) -> CollectionIdentifier? {
    state.withLock { state in state.collection(of: type.identity) }
  }

  /// A record of `collection` in the current shape, or what its type's policy gives when a step
  /// fails; nothing when a step drops it.
  func read(
    _ record: StoredRecord, key: [UInt8], in collection: CollectionIdentifier, of type: TypeShape
  ) throws(StoreError) -> (shape: TypeShape, key: Value, payload: [UInt8])? {
    do throws(StoreError) {
      return try upgrade(record, key: key, in: collection, of: type)
    } catch { return try instead(of: record, key: key, of: type, error) }
  }

  /// What its type's policy gives for a record whose upgrade failed with `error`, which is thrown
  /// where there is none.
  func instead(
    of record: StoredRecord, key: [UInt8], of type: TypeShape, _ error: StoreError
  ) throws(StoreError) -> (shape: TypeShape, key: Value, payload: [UInt8]) {
    guard case .fallback(let fallback) = schema.failurePolicies[type.name],
      case .schema(.migrationFailed) = error
    else { throw error }
    return try apply(fallback, to: record, key: key, of: type, error)
  }

  /// Whether walks pass over an object of `type` whose upgrade failed with `error`, or which its
  /// model cannot hold.
  func skips(_ error: StoreError, _ type: TypeShape) -> Bool {
    guard case .skipped = schema.failurePolicies[type.name] else { return false }
    switch error {
    case .schema(.migrationFailed), .schema(.unknownCase): return true
    default: return false
    }
  }

  private func apply(
    _ fallback: (FailedObject) -> [String: Value]?, to record: StoredRecord, key: [UInt8],
    of type: TypeShape, _ error: StoreError
  ) throws(StoreError) -> (shape: TypeShape, key: Value, payload: [UInt8]) {
    let version = SchemaVersion(rawValue: record.schemaVersion)
    guard case .schema(let cause) = error, let source = catalog.shapes[version]?.type(type.identity)
    else { throw error }
    let keyValue = try decodeKey(key, source)
    let stored = try DynamicObject(shape: source, key: keyValue, payload: record.payload)
    guard
      var values = fallback(
        FailedObject(members: stored.members, version: version, error: cause))
    else { throw error }
    values[type.keyMember] = keyValue
    return (type, keyValue, try DynamicObject(shape: type, values: values).encode().payload)
  }

  /// A record of `collection` in the current shape; nothing when a step drops it.
  ///
  /// `type` is the current shape of the collection's type: records of the version in which it is
  /// written need no plan, and no catalog, which may learn of them only when their first commit is
  /// through.
  func upgrade(
    _ record: StoredRecord, key: [UInt8], in collection: CollectionIdentifier, of type: TypeShape
  ) throws(StoreError) -> (shape: TypeShape, key: Value, payload: [UInt8])? {
    let version = SchemaVersion(rawValue: record.schemaVersion)
    if isCurrent(version, type) { return (type, try decodeKey(key, type), record.payload) }
    let plan = try plan(for: collection, version)
    switch plan {
    case .current(let shape), .stored(let shape):
      return (shape, try decodeKey(key, shape), record.payload)
    case .upgrade(let plan):
      guard let payload = try upgradedPayload(of: record, plan, key: key) else { return nil }
      return (plan.target, try decodeKey(key, plan.target), payload)
    case .projected(let projection):
      let keyValue = try decodeKey(key, type)
      let payload = try StoreError.schema { () throws(SchemaError) in
        try projection.read(record.payload, key: keyValue)
      }
      return (type, keyValue, payload)
    }
  }

  /// What a plan makes of a record's payload; nothing when a step drops it.
  func upgradedPayload(
    of record: StoredRecord, _ plan: UpgradePlan, key: [UInt8]
  ) throws(StoreError) -> [UInt8]? {
    try StoreError.schema { () throws(SchemaError) in
      try run(plan, record.payload, key, record.commitTime.secondsSince1970)
    }
  }

  /// What a member of the current shape holds in a record; nothing when a step drops it.
  ///
  /// Where no other member can make the upgrade fail, only this one is computed (H7).
  func value(
    ofMember member: Int, in record: StoredRecord, key: [UInt8],
    in collection: CollectionIdentifier, of type: TypeShape,
    orElse value: (Upgraded) throws(StoreError) -> Value
  ) throws(StoreError) -> Value? {
    let version = SchemaVersion(rawValue: record.schemaVersion)
    if !isCurrent(version, type),
      case .upgrade(let plan) = try plan(for: collection, version), plan.evaluates(member)
    {
      let committedAt = record.commitTime.secondsSince1970
      return try StoreError.schema { () throws(SchemaError) in
        try timed(plan, type.name) { (timing) throws(SchemaError) in
          try plan.value(
            ofMember: member, in: record.payload, key: key, committedAt: committedAt,
            timing: timing)
        }
      }
    }
    guard let found = try upgrade(record, key: key, in: collection, of: type) else { return nil }
    return try value(found)
  }

  private func run(
    _ plan: UpgradePlan, _ payload: [UInt8], _ key: [UInt8], _ committedAt: UInt64
  ) throws(SchemaError) -> [UInt8]? {
    try timed(plan, plan.target.name) { (timing) throws(SchemaError) in
      try plan.upgrade(payload, key: key, committedAt: committedAt, timing: timing)
    }
  }

  /// Runs `body` with a timing, where code runs that may be slow and somebody wants to know (H16).
  func timed<Result>(
    _ plan: UpgradePlan, _ typeName: String,
    _ body: (StepTiming?) throws(SchemaError) -> Result
  ) throws(SchemaError) -> Result {
    // Asked before it is taken, which copies it for each record.
    guard plan.runsCode, schema.slowUpgrades != nil, let reports = schema.slowUpgrades else {
      return try body(nil)
    }
    return try reports.timing(typeName, body)
  }

  /// Whether what steps make of `record` is to be written when a transaction reads it (R15).
  func materialises(
    _ record: StoredRecord, in collection: CollectionIdentifier
  ) throws(StoreError) -> Bool {
    let version = SchemaVersion(rawValue: record.schemaVersion)
    guard schema.upgrades, version < schema.version,
      case .upgrade(let plan) = try plan(for: collection, version)
    else { return false }
    return plan.materialises
  }

  /// What is written for an object in place of `old`: in the version of its type, or where a newer
  /// app wrote it in that one, so that nothing of what only the newer knows is lost.
  func payload(
    _ payload: [UInt8], of type: TypeShape, replacing old: StoredRecord?, key: [UInt8],
    in collection: CollectionIdentifier
  ) throws(StoreError) -> (version: UInt64, payload: [UInt8]) {
    guard let old, old.schemaVersion > schema.version.rawValue,
      case .projected(let projection) = try plan(
        for: collection, SchemaVersion(rawValue: old.schemaVersion))
    else { return (version(writing: type.identity).rawValue, payload) }
    let keyValue = try decodeKey(key, type)
    let merged = try StoreError.schema { () throws(SchemaError) in
      try projection.write(payload, over: old.payload, key: keyValue)
    }
    return (old.schemaVersion, merged)
  }

  /// Walks the objects whose keys are selected, from a snapshot or a transaction.
  func cursor(
    of shape: TypeShape, _ keys: KeySelection, _ order: KeyOrder,
    in collection: CollectionIdentifier?, from source: some RecordSource
  ) throws(StoreError) -> UpgradingCursor {
    try schema.newer?.check(shape, writing: false)
    let keyType = shape.keyType
    let range = try StoreError.lookUp(in: shape) { () throws(SchemaError) in
      try keys.keyRange(for: keyType)
    }
    guard let collection else {
      return UpgradingCursor(nil, reader: self, collection: .catalog, type: shape)
    }
    let records = try StoreError.log { () throws(LogError) in
      try source.records(in: collection, keys: range, order: order)
    }
    return UpgradingCursor(records, reader: self, collection: collection, type: shape)
  }

  /// A key that is lent, as the shape's type of key.
  func decodeKey(
    _ key: UnsafeRawBufferPointer, _ shape: TypeShape
  ) throws(StoreError) -> Value {
    try StoreError.schema { () throws(SchemaError) in
      try KeyCoding.decode(key, as: shape.keyType)
    }
  }

  func decodeKey(_ key: [UInt8], _ shape: TypeShape) throws(StoreError) -> Value {
    try StoreError.schema { () throws(SchemaError) in
      try KeyCoding.decode(key, as: shape.keyType)
    }
  }

  /// The plan for records of a collection that were written under `version`.
  func plan(
    for collection: CollectionIdentifier, _ version: SchemaVersion
  ) throws(StoreError) -> TypePlan {
    let key = PlanKey(collection: collection, version: version)
    if let known = state.withLock({ state in state.plan(key) }) { return known }
    let plan = try makePlan(collection, version)
    // One that another thread has made meanwhile may be in use.
    state.withLock { state in if state.plans[key] == nil { state.plans[key] = plan } }
    return plan
  }

  /// The plan for such records, if it was asked for last and upgrades them; valid as long as the
  /// reader. For who upgrades record after record: no reference is counted.
  func lentUpgrade(
    for collection: CollectionIdentifier, _ version: SchemaVersion
  ) -> Unmanaged<UpgradePlan>? {
    let key = PlanKey(collection: collection, version: version)
    return state.withLock { state in state.lentUpgrade(key) }
  }

  private func makePlan(
    _ collection: CollectionIdentifier, _ version: SchemaVersion
  ) throws(StoreError) -> TypePlan {
    let catalog = catalog
    guard let identity = catalog.identity(of: collection),
      let source = catalog.shapes[version]?.type(identity)
    else {
      throw .malformedCatalog(
        reason: "it does not describe collection \(collection) at version \(version)")
    }
    guard let history = schema.history(from: version), history.knows(identity) else {
      return .stored(source)
    }
    guard let target = schema.shape.type(identity) else {
      throw .schema(.unknownType(type: source.name, version: schema.version))
    }
    if version == schema.version, source == target { return .current(target) }
    if version > schema.version {
      if schema.newer == nil, !schema.isAdditive {
        // Nothing tells what a version did that the history passes over.
        try StoreError.schema { () throws(SchemaError) in _ = try history.shape(at: version) }
      }
      try schema.newer?.check(target, writing: false)
      let inverses = schema.newer?.inverses(of: identity, through: version) ?? []
      return .projected(
        try StoreError.schema { () throws(SchemaError) in
          try Projection(known: target, stored: source, version: version, inverses: inverses)
        })
    }
    let currentVersion = schema.version
    let runningBarrier = runningBarrier
    let checksPurity = schema.checksPurity
    let first = schema.isAdditive ? max(version, history.base.version) : version
    let plan = try StoreError.schema { () throws(SchemaError) in
      try history.upgradePlan(
        for: identity, from: first, source: source, to: currentVersion, target: target,
        checkingPurity: checksPurity, runningBarrier: runningBarrier)
    }
    return plan.isIdentity ? .current(target) : .upgrade(plan)
  }
}
