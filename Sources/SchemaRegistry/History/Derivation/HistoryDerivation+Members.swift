internal import BinaryCoding

/// Looking up, introducing and checking members, with an issue for everything that is wrong.
extension HistoryDerivation {
  func path(_ member: String, _ type: Int) -> String { "\(types[type].name).\(member)" }

  mutating func append(_ kind: ResolvedOperation.Kind, _ id: String, _ type: Int) {
    types[type].operations.append(ResolvedOperation(id: id, kind: kind))
  }

  /// Whether code for whole records, later in the version, gives every member a value.
  func willBeRewritten(_ type: Int) -> Bool {
    (upcoming[types[type].identity] ?? []).contains { operation in
      if case .rewrite = operation { true } else { false }
    }
  }

  /// The member called `name`; reports one that does not exist, and why.
  mutating func member(_ name: String, _ id: String, _ type: Int) -> Int? {
    if let index = types[type].index(named: name) { return index }
    reportUnknown(name, id, type)
    return nil
  }

  mutating func reportUnknown(_ name: String, _ id: String, _ type: Int) {
    let place = path(name, type)
    if types[type].removedNames.contains(name) {
      report(
        id, place, "\(place) was removed or renamed by an earlier operation of this version.",
        "Move this operation before the one that takes \(name) away.")
    } else if isCreatedInThisVersion(name, type) {
      report(
        id, place, "\(place) is created only by a later operation of this version.",
        "Move this operation behind the one that creates \(name).")
    } else {
      let known = types[type].members.map(\.name).joined(separator: ", ")
      report(
        id, place, "\(place) does not exist before version \(version).",
        "The members here are \(known).")
    }
  }

  private func isCreatedInThisVersion(_ name: String, _ type: Int) -> Bool {
    (upcoming[types[type].identity] ?? []).contains { operation in
      switch operation {
      case .add(let member, _, _, _), .derive(let member, _, _, _, _): member == name
      case .rename(_, let new, _, _): new == name
      default: false
      }
    }
  }

  /// Whether the member is the key, which record operations must not touch; reports it if so.
  mutating func isKey(_ member: Int, _ id: String, _ type: Int) -> Bool {
    guard types[type].members[member].identity == types[type].key else { return false }
    let place = path(types[type].members[member].name, type)
    report(
      id, place, "\(place) is the primary key, which operations on records cannot change.",
      "Only Rename may touch it; another member becomes the key by Rekey.")
    return true
  }

  /// Appends a new member; reports a name that is taken or invalid.
  mutating func introduce(
    _ name: String, _ fieldType: FieldType, _ id: String, _ type: Int
  ) -> MemberIdentity? {
    let place = path(name, type)
    if types[type].index(named: name) != nil {
      report(
        id, place, "\(place) exists already.",
        "Remove or rename the older member first, or choose another name.")
      return nil
    }
    guard SchemaLimits.isValidName(name) else {
      report(
        id, place, "The member name is not valid.",
        "Use 1 to \(SchemaLimits.nameByteCount) bytes without "
          + "\(SchemaLimits.reservedCharacters) and spaces.")
      return nil
    }
    if let problem = fieldType.problem {
      report(id, place, "\(place): \(problem).", "Use another type.")
      return nil
    }
    let identity = MemberIdentity(introducedIn: version, originalName: name)
    let isUsed = types[type].operations.contains { operation in
      switch operation.kind {
      case .set(identity, _), .compute(identity, _, _, _, _): true
      default: false
      }
    }
    guard !isUsed else {
      report(
        id, place, "\(place) is introduced twice in version \(version).",
        "Introduce it again in the next version.")
      return nil
    }
    types[type].members.append(
      TypeState.Member(
        identity: identity, name: name, type: fieldType.normalized))
    return identity
  }

  /// The members behind `names`, without those that do not exist, which were reported.
  func resolve(_ names: [String], _ type: Int) -> [ResolvedOperation.Input] {
    names.compactMap { name in
      types[type].index(named: name).map {
        ResolvedOperation.Input(name: name, member: types[type].members[$0].identity)
      }
    }
  }
}
