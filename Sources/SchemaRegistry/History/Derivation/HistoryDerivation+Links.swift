/// Which members hold keys of which types: known beside the shapes, to keep removals from leaving
/// links to nothing.
extension HistoryDerivation {
  /// A type that the current version removes, or gives another key.
  struct ChangedTarget {
    let operationID: String
    let type: TypeIdentity
    let name: String
  }

  /// Finds the targets of new links, and older ones that lead nowhere: to types that are gone
  /// (R28), or by keys that were theirs before.
  mutating func resolveLinks() {
    for change in rekeyed {
      for (type, place) in places(linkingTo: change.type) {
        report(
          change.operationID, place,
          "\(place) links to \(change.name) by the key that it had before.",
          "Remove \(place) or Convert it to the new key, \(time(toChange: type)); or keep the "
            + "key of \(change.name).")
      }
    }
    for type in types.indices {
      for member in types[type].members.indices {
        let state = types[type].members[member]
        types[type].members[member].meaning = resolved(
          state.meaning, of: state.type, path(state.name, type))
      }
    }
    for move in moves { checkLinks(of: move) }
    for removal in removals {
      for (type, place) in places(linkingTo: removal.type) {
        let remedy =
          types[type].source == nil
          ? "Remove in a version before what \(place) is made of"
          : "Remove \(place) \(time(toChange: type))"
        report(
          removal.operationID, place,
          "\(place) still links to \(removal.name), which version \(version) removes.",
          "\(remedy), or keep \(removal.name).")
      }
      for type in types.indices {
        for member in types[type].members.indices {
          types[type].members[member].meaning.removeLinks(to: removal.type)
        }
      }
    }
    removals = []
    rekeyed = []
    moves = []
  }

  /// Every member, or path into one, that links to `target`, with the index of its type.
  private func places(linkingTo target: TypeIdentity) -> [(type: Int, place: String)] {
    types.indices.flatMap { type in
      types[type].members.flatMap { member in
        member.meaning.links.filter { $0.found == target }.map { link in
          (type: type, place: ([path(member.name, type)] + link.path).joined(separator: "."))
        }
      }
    }
  }

  /// When operations on a type may stand that are to make room for what the current version does: a
  /// barrier stands alone for its types.
  private func time(toChange type: Int) -> String {
    types[type].barrierID == nil ? "in this version or before" : "in a version before"
  }

  /// Ends links that a member holds no keys for any more, as they are of another type by now.
  mutating func forgetLinksOfAnotherType(_ member: Int, _ type: Int) {
    let state = types[type].members[member]
    types[type].members[member].meaning = withoutOtherLinks(state.meaning, of: state.type)
  }

  private func withoutOtherLinks(_ meaning: KnownMeaning, of type: FieldType) -> KnownMeaning {
    if meaning.isEmpty { return meaning }
    var kept = meaning
    if let target = meaning.linksTo,
      let key = types.first(where: { $0.identity == target })?.keyType,
      !Widening.isSame(type.innermost, key)
    {
      kept.link = nil
    }
    guard case .object(let members) = type.innermost else { return kept }
    for member in members {
      guard let inner = meaning.inside[member.name] else { continue }
      let found = withoutOtherLinks(inner, of: member.type)
      kept.inside[member.name] = found.isEmpty ? nil : found
    }
    return kept
  }

  /// The same with the targets of new links; none for a target that is reported.
  private mutating func resolved(
    _ meaning: KnownMeaning, of type: FieldType, _ place: String
  ) -> KnownMeaning {
    var meaning = meaning
    if case .pending(let id, let name)? = meaning.link {
      meaning.link = target(called: name, of: type, place, id).map { .to($0) }
    }
    guard !meaning.inside.isEmpty, case .object(let members) = type.innermost else {
      return meaning
    }
    for member in members {
      guard let inner = meaning.inside[member.name] else { continue }
      let found = resolved(inner, of: member.type, "\(place).\(member.name)")
      meaning.inside[member.name] = found.isEmpty ? nil : found
    }
    return meaning
  }

  private mutating func target(
    called name: String, of type: FieldType, _ place: String, _ id: String
  ) -> TypeIdentity? {
    guard let target = types.first(where: { $0.name == name }) else {
      report(
        id, place,
        "\(place) links to \(name), which version \(version) does not have.",
        "Add the type, or name one that there is.")
      return nil
    }
    let key = target.keyType
    guard let key, Widening.isSame(type.innermost, key) else {
      report(
        id, place,
        "\(place) holds \(type), but the key of \(name) is \(key.map { "\($0)" } ?? "missing").",
        "Give the member the type of that key, alone or in an optional, list or dictionary.")
      return nil
    }
    return target.identity
  }
}

extension FieldType {
  /// What is inside all optionals, lists and dictionaries.
  var innermost: FieldType {
    switch self {
    case .optional(let inner), .list(let inner), .dictionary(let inner): inner.innermost
    default: self
    }
  }

  /// The same with something else inside of them.
  func replacingInnermost(with type: FieldType) -> FieldType {
    switch self {
    case .optional(let inner): .optional(inner.replacingInnermost(with: type))
    case .list(let inner): .list(inner.replacingInnermost(with: type))
    case .dictionary(let inner): .dictionary(inner.replacingInnermost(with: type))
    default: type
    }
  }
}
