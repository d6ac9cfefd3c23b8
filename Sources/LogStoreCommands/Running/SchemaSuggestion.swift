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
        operations.append("RemoveType(\"\(type.name)\")")
        continue
      }
      let (inferred, open) = type.inferredOperations(to: other)
      operations += inferred.compactMap { Self.text($0, cases.filter { $0.type == type.name }) }
        .map { "On(\"\(type.name)\") { \($0) }" }
      undecided += open.map { "\($0)" }
      noteRenames(type, other)
    }
    for type in new.types where old.type(named: type.name) == nil {
      let fields = type.members.map { member in
        "Field(\"\(member.name)\", \(Self.text(member.type))"
          + Self.text(cases.filter { $0.type == type.name }, of: member.name) + ")"
      }
      operations.append(
        "Type(\"\(type.name)\", key: \"\(type.keyMember)\") { "
          + fields.joined(separator: "; ") + " }")
    }
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
  private mutating func noteRenames(_ old: TypeShape, _ new: TypeShape) {
    for member in old.members where new.index(ofMember: member.name) == nil {
      for other in new.members
      where old.index(ofMember: other.name) == nil
        && other.type.unwrapped.description == member.type.unwrapped.description
      {
        possibleRenames.append(
          "On(\"\(old.name)\") { Rename(\"\(member.name)\", to: \"\(other.name)\") }")
      }
    }
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
