/// A value described without code, so that it can be written to a file and run by any tool.
///
///     ValueExpression.member("name").textBefore(", ").trimmed.orElse("")
///
/// Nil in gives nil out. A part that is not there (a missing separator, text that is no number)
/// makes the step fail, unless ``orElse(_:_:)`` catches it.
public indirect enum ValueExpression: Hashable, Sendable {
  /// The value of a member.
  case member(String)
  case constant(Value)
  /// The text before the first separator.
  case textBefore(ValueExpression, separator: String)
  /// The text after the first separator.
  case textAfter(ValueExpression, separator: String)
  /// The text between the first `start` and the next `end` after it.
  case textBetween(ValueExpression, start: String, end: String)
  /// The text without white space at both ends.
  case trimmed(ValueExpression)
  /// The text in lower case, in the same way in every locale.
  case lowercased(ValueExpression)
  /// The whole number that a text spells in decimal digits, with an optional sign.
  case parseInteger(ValueExpression)
  /// The number that a text spells, with a point and an optional exponent.
  case parseDouble(ValueExpression)
  /// A bool, number, uuid or text as text.
  case toString(ValueExpression)
  /// Texts in a row with a separator between them; parts that are nil are left out.
  case join([ValueExpression], separator: String)
  /// The first expression, or the second when the first is nil or has a part that is not there.
  case orElse(ValueExpression, ValueExpression)
}

extension ValueExpression {
  /// The text before the first `separator`.
  public func textBefore(_ separator: String) -> Self { .textBefore(self, separator: separator) }
  /// The text after the first `separator`.
  public func textAfter(_ separator: String) -> Self { .textAfter(self, separator: separator) }
  /// The text between the first `start` and the next `end`.
  public func textBetween(_ start: String, _ end: String) -> Self {
    .textBetween(self, start: start, end: end)
  }
  /// Without white space at both ends.
  public var trimmed: Self { .trimmed(self) }
  /// In lower case.
  public var lowercased: Self { .lowercased(self) }
  /// As a whole number.
  public var parseInteger: Self { .parseInteger(self) }
  /// As a number with a point.
  public var parseDouble: Self { .parseDouble(self) }
  /// As text.
  public var toString: Self { .toString(self) }
  /// With a replacement for nil and for parts that are not there.
  public func orElse(_ other: Self) -> Self { .orElse(self, other) }
  /// With a constant for nil and for parts that are not there.
  public func orElse(_ value: Value) -> Self { .orElse(self, .constant(value)) }

  /// The members that the expression reads, each once, in the order they appear.
  public var memberNames: [String] {
    var names: [String] = []
    visit { if case .member(let name) = $0, !names.contains(name) { names.append(name) } }
    return names
  }

  /// How deep the expression nests.
  public var depth: Int { 1 + (children.map(\.depth).max() ?? 0) }

  var children: [ValueExpression] {
    switch self {
    case .member, .constant: []
    case .textBefore(let inner, _), .textAfter(let inner, _), .textBetween(let inner, _, _),
      .trimmed(let inner), .lowercased(let inner), .parseInteger(let inner),
      .parseDouble(let inner), .toString(let inner):
      [inner]
    case .join(let parts, _): parts
    case .orElse(let first, let second): [first, second]
    }
  }

  private func visit(_ body: (ValueExpression) -> Void) {
    body(self)
    for child in children { child.visit(body) }
  }
}
