internal import SchemaRegistry

/// The operations between two schemas as Swift, and what only an author can decide.
struct SchemaSuggestion {
  private(set) var operations: [String] = []
  private(set) var undecided: [String] = []
  private(set) var possibleRenames: [String] = []

  init(from old: SchemaHistory, to new: SchemaHistory) throws(SchemaError) {
    let cases = try new.cases(at: new.latestVersion)
    note(CaseDifference.between(try old.cases(at: old.latestVersion), cases))
    let old = try old.shape(at: old.latestVersion)
    let new = try new.shape(at: new.latestVersion)
    for type in old.types {
      guard let other = new.type(named: type.name) else {
        noteRemoval(of: type, old, new, cases)
        continue
      }
      note(type, other, cases.filter { $0.type == type.name })
    }
    for type in new.types where old.type(named: type.name) == nil {
      let mayBeKnown = old.types.contains {
        new.type(named: $0.name) == nil && Self.mayBeRenamed($0, to: type)
      }
      if !mayBeKnown { operations.append(Self.text(type, cases)) }
    }
  }

  /// What leads from one shape of a type to another. What went and may have another name now is not
  /// removed, nor is the key.
  private mutating func note(_ type: TypeShape, _ other: TypeShape, _ cases: [MemberCases]) {
    let (inferred, open) = type.inferredOperations(to: other)
    let renames = Self.renames(type, other)
    for operation in inferred {
      guard let text = Self.text(operation, cases) else { continue }
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
    undecided += open.map { Self.text($0, from: type, to: other) }
    possibleRenames += renames.map {
      "On(\"\(type.name)\") { Rename(\"\($0.old)\", to: \"\($0.new)\") }"
    }
  }

  private static func text(
    _ difference: SchemaDifference, from old: TypeShape, to new: TypeShape
  ) -> String {
    guard case .keyChanged = difference else { return "\(difference)" }
    let way =
      new.index(ofMember: old.keyMember) == nil && old.index(ofMember: new.keyMember) == nil
      ? "On(\"\(old.name)\") { Rename(\"\(old.keyMember)\", to: \"\(new.keyMember)\") } or "
      : ""
    return way + "Rekey, and Remove(\"\(old.keyMember)\") in a later version (\(difference))"
  }

  /// A type that went, and all its objects with it, unless it is called like one that came now.
  private mutating func noteRemoval(
    of type: TypeShape, _ old: SchemaShape, _ new: SchemaShape, _ cases: [MemberCases]
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
    let additions = candidates.map { Self.text($0, cases) }
    possibleRenames += renames
    undecided.append(
      renames.joined(separator: " or ") + " or "
        + ([removal] + additions).joined(separator: "; "))
  }

  /// Whether a type may be another one under a new name: keys are of the same type, and half of the
  /// other members are there.
  private static func mayBeRenamed(_ old: TypeShape, to new: TypeShape) -> Bool {
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

  private static func text(_ type: TypeShape, _ cases: [MemberCases]) -> String {
    let fields = type.members.map { member in
      "Field(\"\(member.name)\", \(text(member.type))"
        + text(cases.filter { $0.type == type.name }, of: member.name) + ")"
    }
    return "Type(\"\(type.name)\", key: \"\(type.keyMember)\") { "
      + fields.joined(separator: "; ") + " }"
  }

  private static func text(_ operation: RecordOperation, _ cases: [MemberCases]) -> String? {
    switch operation {
    case .add(let member, let type, _, _):
      "Add(\"\(member)\", \(text(type))" + text(cases, of: member) + ")"
    case .remove(let member, _): "Remove(\"\(member)\")"
    case .makeOptional(let member, _): "MakeOptional(\"\(member)\")"
    default: nil
    }
  }

  private static func text(_ cases: [MemberCases], of member: String) -> String {
    let own = cases.first { $0.member == member }.map { ", cases: [\($0.caseText)]" } ?? ""
    let inside = inside(cases.filter { $0.member.hasPrefix(member + ".") }, of: member)
    return own + (inside.map { ", inside: \($0)" } ?? "")
  }

  /// The cases of what is inside of a member, as declarations say them.
  private static func inside(_ cases: [MemberCases], of member: String) -> String? {
    var parts: [String] = []
    for found in cases {
      let rest = found.member.dropFirst(member.count + 1)
      let name = rest.prefix { $0 != "." }
      let path = "\(member).\(name)"
      let deeper = cases.filter { $0.member.hasPrefix(path + ".") }
      let text =
        name.count == rest.count
        ? ".cases([\(found.caseText)])" : inside(deeper, of: path).map { ".inside(\($0))" }
      let part = "\"\(name)\": \(text ?? "")"
      if !parts.contains(part) { parts.append(part) }
    }
    return parts.isEmpty ? nil : "[\(parts.joined(separator: ", "))]"
  }

  private static func text(_ type: FieldType) -> String {
    switch type {
    case .optional(let inner): ".optional(\(text(inner)))"
    case .list(let inner): ".list(\(text(inner)))"
    case .dictionary(let inner): ".dictionary(\(text(inner)))"
    case .object(let members):
      ".object(["
        + members.map { "MemberShape(\"\($0.name)\", \(text($0.type)))" }.joined(separator: ", ")
        + "])"
    default: ".\(type)"
    }
  }
}
