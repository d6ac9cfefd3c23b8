internal import LogStore
internal import SchemaRegistry

/// Passes the barriers of a store, those of all versions in one transaction.
///
/// A barrier has run when the catalog knows its version: shapes, ledger and records are committed
/// together, so there is no flag that could be wrong, and after a kill the next opening starts
/// again from the old state. Where one fails, none has run, and the version before all of them
/// still opens the store.
struct BarrierRun {
  let log: Log
  let history: SchemaHistory
  /// The shape of the last version, with the member order that its records have.
  let latest: SchemaShape
  let plan: BarrierPlan
  let progress: (@Sendable (BarrierProgress) -> Bool)?
  var catalog: SchemaCatalog
  private var recordCount: UInt64 = 0

  init(
    log: Log, history: SchemaHistory, latest: SchemaShape, plan: BarrierPlan,
    catalog: SchemaCatalog, progress: (@Sendable (BarrierProgress) -> Bool)?
  ) {
    self.log = log
    self.history = history
    self.latest = latest
    self.plan = plan
    self.catalog = catalog
    self.progress = progress
  }

  mutating func run() throws(StoreError) {
    let versions = Set(plan.barriers.map(\.version)).sorted()
    do {
      try log.transact(durability: .full) { transaction in
        for version in versions { try pass(version, transaction) }
      }
    } catch {
      throw Self.storeError(error, "v\(versions.last ?? 0)")
    }
    copyCatalog()
  }

  /// Puts the copies of what was described, as a process that only opens the store puts nothing
  /// else; what fails there is no error, as the next put makes up for it.
  private mutating func copyCatalog() {
    var copied = catalog
    do {
      try log.transact(durability: .process) { transaction in
        try copied.putCopies(into: transaction)
      }
      catalog = copied
    } catch {}
  }

  /// What a barrier threw, with its id where nothing else says which one it was.
  private static func storeError(_ error: any Error, _ operationID: String) -> StoreError {
    switch error {
    case StoreError.schema(.invalidKey), SchemaError.invalidKey:
      .schema(.barrierFailed(operationID: operationID, underlying: "\(error)"))
    case let error as StoreError: error
    case let error as LogError: .log(error)
    case let error as SchemaError: .schema(error)
    default: .schema(.barrierFailed(operationID: operationID, underlying: "\(error)"))
    }
  }

  /// Passes the barriers of one version, which find what those of earlier ones left in the
  /// transaction.
  private mutating func pass(_ version: SchemaVersion, _ transaction: Transaction) throws {
    let shape = try self.shape(at: version)
    var described = catalog
    described.shapes[version] = shape
    described.record(history.ledger(through: version))
    let barriers = plan.barriers.filter { $0.version == version }
    for barrier in barriers {
      do { try pass(barrier, shape, &described, transaction) } catch {
        throw Self.storeError(error, barrier.id)
      }
    }
    described.retireIndexes(of: Set(barriers.flatMap(\.types)))
    try described.write(addedTo: catalog, into: transaction)
    catalog = described
  }

  /// What the catalog says of a version, which may be the highest one until something is written.
  private func shape(at version: SchemaVersion) throws -> SchemaShape {
    if version == latest.version { return latest }
    let types = try history.shape(at: version).types
    return try SchemaShape(
      version: version, types: history.adding(foreign: latest.types, to: types))
  }

  private mutating func pass(
    _ barrier: ResolvedBarrier, _ shape: SchemaShape, _ described: inout SchemaCatalog,
    _ transaction: Transaction
  ) throws {
    switch barrier.step {
    case .rekey(_, _, let duplicates):
      try rekey(barrier, duplicates, shape, &described, transaction)
    case .retarget, .embed, .extract, .move:
      let relation = RelationRun(
        barrier, from: try self.shape(before: barrier), to: shape, history: history,
        known: catalog, transaction)
      try relation.run(&described) { () throws in try note(barrier) }
    case .code(_, _, _, let body):
      guard let body else {
        throw SchemaError.needsApplicationCode(
          type: barrier.types.first.map { shape.type($0)?.name ?? $0.originalName } ?? "",
          operationIDs: [barrier.id])
      }
      try body(try access(barrier, shape, &described, transaction))
    }
  }

  /// Writes every object of a type under its new key, to a collection of its own: new keys must
  /// not meet old ones.
  private mutating func rekey(
    _ barrier: ResolvedBarrier, _ duplicates: DuplicateKeys, _ shape: SchemaShape,
    _ described: inout SchemaCatalog, _ transaction: Transaction
  ) throws {
    guard let identity = barrier.types.first, let target = shape.type(identity),
      let old = described.collections[identity]
    else { return }
    let new = try described.renewCollection(of: identity)
    let before = try self.shape(before: barrier)
    guard let source = before.type(identity) else { return }
    let reader = UpgradingReader(
      schema: StoreSchema(version: barrier.previous, shape: before, history: history),
      catalog: catalog)
    var clashes = KeyClashes(type: target)
    let faults = RelationFaults(operationID: barrier.id)
    let upgrades = UpgradeFaults(operationID: barrier.id)
    let cursor = try transaction.records(in: old)
    while let (key, record) = try cursor.next() {
      try note(barrier)
      try transaction.delete(key, in: old)
      guard let found = try upgrades.read(record, key: key, in: old, of: source, by: reader) else {
        continue
      }
      let object = try DynamicObject(shape: found.shape, key: found.key, payload: found.payload)
      let moved: (key: [UInt8], payload: [UInt8])
      do throws(StoreError) {
        moved = try DynamicObject(shape: target, values: object.members).encode()
      } catch .schema(.invalidKey(_, let reason)) {
        faults.note(
          "\(source.name) \(KeyCoding.text(of: found.key))",
          "has a value of \(target.keyMember) that cannot be a key: \(reason)")
        continue
      }
      if try transaction.record(for: moved.key, in: new) != nil {
        if duplicates == .fail { clashes.note(object.members[target.keyMember], old: found.key) }
        if duplicates != .keepLast { continue }
      }
      try transaction.put(
        moved.key, in: new, schemaVersion: barrier.version.rawValue, payload: moved.payload)
    }
    try upgrades.throwIfAny()
    try faults.throwIfAny()
    try clashes.throwIfAny()
  }

  /// The shape of the version before a barrier, with the member order that its records have.
  private func shape(before barrier: ResolvedBarrier) throws(SchemaError) -> SchemaShape {
    let shape = try history.shape(at: barrier.previous)
    let stored = catalog.shapes[barrier.previous]
    return try SchemaShape(
      version: barrier.previous, types: shape.types.map { stored?.type($0.identity) ?? $0 })
  }

  /// Brings every object of the types that code touches to the barrier's version.
  private mutating func access(
    _ barrier: ResolvedBarrier, _ shape: SchemaShape, _ described: inout SchemaCatalog,
    _ transaction: Transaction
  ) throws -> TransactionBarrierAccess {
    let reader = UpgradingReader(
      schema: StoreSchema(version: barrier.version, shape: shape, history: history),
      catalog: catalog, runningBarrier: barrier.version)
    var types: [String: (shape: TypeShape, collection: CollectionIdentifier)] = [:]
    let upgrades = UpgradeFaults(operationID: barrier.id)
    for identity in barrier.types {
      guard let type = shape.type(identity) else { continue }
      let collection = try described.collection(for: identity)
      types[type.name] = (type, collection)
      let cursor = try transaction.records(in: collection)
      while let (key, record) = try cursor.next() {
        try note(barrier)
        let found = try upgrades.read(record, key: key, in: collection, of: type, by: reader)
        guard let found else {
          try transaction.delete(key, in: collection)
          continue
        }
        try transaction.put(
          key, in: collection, schemaVersion: barrier.version.rawValue, payload: found.payload)
      }
    }
    try upgrades.throwIfAny()
    return TransactionBarrierAccess(
      operationID: barrier.id, shape: shape, types: types, transaction: transaction)
  }

  private mutating func note(_ barrier: ResolvedBarrier) throws {
    recordCount += 1
    guard let progress, recordCount % 256 == 0 else { return }
    let state = BarrierProgress(
      operationID: barrier.id, recordCount: plan.progress(recordCount), estimate: plan.estimate)
    if !progress(state) { throw StoreError.barrierCancelled(operationID: barrier.id) }
  }
}
