internal import SchemaRegistry

/// The operations between two schemas as Swift, and what only an author can decide.
struct SchemaSuggestion {
  private(set) var operations: [String] = []
  private(set) var undecided: [String] = []
  private(set) var possibleRenames: [String] = []

  init(from old: SchemaHistory, to new: SchemaHistory) throws(SchemaError) {
    note(
      CaseDifference.between(
        try old.cases(at: old.latestVersion), try new.cases(at: new.latestVersion)))
    let links = try old.linkDifferences(at: old.latestVersion, to: new, at: new.latestVersion)
    let meanings = try new.meanings(at: new.latestVersion)
    let old = try old.shape(at: old.latestVersion)
    let new = try new.shape(at: new.latestVersion)
    for type in old.types {
      guard let other = new.type(named: type.name) else {
        noteRemoval(of: type, old, new, meanings)
        continue
      }
      note(type, other, meanings[type.name] ?? [:], links.filter { $0.type == type.name })
    }
    for link in links { undecided.append(Self.text(link, old, new)) }
    for type in new.types where old.type(named: type.name) == nil {
      let mayBeKnown = old.types.contains {
        new.type(named: $0.name) == nil && Self.mayBeRenamed($0, to: type)
      }
      if !mayBeKnown { operations.append(Self.text(type, meanings[type.name] ?? [:])) }
    }
  }

  /// What leads from one shape of a type to another. What went and may have another name now is not
  /// removed, nor is the key.
  private mutating func note(
    _ type: TypeShape, _ other: TypeShape, _ meanings: [String: MemberMeaning],
    _ links: [LinkDifference]
  ) {
    let (inferred, open) = type.inferredOperations(to: other)
    let renames = Self.renames(type, other)
    // What changes their links changes what they hold, too.
    let linked = Set(links.filter(\.changesType).map(\.member))
    for operation in inferred where !linked.contains(operation.memberName ?? "") {
      guard let text = Self.text(operation, meanings) else { continue }
      let candidates = renames.filter { pair in
        switch operation {
        case .remove(let member, _): pair.old == member
        // One that is optional only now may as well be new.
        case .add(let member, let added, _, _):
          pair.new == member && type.members.contains { $0.name == pair.old && $0.type == added }
        default: false
        }
      }
      let ways = candidates.map { "Rename(\"\($0.old)\", to: \"\($0.new)\")" } + [text]
      let line = "On(\"\(type.name)\") { \(ways.joined(separator: " or ")) }"
      if candidates.isEmpty { operations.append(line) } else { undecided.append(line) }
    }
    for difference in open where !linked.contains(difference.memberName ?? "") {
      if let widening = Self.widening(difference, from: type, to: other) {
        operations.append(widening)
      } else {
        undecided.append(Self.text(difference, from: type, to: other))
      }
    }
    possibleRenames += renames.map {
      "On(\"\(type.name)\") { Rename(\"\($0.old)\", to: \"\($0.new)\") }"
    }
  }

  private static func text(
    _ difference: SchemaDifference, from old: TypeShape, to new: TypeShape
  ) -> String {
    if let change = change(difference, from: old, to: new) {
      return "On(\"\(old.name)\") { \(change) } (\(difference))"
    }
    guard case .keyChanged = difference else { return "\(difference)" }
    let way =
      new.index(ofMember: old.keyMember) == nil && old.index(ofMember: new.keyMember) == nil
      ? "On(\"\(old.name)\") { Rename(\"\(old.keyMember)\", to: \"\(new.keyMember)\") } or "
      : ""
    return way + "Rekey, and Remove(\"\(old.keyMember)\") in a later version (\(difference))"
  }

  /// A type that went, and all its objects with it, unless it is called like one that came now.
  private mutating func noteRemoval(
    of type: TypeShape, _ old: SchemaShape, _ new: SchemaShape,
    _ meanings: [String: [String: MemberMeaning]]
  ) {
    let removal = "RemoveType(\"\(type.name)\")"
    let candidates = new.types.filter {
      old.type(named: $0.name) == nil && Self.mayBeRenamed(type, to: $0)
    }
    guard !candidates.isEmpty else {
      operations.append(removal)
      return
    }
    let renames = candidates.map { "RenameType(\"\(type.name)\", to: \"\($0.name)\")" }
    let additions = candidates.map { Self.text($0, meanings[$0.name] ?? [:]) }
    possibleRenames += renames
    undecided.append(
      renames.joined(separator: " or ") + " or "
        + ([removal] + additions).joined(separator: "; "))
  }

  /// Whether a type may be another one under a new name: keys are of the same type, and half of the
  /// other members are there.
  static func mayBeRenamed(_ old: TypeShape, to new: TypeShape) -> Bool {
    guard old.keyType == new.keyType else { return false }
    let members = old.members.filter { $0.name != old.keyMember }
    let kept = members.filter { member in
      new.members.contains {
        $0.name == member.name && $0.type.unwrapped == member.type.unwrapped
      }
    }
    return kept.count * 2 >= members.count
  }

  /// Cases that only came are beyond doubt; for those that went an author says what objects get.
  private mutating func note(_ cases: [CaseDifference]) {
    for difference in cases {
      let ways = difference.alternatives.map { operations in
        "On(\"\(difference.type)\") { \(operations.joined(separator: "; ")) }"
      }
      if difference.removed.isEmpty {
        operations += ways
      } else {
        undecided.append(ways.joined(separator: " or "))
      }
    }
  }

  /// Members that went and came with the same type.
  private static func renames(
    _ old: TypeShape, _ new: TypeShape
  ) -> [(old: String, new: String)] {
    var renames: [(old: String, new: String)] = []
    for member in old.members where new.index(ofMember: member.name) == nil {
      for other in new.members
      where old.index(ofMember: other.name) == nil
        && other.type.unwrapped.description == member.type.unwrapped.description
      {
        renames.append((member.name, other.name))
      }
    }
    return renames
  }
}
