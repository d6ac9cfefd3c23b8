internal import LogStore
internal import SchemaRegistry

/// Passes one barrier on links, embedded objects or types, in the transaction of its version.
///
/// Every object of its types is read in the shape of the version before, and written once in that
/// of the barrier. Memory does not grow with the number of objects: one that was embedded already
/// has the barrier's version until all of its type are deleted in the end.
struct RelationRun {
  let barrier: ResolvedBarrier
  let old: SchemaShape
  let new: SchemaShape
  let known: SchemaCatalog
  let transaction: Transaction
  let reader: UpgradingReader
  let faults: RelationFaults
  let upgrades: UpgradeFaults

  init(
    _ barrier: ResolvedBarrier, from old: SchemaShape, to new: SchemaShape,
    history: SchemaHistory, known: SchemaCatalog, _ transaction: Transaction
  ) {
    self.barrier = barrier
    self.old = old
    self.new = new
    self.known = known
    self.transaction = transaction
    faults = RelationFaults(operationID: barrier.id)
    upgrades = UpgradeFaults(operationID: barrier.id)
    reader = UpgradingReader(
      schema: StoreSchema(version: barrier.previous, shape: old, history: history),
      catalog: known)
  }

  /// `note` is called for each object.
  func run(_ described: inout SchemaCatalog, note: () throws -> Void) throws {
    switch barrier.step {
    case .retarget(let type, let member, _, let mapping):
      try rewrite(type, note) { object, _, _ in
        let links = object[member] ?? .null
        object[member] = try RelationValues.map(links) { link, _ in
          guard let mapping else { return nil }
          guard let run = mapping.run else {
            throw SchemaError.needsApplicationCode(type: type, operationIDs: [barrier.id])
          }
          return try run(link)
        }
      }
    case .embed(let type, let places, let policy):
      try embed(type, places, policy, note)
    case .extract(let type, _, let places):
      guard let made = new.type(named: type) else { return }
      let collection = try described.collection(for: made.identity)
      for (parent, members) in Self.grouped(places) {
        try rewrite(parent, note) { object, shape, key in
          for member in members {
            object[member] = try RelationValues.map(object[member] ?? .null) { part, label in
              let link = RelationValues.freshKey(
                in: shape, key: key, member: member, label: label, operationID: barrier.id)
              try put(part, as: made, key: link, in: collection)
              return link
            }
          }
        }
      }
    case .move(let move): try self.move(move, &described, note)
    case .rekey, .code: return
    }
    try upgrades.throwIfAny()
    try faults.throwIfAny()
  }

  private func embed(
    _ type: String, _ places: [MemberPlace], _ policy: EmbeddingPolicy, _ note: () throws -> Void
  ) throws {
    guard let child = old.type(named: type) else { return }
    let collection = known.collections[child.identity]
    for (parent, members) in Self.grouped(places) {
      try rewrite(parent, note) { object, shape, key in
        for member in members {
          object[member] = try RelationValues.map(object[member] ?? .null) { link, _ in
            guard let collection, let found = try take(link, child, collection) else { return nil }
            if found.isShared, !policy.contains(.duplicateShared) {
              faults.note("\(type) \(KeyCoding.text(of: link))", "has several links to it")
            }
            return .object(found.members)
          }
        }
      }
    }
    guard let collection else { return }
    let all = try transaction.records(in: collection)
    while let (key, record) = try all.next() {
      try note()
      if !isTaken(record),
        let found = try upgrades.read(record, key: key, in: collection, of: child, by: reader),
        !policy.contains(.deleteOrphans)
      {
        faults.note("\(type) \(KeyCoding.text(of: found.key))", "has no link to it")
      }
      try transaction.delete(key, in: collection)
    }
  }

  /// The members besides the key of an object that a link leads to, which is marked as taken;
  /// nothing when there is none, or a step drops it.
  private func take(
    _ link: Value, _ child: TypeShape, _ collection: CollectionIdentifier
  ) throws -> (members: [String: Value], isShared: Bool)? {
    let key: [UInt8]
    do throws(SchemaError) { key = try KeyCoding.encode(link, as: child.keyType) } catch {
      // What cannot be a key leads nowhere.
      return nil
    }
    guard let record = try transaction.record(for: key, in: collection) else { return nil }
    let isShared = isTaken(record)
    var payload = record.payload
    if !isShared {
      // One that cannot be upgraded is noted later, with all of its type.
      let trial = UpgradeFaults(operationID: barrier.id)
      guard let found = try trial.read(record, key: key, in: collection, of: child, by: reader)
      else { return nil }
      payload = found.payload
      try transaction.put(
        key, in: collection, schemaVersion: barrier.version.rawValue, payload: payload)
    }
    let object = try DynamicObject(shape: child, key: link, payload: payload)
    return (object.members.filter { $0.key != child.keyMember }, isShared)
  }

  /// Whether an object was embedded already: no other of its type has the barrier's version, which
  /// does not have the type.
  private func isTaken(_ record: StoredRecord) -> Bool {
    record.schemaVersion == barrier.version.rawValue
  }

  private func put(
    _ part: Value, as shape: TypeShape, key: Value, in collection: CollectionIdentifier
  ) throws {
    guard case .object(var members) = part else { return }
    members[shape.keyMember] = key
    let encoded = try DynamicObject(shape: shape, values: members).encode()
    try transaction.put(
      encoded.key, in: collection, schemaVersion: barrier.version.rawValue,
      payload: encoded.payload)
  }

  /// Writes every object of a type in its new shape, with the members that `change` gives.
  func rewrite(
    _ type: String, _ note: () throws -> Void,
    _ change: (inout [String: Value], TypeShape, [UInt8]) throws -> Void
  ) throws {
    guard let source = old.type(named: type), let target = new.type(source.identity),
      let collection = known.collections[source.identity]
    else { return }
    let cursor = try transaction.records(in: collection)
    while let (key, record) = try cursor.next() {
      try note()
      let found = try upgrades.read(record, key: key, in: collection, of: source, by: reader)
      guard let found else {
        try transaction.delete(key, in: collection)
        continue
      }
      var members = try DynamicObject(
        shape: found.shape, key: found.key, payload: found.payload
      ).members
      try change(&members, source, key)
      if let member = target.members.first(where: {
        members[$0.name]?.isValid(for: $0.type) != true
      }) {
        faults.note(
          "\(type) \(KeyCoding.text(of: found.key))",
          "has no value for \(member.name), which is \(member.type)")
        continue
      }
      let payload = try DynamicObject(shape: target, values: members).encode().payload
      try transaction.put(
        key, in: collection, schemaVersion: barrier.version.rawValue, payload: payload)
    }
  }

  /// The members of each type, in the order of the types' first ones.
  private static func grouped(_ places: [MemberPlace]) -> [(type: String, members: [String])] {
    var groups: [(type: String, members: [String])] = []
    for place in places {
      if let index = groups.firstIndex(where: { $0.type == place.type }) {
        groups[index].members.append(place.member)
      } else {
        groups.append((place.type, [place.member]))
      }
    }
    return groups
  }
}
