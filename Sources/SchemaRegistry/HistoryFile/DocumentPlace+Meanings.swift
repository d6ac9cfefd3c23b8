/// What is said of members beside their shape, in a history file.
extension DocumentPlace {
  static let meaningKeys: Set<String> = ["linksTo", "cases", "inside"]

  /// What `parts` say of a member of `type`; where that is not known, cases have a type of their
  /// own.
  func meaning(
    _ parts: [String: DocumentPlace], of type: FieldType?
  ) throws(SchemaError) -> MemberMeaning {
    var meaning = MemberMeaning()
    if let place = parts["linksTo"] { meaning.linksTo = try place.text() }
    if let place = parts["cases"] { meaning.cases = try place.cases(of: type) }
    guard let place = parts["inside"] else { return meaning }
    var members: [MemberShape] = []
    if case .object(let found)? = type?.innermost { members = found }
    let names = try type == nil ? place.keys() : Set(members.map(\.name))
    for (name, place) in try place.object(allowing: names) {
      meaning.inside[name] = try place.meaning(
        try place.object(allowing: Self.meaningKeys),
        of: members.first { $0.name == name }?.type)
    }
    return meaning
  }

  private func cases(of type: FieldType?) throws(SchemaError) -> [Value] {
    guard let type else { return try constants() }
    return try array().map { (place) throws(SchemaError) in
      try place.value(of: type.innermost)
    }
  }
}

extension DocumentTree {
  /// The form of `meaning` that ``DocumentPlace/meaning(_:of:)`` reads.
  static func parts(
    _ meaning: MemberMeaning, _ value: (Value) -> DocumentTree
  ) -> [String: DocumentTree] {
    var parts: [String: DocumentTree] = [:]
    if let target = meaning.linksTo { parts["linksTo"] = .text(target) }
    if let cases = meaning.cases { parts["cases"] = .array(cases.map(value)) }
    if !meaning.inside.isEmpty {
      parts["inside"] = .object(meaning.inside.mapValues { .object(Self.parts($0, value)) })
    }
    return parts
  }
}
