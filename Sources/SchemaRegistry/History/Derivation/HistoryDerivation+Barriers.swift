/// Barriers: what they do to shapes, and which types they touch.
extension HistoryDerivation {
  mutating func apply(_ step: BarrierStep, previous: SchemaVersion) {
    switch step {
    case .rekey(let name, let member, _): rekey(step, name, to: member, previous: previous)
    case .retarget(let type, let member, let target, let mapping):
      retarget(step, MemberPlace(type, member), to: target, mapping, previous: previous)
    case .embed(let type, let places, _): embed(step, type, into: places, previous: previous)
    case .extract(let type, let key, let places):
      extract(step, type, key: key, from: places, previous: previous)
    case .move(let move): self.move(move, previous: previous)
    case .code(let name, let types, _, _): code(step, name, types, previous: previous)
    }
  }

  private mutating func rekey(
    _ step: BarrierStep, _ name: String, to member: String, previous: SchemaVersion
  ) {
    let id = nextID(name)
    guard let type = index(ofTypeNamed: name, id: id, missing: "It cannot get another key.") else {
      return
    }
    guard let index = self.member(member, id, type) else { return }
    let place = path(member, type)
    let found = types[type].members[index]
    guard found.identity != types[type].key else {
      report(id, place, "\(place) is the primary key already.", "Take the Rekey away.")
      return
    }
    guard found.type.isKeyType else {
      report(
        id, place, "\(place) is \(found.type), which cannot be a key.",
        "A key is one of int32, int64, string, uuid, data, and required; convert the member in "
          + "the version before.")
      return
    }
    guard types[type].source != nil, !types[type].isTouched else {
      report(
        id, nil, "\(name) is changed by other operations of version \(version), too.",
        "Put them into the version before; a Rekey stands alone for its type.")
      return
    }
    guard claim(type, id) else { return }
    types[type].key = found.identity
    types[type].isTouched = true
    rekeyed.append(ChangedTarget(operationID: id, type: types[type].identity, name: name))
    describe(step, id: id, type: types[type].identity, typeName: name)
    barriers.append(
      ResolvedBarrier(
        id: id, version: version, previous: previous, types: [types[type].identity], step: step))
  }

  private mutating func code(
    _ step: BarrierStep, _ name: String, _ touched: [String], previous: SchemaVersion
  ) {
    let id = "v\(version)/barrier:\(name)"
    guard SchemaLimits.isValidName(name), !barriers.contains(where: { $0.id == id }) else {
      report(
        id, nil, "The name of the barrier is not valid, or used twice in version \(version).",
        "Give it a name of its own, without spaces and \(SchemaLimits.reservedCharacters).")
      return
    }
    if touched.isEmpty {
      report(
        id, nil, "The barrier touches no type.",
        "Name the types whose objects it reads or writes in touching:.")
    }
    var identities: [TypeIdentity] = []
    for type in touched {
      guard
        let index = index(ofTypeNamed: type, id: id, missing: "The barrier cannot touch it."),
        claim(index, id)
      else { continue }
      types[index].isTouched = true
      identities.append(types[index].identity)
    }
    describe(
      step, id: id, type: TypeIdentity(introducedIn: version, originalName: name), typeName: name)
    barriers.append(
      ResolvedBarrier(
        id: id, version: version, previous: previous, types: identities, step: step))
  }

  /// Notes that a barrier touches a type; reports a second one.
  mutating func claim(_ type: Int, _ id: String) -> Bool {
    if let other = types[type].barrierID {
      report(
        id, nil, "\(types[type].name) is touched by \(other) in the same version.",
        "Put one of the two into a version of its own.")
      return false
    }
    types[type].barrierID = id
    return true
  }

  mutating func describe(
    _ step: BarrierStep, id: String, type: TypeIdentity, typeName: String
  ) {
    var revision: UInt32 = 0
    var needsCode = false
    if case .code(_, _, let raised, let run) = step { (revision, needsCode) = (raised, run == nil) }
    if case .retarget(_, _, _, let mapping?) = step {
      (revision, needsCode) = (mapping.revision, mapping.run == nil)
    }
    if case .move(let move) = step, case .closure(let closure) = move.condition {
      (revision, needsCode) = (closure.revision, closure.run == nil)
    }
    operations.append(
      OperationDescription(
        id: id, version: version, typeName: typeName, type: type,
        parameterHash: OperationHash.hash(.barrier(step)), revision: revision,
        operationClass: .barrier, needsApplicationCode: needsCode,
        forward: forwardEffect(of: .barrier(step), id: id, typeName: typeName)))
  }
}
