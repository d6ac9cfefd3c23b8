/// Expressions on embedded objects, lists and choices in a history file.
extension DocumentPlace {
  /// What belongs to `word`, which stands before this place.
  func structure(_ word: String) throws(SchemaError) -> ValueExpression {
    switch word {
    case "first": return .first(try expression())
    case "isNil": return .isNil(try expression())
    case "not": return .not(try expression())
    case "field":
      let parts = try object(allowing: ["of", "name"])
      return .field(
        try required("of", in: parts).expression(), try required("name", in: parts).text())
    case "setting":
      let parts = try object(allowing: ["of", "name", "to"])
      return .setting(
        try required("of", in: parts).expression(), try required("name", in: parts).text(),
        try required("to", in: parts).expression())
    case "object": return .object(try objectParts())
    case "reshaped":
      let parts = try object(allowing: ["of", "members"])
      return .reshaped(
        try required("of", in: parts).expression(),
        try required("members", in: parts).objectParts())
    case "isEqual":
      let sides = try array()
      guard sides.count == 2 else { throw failure("two expressions are expected") }
      return .isEqual(try sides[0].expression(), try sides[1].expression())
    default:
      let parts = try object(allowing: ["of", "cases", "else"])
      let otherwise: ValueExpression?
      if let place = parts["else"] { otherwise = try place.expression() } else { otherwise = nil }
      return .mapped(
        try required("of", in: parts).expression(),
        try required("cases", in: parts).caseMappings(), otherwise: otherwise)
    }
  }

  private func objectParts() throws(SchemaError) -> [ObjectPart] {
    var members: [ObjectPart] = []
    for place in try array() {
      let parts = try place.object(allowing: ["name", "value"])
      members.append(
        ObjectPart(
          try place.required("name", in: parts).text(),
          try place.required("value", in: parts).expression()))
    }
    return members
  }

  /// Values in pairs, as in `[{"from": C, "to": C}]`.
  func caseMappings() throws(SchemaError) -> [CaseMapping] {
    var cases: [CaseMapping] = []
    for place in try array() {
      let parts = try place.object(allowing: ["from", "to"])
      cases.append(
        CaseMapping(
          from: try place.required("from", in: parts).constant(),
          to: try place.required("to", in: parts).constant()))
    }
    return cases
  }
}

extension DocumentTree {
  /// The form of an expression that ``DocumentPlace/structure(_:)`` reads.
  static func structure(_ expression: ValueExpression) -> DocumentTree {
    switch expression {
    case .field(let inner, let name):
      return .object(["field": .object(["of": DocumentTree(inner), "name": .text(name)])])
    case .setting(let inner, let name, let value):
      return .object([
        "setting": .object([
          "of": DocumentTree(inner), "name": .text(name), "to": DocumentTree(value),
        ])
      ])
    case .object(let parts): return .object(["object": members(parts)])
    case .reshaped(let inner, let parts):
      return .object([
        "reshaped": .object(["of": DocumentTree(inner), "members": members(parts)])
      ])
    case .first(let inner): return .object(["first": DocumentTree(inner)])
    case .isNil(let inner): return .object(["isNil": DocumentTree(inner)])
    case .not(let inner): return .object(["not": DocumentTree(inner)])
    case .isEqual(let first, let second):
      return .object(["isEqual": .array([DocumentTree(first), DocumentTree(second)])])
    case .mapped(let inner, let cases, let otherwise):
      var parts: [String: DocumentTree] = ["of": DocumentTree(inner), "cases": .cases(cases)]
      if let otherwise { parts["else"] = DocumentTree(otherwise) }
      return .object(["mapped": .object(parts)])
    default: preconditionFailure("only structures are written here")
    }
  }

  private static func members(_ parts: [ObjectPart]) -> DocumentTree {
    .array(parts.map { .object(["name": .text($0.name), "value": DocumentTree($0.value)]) })
  }

  /// Values in pairs.
  static func cases(_ cases: [CaseMapping]) -> DocumentTree {
    .array(cases.map { .object(["from": .constant($0.from), "to": .constant($0.to)]) })
  }
}
