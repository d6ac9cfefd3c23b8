internal import LogStore
internal import SchemaRegistry

/// Objects that go to another type.
extension RelationRun {
  /// Writes every object of both types: those that go under the same key to the other's collection,
  /// where only older objects can have it, as keys of one type differ.
  func move(
    _ move: RecordMove, _ described: inout SchemaCatalog, _ note: () throws -> Void
  ) throws {
    guard let source = old.type(named: move.type), let staying = new.type(source.identity),
      let target = new.type(named: move.target)
    else { return }
    // Another type may have had the name of one that is new.
    if old.type(named: move.target)?.identity == target.identity {
      try rewrite(move.target, note) { _, _, _ in }
    }
    guard let collection = known.collections[source.identity] else { return }
    let other = try described.collection(for: target.identity)
    var taken = CountedExamples()
    let cursor = try transaction.records(in: collection)
    while let (key, record) = try cursor.next() {
      try note()
      let found = try upgrades.read(record, key: key, in: collection, of: source, by: reader)
      guard let found else {
        try transaction.delete(key, in: collection)
        continue
      }
      let members = try DynamicObject(
        shape: found.shape, key: found.key, payload: found.payload
      ).members
      guard try moves(members, move, key, source) else {
        try put(members, as: staying, under: key, in: collection)
        continue
      }
      try transaction.delete(key, in: collection)
      if move.onExisting != .replace, try transaction.record(for: key, in: other) != nil {
        if move.onExisting == .fail { taken.note(KeyCoding.text(of: found.key)) }
        continue
      }
      try put(
        move.members(members, from: source, in: target), as: target, under: key, in: other)
    }
    try upgrades.throwIfAny()
    try faults.throwIfAny()
    guard taken.count == 0 else {
      throw SchemaError.keysTaken(
        type: target.name, from: source.name, count: taken.count, examples: taken.examples)
    }
  }

  /// Whether an object goes; when there is no answer, that is noted as a fault.
  private func moves(
    _ members: [String: Value], _ move: RecordMove, _ key: [UInt8], _ source: TypeShape
  ) throws(SchemaError) -> Bool {
    do throws(SchemaError) {
      return try move.moves(
        members, key: key, shape: source, version: barrier.previous, operationID: barrier.id)
    } catch .migrationFailed(let type, let keyText, _, _, let underlying) {
      faults.note("\(type) \(keyText)", "gives the condition no answer, as \(underlying)")
      return false
    }
  }

  private func put(
    _ members: [String: Value], as shape: TypeShape, under key: [UInt8],
    in collection: CollectionIdentifier
  ) throws {
    let payload = try DynamicObject(shape: shape, values: members).encode().payload
    try transaction.put(
      key, in: collection, schemaVersion: barrier.version.rawValue, payload: payload)
  }
}
