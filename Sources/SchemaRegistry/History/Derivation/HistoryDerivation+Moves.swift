/// Barriers that let objects go to another type.
extension HistoryDerivation {
  /// A move whose links are looked at when the version ends, as others may change them.
  struct PendingMove {
    let operationID: String
    let source: TypeIdentity
    let target: TypeIdentity
  }

  mutating func move(_ move: RecordMove, previous: SchemaVersion) {
    let id = nextID(move.type)
    guard
      let type = index(ofTypeNamed: move.type, id: id, missing: "It has no objects to move."),
      let target = index(ofTypeNamed: move.target, id: id, missing: "No object can go to it.")
    else { return }
    guard type != target else {
      return report(
        id, nil, "The objects of \(move.type) would stay what they are.", "Name another type.")
    }
    let issueCount = issues.count
    check(
      move.condition, inputs: move.inputs, storedIn: .bool, keepsNil: false, id: id,
      member: move.inputs.first ?? "", type: type)
    checkKeys(move, type, target, id)
    checkTaken(move, type, target, id)
    checkLost(move, type, target, id)
    guard issues.count == issueCount, isAlone(type, id),
      types[target].source == nil || isAlone(target, id), claim(type, id), claim(target, id)
    else { return }
    let (source, other) = (types[type].identity, types[target].identity)
    moves.append(PendingMove(operationID: id, source: source, target: other))
    finish(.move(move), id, types: [source, other], named: move.type, previous)
  }

  private mutating func checkKeys(_ move: RecordMove, _ type: Int, _ target: Int, _ id: String) {
    guard let key = types[type].keyMember, let other = types[target].keyMember else { return }
    if Widening.isSame(key.type, other.type) {
      return checkCases(key, type, other, target, id)
    }
    report(
      id, path(other.name, target),
      "\(path(other.name, target)) is \(other.type), and objects of \(move.type) have keys that "
        + "are \(key.type).",
      "Rekey one of the two in a version before; objects keep their keys.")
  }

  /// Whether each member of the target has a value to hold.
  private mutating func checkTaken(_ move: RecordMove, _ type: Int, _ target: Int, _ id: String) {
    for member in types[target].partMembers {
      let place = path(member.name, target)
      let value = move.defaults[member.name]
      if let value, value.isNull || !value.isValid(for: member.type) {
        report(
          id, place, "The default of \(place) is not a \(member.type.unwrapped).",
          "Write a default of the member's type.")
      } else if let value, let index = types[target].index(of: member.identity) {
        checkIsCase(value, "default", of: index, id, target)
      }
      let canBeNil = member.type.isOptional || value != nil
      guard let old = types[type].partMembers.first(where: { $0.name == member.name }) else {
        if !canBeNil {
          report(
            id, place, "\(place) is required, and \(move.type) has no such member.",
            "Write defaults: [\"\(member.name)\": …], or make it optional.")
        }
        continue
      }
      if Widening.keepsBytes(from: old.type, to: member.type), canBeNil || !old.type.isOptional {
        checkCases(old, type, member, target, id)
        continue
      }
      report(
        id, place, "\(place) is \(member.type), and \(path(old.name, type)) is \(old.type).",
        "Convert one of them in a version before, or give a default that stands for nil.")
    }
    let names = Set(types[target].partMembers.map(\.name))
    for name in move.defaults.keys.sorted() where !names.contains(name) {
      report(
        id, path(name, target),
        "There is a default for \(path(name, target)), which is the key or "
          + "does not exist.", "Take it out of defaults.")
    }
  }

  /// Whether all cases of a member are cases of the one in the target, where that has some.
  private mutating func checkCases(
    _ old: TypeState.Member, _ type: Int, _ member: TypeState.Member, _ target: Int, _ id: String
  ) {
    let oldLists = old.meaning.caseLists
    for (path, cases) in member.meaning.caseLists {
      let place = ([self.path(member.name, target)] + path).joined(separator: ".")
      let oldPlace = ([self.path(old.name, type)] + path).joined(separator: ".")
      guard let found = oldLists.first(where: { $0.path == path })?.found else {
        report(
          id, place, "\(oldPlace) may hold values that are no cases of \(place).",
          "Declare the cases of both with cases:, and give \(place) all of them by AddCases in a "
            + "version before.")
        continue
      }
      let unknown = found.filter { !cases.contains($0) }
      if unknown.isEmpty { continue }
      let time = types[target].source == nil ? "where it is declared" : "in a version before"
      report(
        id, place, "\(oldPlace) may be \(unknown.caseText), and \(place) may not.",
        "Add what is missing to the cases of \(place) \(time), or take it from those of "
          + "\(oldPlace) in a version before.")
    }
  }

  /// Whether it is said of each member that is lost, and of no other.
  private mutating func checkLost(_ move: RecordMove, _ type: Int, _ target: Int, _ id: String) {
    let kept = Set(types[target].partMembers.map(\.name))
    let lost = types[type].partMembers.map(\.name).filter { !kept.contains($0) }
    for name in lost where !move.dropping.contains(name) {
      report(
        id, path(name, type),
        "\(move.target) has no member \(name), so values of \(path(name, type)) would be lost.",
        "Add it to \(move.target) in a version before, or write dropping: [\"\(name)\"].")
    }
    for name in Set(move.dropping).sorted() where !lost.contains(name) {
      report(
        id, path(name, type),
        "\(path(name, type)) is not lost: \(move.target) has it, too, or it "
          + "is the key, or does not exist.", "Take it out of dropping.")
    }
  }

  /// Reports links that lead to what some objects are not any more, and those that would change
  /// their meaning on the way.
  mutating func checkLinks(of move: PendingMove) {
    guard let source = types.first(where: { $0.identity == move.source }),
      let target = types.first(where: { $0.identity == move.target })
    else { return }
    for type in types.indices {
      for (path, link) in types[type].links where link == source.identity {
        let place = ([types[type].name] + path).joined(separator: ".")
        report(
          move.operationID, place,
          "\(place) links to \(source.name), of which objects go to \(target.name).",
          remedy(for: path, types[type], of: move, to: target))
      }
    }
    let oldLinks = source.links
    for (path, link) in target.links {
      guard let oldLink = oldLinks.first(where: { $0.path == path })?.target, link != oldLink,
        oldLink != source.identity
      else { continue }
      let member = path.joined(separator: ".")
      report(
        move.operationID, "\(target.name).\(member)",
        "\(target.name).\(member) links to another type than \(source.name).\(member).",
        path.count > 1
          ? "Remove or Convert one of the two in a version before."
          : "Write Retarget(\"\(source.name)\", \"\(member)\", to: …) { $0 }, or the same for "
            + "\(target.name), in a version before; without { $0 }, the links are taken away.")
    }
  }

  /// What to do about a link; the move stands alone for its own types in the version.
  private func remedy(
    for path: [String], _ type: TypeState, of move: PendingMove, to target: TypeState
  ) -> String {
    let member = path.joined(separator: ".")
    let place = "\(type.name).\(member)"
    guard type.source != nil else {
      return "Declare \(place) without linksTo, or with another type; a link leads to one type."
    }
    let isMoving = type.identity == move.source || type.identity == move.target
    let time =
      target.source == nil ? "a version before that has \(target.name)" : "a version before"
    guard path.count == 1 else {
      return "Remove or Convert \(place), in \(isMoving ? time : "this version or before"); a link "
        + "leads to one type."
    }
    let isOneOfMore = type.members.count { $0.meaning.linksTo == move.source } > 1
    let limit = isOneOfMore ? ", one Retarget of \(type.name) a version" : ""
    return "Write Retarget(\"\(type.name)\", \"\(member)\", to: \"\(target.name)\") { $0 }, Remove "
      + "or Convert \(place), in \(isMoving ? time : "this version or before")\(limit); a link "
      + "leads to one type, and without { $0 } the links are taken away."
  }
}

extension TypeState {
  /// The primary key.
  fileprivate var keyMember: Member? { members.first { $0.identity == key } }
  /// The members besides the key.
  fileprivate var partMembers: [Member] { members.filter { $0.identity != key } }
  /// Every link, by the names that lead there.
  fileprivate var links: [(path: [String], target: TypeIdentity)] {
    members.flatMap { member in
      member.meaning.links.map { (path: [member.name] + $0.path, target: $0.found) }
    }
  }
}
