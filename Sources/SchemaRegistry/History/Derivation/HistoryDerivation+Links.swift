/// Which members hold keys of which types: known beside the shapes, to keep removals from leaving
/// links to nothing.
extension HistoryDerivation {
  /// A link whose target is looked up when the version ends, as types may be declared in any order.
  struct PendingLink {
    let operationID: String
    let type: TypeIdentity
    let member: MemberIdentity
    let target: String
  }

  /// A type that the current version removes, or gives another key.
  struct ChangedTarget {
    let operationID: String
    let type: TypeIdentity
    let name: String
  }

  mutating func declareLink(
    of member: MemberIdentity, to target: String, _ id: String, _ type: Int
  ) {
    guard !types[type].isEmbedded else {
      report(
        id, path(member.originalName, type),
        "A link inside an embedded object cannot be declared in a history.",
        "Leave linksTo out; the models say it.")
      return
    }
    pendingLinks.append(
      PendingLink(
        operationID: id, type: types[type].identity, member: member, target: target))
  }

  /// Finds the targets of new links, and older ones that lead nowhere: to types that are gone
  /// (R28), or by keys that were theirs before.
  mutating func resolveLinks() {
    for change in rekeyed {
      for type in types.indices {
        for member in types[type].members where member.linksTo == change.type {
          let place = path(member.name, type)
          report(
            change.operationID, place,
            "\(place) links to \(change.name) by the key that it had before.",
            "Remove \(place) or Convert it to the new key, in this version or before; or keep the "
              + "key of \(change.name).")
        }
      }
    }
    for link in pendingLinks { resolve(link) }
    for move in moves { checkLinks(of: move) }
    for removal in removals {
      for type in types.indices {
        for member in types[type].members.indices
        where types[type].members[member].linksTo == removal.type {
          let place = path(types[type].members[member].name, type)
          report(
            removal.operationID, place,
            "\(place) still links to \(removal.name), which version \(version) removes.",
            "Remove \(place) in this version or before, or keep \(removal.name).")
          types[type].members[member].linksTo = nil
        }
      }
    }
    pendingLinks = []
    removals = []
    rekeyed = []
    moves = []
  }

  private mutating func resolve(_ link: PendingLink) {
    guard let type = types.firstIndex(where: { $0.identity == link.type }),
      let member = types[type].index(of: link.member)
    else { return }
    let found = types[type].members[member]
    let place = path(found.name, type)
    guard let target = types.first(where: { $0.name == link.target }) else {
      report(
        link.operationID, place,
        "\(place) links to \(link.target), which version \(version) does not have.",
        "Add the type, or name one that there is.")
      return
    }
    let key = target.members.first { $0.identity == target.key }?.type
    guard let key, Widening.isSame(found.type.innermost, key) else {
      report(
        link.operationID, place,
        "\(place) holds \(found.type), but the key of \(link.target) is "
          + "\(key.map { "\($0)" } ?? "missing").",
        "Give the member the type of that key, alone or in an optional, list or dictionary.")
      return
    }
    types[type].members[member].linksTo = target.identity
  }

  /// The links of every type, as they are now.
  var links: [TypeIdentity: [MemberIdentity: TypeIdentity]] {
    var links: [TypeIdentity: [MemberIdentity: TypeIdentity]] = [:]
    for type in types {
      for member in type.members {
        if let target = member.linksTo {
          links[type.identity, default: [:]][member.identity] = target
        }
      }
    }
    return links
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
}
