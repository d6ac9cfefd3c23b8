extension ValueExpression {
  /// Why an expression has no type: a sentence part, and the member that it is about.
  struct Problem: Error {
    let member: String?
    let reason: String
  }

  /// The expression's type; `member` gives the types of members, nil for one that does not exist.
  func inferType(_ member: (String) -> FieldType?) throws(Problem) -> ExpressionType {
    switch self {
    case .member(let name):
      guard let type = member(name) else {
        throw Problem(member: name, reason: "reads \(name), which does not exist here")
      }
      return ExpressionType(base: type.unwrapped, isOptional: type.isOptional)
    case .constant(let value):
      return ExpressionType(base: value.naturalType, isOptional: value.isNull)
    case .orElse(let first, let second):
      return try Self.unify(first.inferType(member), second.inferType(member))
    case .join(let parts, _):
      for part in parts { _ = try part.requireText(member, word: "join") }
      return ExpressionType(base: .string, isOptional: false)
    case .toString(let inner):
      return try Self.textual(inner.inferType(member))
    case .textBefore(let inner, let separator), .textAfter(let inner, let separator):
      guard !separator.isEmpty else {
        throw Problem(member: nil, reason: "has an empty separator")
      }
      return try inner.requireText(member, word: "a text operation")
    case .textBetween(let inner, let start, let end):
      guard !start.isEmpty, !end.isEmpty else {
        throw Problem(member: nil, reason: "has an empty separator")
      }
      return try inner.requireText(member, word: "textBetween")
    case .trimmed(let inner), .lowercased(let inner):
      return try inner.requireText(member, word: "a text operation")
    case .parseInteger(let inner):
      let type = try inner.requireText(member, word: "parseInteger")
      return ExpressionType(base: .int64, isOptional: type.isOptional)
    case .parseDouble(let inner):
      let type = try inner.requireText(member, word: "parseDouble")
      return ExpressionType(base: .double, isOptional: type.isOptional)
    case .field, .object, .setting, .reshaped, .first:
      return try inferStructure(member)
    case .mapped, .isEqual, .isNil, .not:
      return try inferChoice(member)
    }
  }

  private func requireText(
    _ member: (String) -> FieldType?, word: String
  ) throws(Problem) -> ExpressionType {
    let type = try inferType(member)
    guard type.base == .string || type.base == nil else {
      throw Problem(
        member: memberNames.first,
        reason: "gives \(word) \(type.base?.description ?? "a value"), but it needs text")
    }
    return ExpressionType(base: .string, isOptional: type.isOptional)
  }

  private static func textual(_ type: ExpressionType) throws(Problem) -> ExpressionType {
    switch type.base {
    case nil, .bool, .int32, .int64, .float, .double, .string, .uuid:
      return ExpressionType(base: .string, isOptional: type.isOptional)
    case .some(let base):
      throw Problem(member: nil, reason: "gives toString \(base), which has no text form")
    }
  }

  static func unify(
    _ first: ExpressionType, _ second: ExpressionType
  ) throws(Problem) -> ExpressionType {
    guard let left = first.base, let right = second.base else {
      return ExpressionType(base: first.base ?? second.base, isOptional: second.isOptional)
    }
    guard ExpressionType.isStorable(left, in: right) || ExpressionType.isStorable(right, in: left)
    else {
      throw Problem(member: nil, reason: "is \(left) or else \(right), which are different types")
    }
    let base = left == .int32 ? right : left
    return ExpressionType(base: base, isOptional: second.isOptional)
  }
}

extension Value {
  /// The type that a value shows by itself; nil for nil and for lists, dictionaries and objects.
  var naturalType: FieldType? {
    switch self {
    case .bool: .bool
    case .int: .int64
    case .float: .float
    case .double: .double
    case .string: .string
    case .data: .data
    case .date: .date
    case .uuid: .uuid
    case .null, .list, .dictionary, .object: nil
    }
  }
}
