internal import BinaryCoding

/// Changes of the set of types.
extension HistoryDerivation {
  mutating func apply(_ change: SchemaChange, previous: SchemaVersion) {
    switch change {
    case .records(let name, let operations): apply(operations, toTypeNamed: name)
    case .addType(let type):
      let id = nextID(type.name)
      if add(type, id: id) {
        describe(change, id: id, type: types[types.count - 1])
      }
    case .renameType(let old, let new): renameType(change, from: old, to: new)
    case .removeType(let name): removeType(change, named: name)
    case .barrier(let step): apply(step, previous: previous)
    }
  }

  @discardableResult
  mutating func add(_ type: Type, id: String) -> Bool {
    let identity =
      type.identity ?? TypeIdentity(introducedIn: version, originalName: type.name)
    if types.contains(where: { $0.name == type.name }) {
      report(
        id, nil, "The type \(type.name) exists already.",
        "Remove or rename the older type first, or choose another name.")
      return false
    }
    guard identities.insert(identity) else {
      report(
        id, nil, "The type \(type.name) is introduced twice in version \(version).",
        "Introduce it again in the next version.")
      return false
    }
    let members = type.fields.map { field in
      field.identity.map {
        TypeState.Member(identity: $0, name: field.name, type: field.type.normalized)
      }
        ?? TypeState.Member(
          identity: MemberIdentity(introducedIn: version, originalName: field.name),
          name: field.name, type: field.type.normalized)
    }
    let key = members.first { $0.name == type.keyMember }?.identity
    var state = TypeState(
      name: type.name, identity: identity,
      key: key ?? MemberIdentity(introducedIn: version, originalName: type.keyMember),
      members: members)
    guard let problem = problem(of: type, &state) else {
      types.append(state)
      for (field, member) in zip(type.fields, members) {
        declare(field.meaning, of: member.name, id, types.count - 1)
      }
      return true
    }
    report(id, nil, problem, "Correct the declaration of \(type.name).")
    return false
  }

  private func problem(of type: Type, _ state: inout TypeState) -> String? {
    guard type.fields.contains(where: { $0.name == type.keyMember }) else {
      return "The key \(type.keyMember) of \(type.name) is not one of its members."
    }
    do throws(SchemaError) {
      state.latest = try state.shape()
      return nil
    } catch {
      return error.description
    }
  }

  private mutating func renameType(_ change: SchemaChange, from old: String, to new: String) {
    let id = nextID(old)
    guard let index = index(ofTypeNamed: old, id: id, missing: "Nothing can be renamed.") else {
      return
    }
    if types.contains(where: { $0.name == new }) {
      report(
        id, nil, "\(old) cannot be renamed to \(new): the type \(new) exists already.",
        "Remove or rename \(new) first, or choose another name.")
      return
    }
    guard SchemaLimits.isValidName(new) else {
      report(
        id, nil, "\(old) cannot be renamed: the new name is not a valid type name.",
        "Use 1 to \(SchemaLimits.nameByteCount) bytes without "
          + "\(SchemaLimits.reservedCharacters) and spaces.")
      return
    }
    types[index].name = new
    types[index].isTouched = true
    describe(change, id: id, type: types[index])
  }

  private mutating func removeType(_ change: SchemaChange, named name: String) {
    let id = nextID(name)
    guard let index = index(ofTypeNamed: name, id: id, missing: "Nothing can be removed.") else {
      return
    }
    describe(change, id: id, type: types[index])
    removals.append(
      ChangedTarget(operationID: id, type: types[index].identity, name: types[index].name))
    types.remove(at: index)
  }

  /// The type called `name`; reports one that does not exist.
  mutating func index(ofTypeNamed name: String, id: String, missing: String) -> Int? {
    if let index = types.firstIndex(where: { $0.name == name }) { return index }
    let known = types.map(\.name).sorted().prefix(10).joined(separator: ", ")
    report(
      id, nil, "There is no type \(name) in version \(version). \(missing)",
      known.isEmpty ? "Add the type first." : "The types here are \(known).")
    return nil
  }

  private mutating func describe(_ change: SchemaChange, id: String, type: TypeState) {
    operations.append(
      OperationDescription(
        id: id, version: version, typeName: type.name, type: type.identity,
        parameterHash: OperationHash.hash(change), operationClass: nil,
        needsApplicationCode: false,
        forward: forwardEffect(of: change, id: id, typeName: type.name)))
  }
}
