internal import SchemaRegistry

/// Types, members and operations as Swift.
extension SchemaSuggestion {
  static func text(_ type: TypeShape, _ meanings: [String: MemberMeaning]) -> String {
    let fields = type.members.map { member in
      "Field(\"\(member.name)\", \(text(member.type))" + text(meanings[member.name]) + ")"
    }
    return "Type(\"\(type.name)\", key: \"\(type.keyMember)\") { "
      + fields.joined(separator: "; ") + " }"
  }

  static func text(
    _ operation: RecordOperation, _ meanings: [String: MemberMeaning]
  ) -> String? {
    switch operation {
    case .add(let member, let type, _, _):
      "Add(\"\(member)\", \(text(type))" + text(meanings[member]) + ")"
    case .remove(let member, _): "Remove(\"\(member)\")"
    case .makeOptional(let member, _): "MakeOptional(\"\(member)\")"
    default: nil
    }
  }

  /// A larger type that every value has a place in; a list of one is for the author to decide.
  static func widening(
    _ difference: SchemaDifference, from old: TypeShape, to new: TypeShape
  ) -> String? {
    guard case .memberTypeChanged(_, let member, _, _) = difference,
      let (held, wanted) = types(of: member, old, new), Widening.isLossless(from: held, to: wanted)
    else { return nil }
    if case .list = wanted.unwrapped { return nil }
    return "On(\"\(old.name)\") { Widen(\"\(member)\", to: \(text(wanted))) }"
  }

  /// Another type, or one without nil, with an ellipsis for what the author must write.
  static func change(
    _ difference: SchemaDifference, from old: TypeShape, to new: TypeShape
  ) -> String? {
    guard let member = difference.memberName, let (held, wanted) = types(of: member, old, new)
    else {
      return nil
    }
    switch difference {
    case .madeRequired: return "Require(\"\(member)\", fill: …)"
    case .memberTypeChanged where Widening.isLossless(from: held, to: wanted):
      return "Widen(\"\(member)\", to: \(text(wanted)))"
    case .memberTypeChanged: return "Convert(\"\(member)\", to: \(text(wanted))) { … }"
    default: return nil
    }
  }

  /// What a member of the record holds and shall hold, where it is not the key; nil stays nil, as
  /// another operation takes it away.
  private static func types(
    of member: String, _ old: TypeShape, _ new: TypeShape
  ) -> (held: FieldType, wanted: FieldType)? {
    guard member != old.keyMember, let before = old.index(ofMember: member),
      let after = new.index(ofMember: member)
    else { return nil }
    let (held, wanted) = (old.members[before].type, new.members[after].type)
    return (held, held.isOptional ? wanted.madeOptional : wanted)
  }

  /// What a declaration says of its member after the type.
  private static func text(_ meaning: MemberMeaning?) -> String {
    meaning.map { parts(of: $0).map { ", \($0.label): \($0.value)" }.joined() } ?? ""
  }

  private static func parts(
    of meaning: MemberMeaning
  ) -> [(label: String, value: String)] {
    var parts: [(label: String, value: String)] = []
    if let target = meaning.linksTo { parts.append(("linksTo", "\"\(target)\"")) }
    if let cases = meaning.cases { parts.append(("cases", "[\(cases.caseText)]")) }
    if !meaning.inside.isEmpty {
      let inside = meaning.inside.sorted { $0.key < $1.key }.map { name, meaning in
        "\"\(name)\": \(textInside(meaning))"
      }
      parts.append(("inside", "[\(inside.joined(separator: ", "))]"))
    }
    return parts
  }

  private static func textInside(_ meaning: MemberMeaning) -> String {
    let parts = parts(of: meaning)
    if parts.count == 1 { return ".\(parts[0].label)(\(parts[0].value))" }
    return "MemberMeaning("
      + parts.map { "\($0.label): \($0.value)" }.joined(separator: ", ") + ")"
  }

  static func text(_ type: FieldType) -> String {
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
