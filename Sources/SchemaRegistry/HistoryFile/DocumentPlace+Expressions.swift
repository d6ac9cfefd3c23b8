/// Expressions in a history file.
extension DocumentPlace {
  private static let words: Set<String> = [
    "member", "constant", "textBefore", "textAfter", "textBetween", "trimmed", "lowercased",
    "parseInteger", "parseDouble", "toString", "join", "orElse", "field", "object", "setting",
    "reshaped", "first", "mapped", "isEqual", "isNil", "not",
  ]

  /// The expression here: an object with one word.
  func expression() throws(SchemaError) -> ValueExpression {
    let object = try object(allowing: Self.words)
    guard object.count == 1, let (word, inner) = object.first else {
      throw failure("an expression is an object with exactly one key")
    }
    switch word {
    case "member": return .member(try inner.text())
    case "constant": return .constant(try inner.constant())
    case "trimmed": return .trimmed(try inner.expression())
    case "lowercased": return .lowercased(try inner.expression())
    case "parseInteger": return .parseInteger(try inner.expression())
    case "parseDouble": return .parseDouble(try inner.expression())
    case "toString": return .toString(try inner.expression())
    case "textBefore":
      let parts = try inner.object(allowing: ["of", "separator"])
      return .textBefore(
        try inner.required("of", in: parts).expression(),
        separator: try inner.required("separator", in: parts).text())
    case "textAfter":
      let parts = try inner.object(allowing: ["of", "separator"])
      return .textAfter(
        try inner.required("of", in: parts).expression(),
        separator: try inner.required("separator", in: parts).text())
    case "textBetween":
      let parts = try inner.object(allowing: ["of", "start", "end"])
      return .textBetween(
        try inner.required("of", in: parts).expression(),
        start: try inner.required("start", in: parts).text(),
        end: try inner.required("end", in: parts).text())
    case "join": return try inner.join()
    case "field", "object", "setting", "reshaped", "first", "mapped", "isEqual", "isNil", "not":
      return try inner.structure(word)
    default:
      let parts = try inner.object(allowing: ["of", "else"])
      return .orElse(
        try inner.required("of", in: parts).expression(),
        try inner.required("else", in: parts).expression())
    }
  }

  private func join() throws(SchemaError) -> ValueExpression {
    let parts = try object(allowing: ["of", "separator"])
    var expressions: [ValueExpression] = []
    for place in try required("of", in: parts).array() {
      expressions.append(try place.expression())
    }
    return .join(expressions, separator: try required("separator", in: parts).text())
  }

  /// A value together with its type.
  func constant() throws(SchemaError) -> Value {
    let parts = try object(allowing: ["type", "value"])
    let type = try required("type", in: parts).fieldType(allowingEmptyObjects: true)
    return try required("value", in: parts).value(of: type)
  }
}

extension DocumentTree {
  /// The form of `expression` that ``DocumentPlace/expression()`` reads.
  init(_ expression: ValueExpression) {
    switch expression {
    case .member(let name): self = .object(["member": .text(name)])
    case .constant(let value): self = .object(["constant": .constant(value)])
    case .textBefore(let inner, let separator):
      self = .object([
        "textBefore": .object(["of": DocumentTree(inner), "separator": .text(separator)])
      ])
    case .textAfter(let inner, let separator):
      self = .object([
        "textAfter": .object(["of": DocumentTree(inner), "separator": .text(separator)])
      ])
    case .textBetween(let inner, let start, let end):
      self = .object([
        "textBetween": .object([
          "of": DocumentTree(inner), "start": .text(start), "end": .text(end),
        ])
      ])
    case .trimmed(let inner): self = .object(["trimmed": DocumentTree(inner)])
    case .lowercased(let inner): self = .object(["lowercased": DocumentTree(inner)])
    case .parseInteger(let inner): self = .object(["parseInteger": DocumentTree(inner)])
    case .parseDouble(let inner): self = .object(["parseDouble": DocumentTree(inner)])
    case .toString(let inner): self = .object(["toString": DocumentTree(inner)])
    case .join(let parts, let separator):
      self = .object([
        "join": .object([
          "of": .array(parts.map { DocumentTree($0) }), "separator": .text(separator),
        ])
      ])
    case .orElse(let first, let second):
      self = .object([
        "orElse": .object(["of": DocumentTree(first), "else": DocumentTree(second)])
      ])
    default: self = Self.structure(expression)
    }
  }

  /// A value together with a type that reads it back; nil is written as an optional text.
  static func constant(_ value: Value) -> DocumentTree {
    .object(["type": .text(common([value]).description), "value": DocumentTree(value)])
  }

  /// A type that holds all of the `values` that stand in one place, as in a list: what one of them
  /// does not show, because it is nil, empty, or leaves members out, others may.
  private static func common(_ values: [Value]) -> FieldType {
    let present = values.filter { !$0.isNull }
    let type = present.first.map { common(present, like: $0) } ?? .string
    return present.count < values.count ? type.madeOptional : type
  }

  /// The same for values of which none is nil, and which are of one kind.
  private static func common(_ values: [Value], like first: Value) -> FieldType {
    if let type = first.naturalType { return type }
    switch first {
    case .list:
      let lists = values.compactMap { value -> [Value]? in
        if case .list(let elements) = value { elements } else { nil }
      }
      return .list(common(lists.flatMap(\.self)))
    case .dictionary:
      let dictionaries = values.compactMap { value -> [String: Value]? in
        if case .dictionary(let elements) = value { elements } else { nil }
      }
      return .dictionary(common(dictionaries.flatMap(\.values)))
    default:
      let objects = values.compactMap { value -> [String: Value]? in
        if case .object(let members) = value { members } else { nil }
      }
      return .object(
        Set(objects.flatMap(\.keys)).sorted().map { name in
          MemberShape(name, common(objects.map { $0[name] ?? .null }))
        })
    }
  }
}
