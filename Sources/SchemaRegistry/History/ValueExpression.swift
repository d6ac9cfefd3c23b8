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
  /// A member of an embedded object.
  case field(ValueExpression, String)
  /// An embedded object with these members, in this order.
  case object([ObjectPart])
  /// An embedded object with another value for one member, or with one member more.
  case setting(ValueExpression, String, ValueExpression)
  /// The first element of a list; nil when it is empty.
  case first(ValueExpression)
  /// One value in the place of another, for enumerations; other values are not there unless
  /// `otherwise` gives one.
  case mapped(ValueExpression, [CaseMapping], otherwise: ValueExpression?)
  /// Whether both values are the same; nil is the same as nil.
  case isEqual(ValueExpression, ValueExpression)
  /// Whether there is no value.
  case isNil(ValueExpression)
  /// The opposite of a bool.
  case not(ValueExpression)
  /// Every embedded object in a value made anew, be it the value itself or in lists and
  /// dictionaries: the parts read members of that object.
  case reshaped(ValueExpression, [ObjectPart])
}

/// A member of an embedded object that an expression makes.
public struct ObjectPart: Hashable, Sendable {
  /// What the member is called.
  public let name: String
  /// What its value is.
  public let value: ValueExpression

  public init(_ name: String, _ value: ValueExpression) {
    self.name = name
    self.value = value
  }
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

  /// The member called `name` of the embedded object.
  public func field(_ name: String) -> Self { .field(self, name) }
  /// The embedded object with `value` as its member called `name`.
  public func setting(_ name: String, to value: Self) -> Self { .setting(self, name, value) }
  /// Every embedded object in the value with these members, which are made of its own ones.
  public func reshaped(_ parts: [ObjectPart]) -> Self { .reshaped(self, parts) }
  /// The first element of the list.
  public var first: Self { .first(self) }
  /// Whether it is the same as a constant.
  public func isEqual(to value: Value) -> Self { .isEqual(self, .constant(value)) }
  /// Whether there is no value.
  public var isNil: Self { .isNil(self) }
  /// The opposite.
  public var not: Self { .not(self) }

  /// The members that the expression reads, each once, in the order they appear.
  public var memberNames: [String] {
    var (names, known): ([String], Set<String>) = ([], [])
    visit { if case .member(let name) = $0, known.insert(name).inserted { names.append(name) } }
    return names
  }

  /// Whether it reaches into embedded objects by ``reshaped(_:_:)``.
  var reshapes: Bool {
    if case .reshaped = self { true } else { children.contains(where: \.reshapes) }
  }

  /// How deep the expression nests, with the values that are written in it.
  public var depth: Int {
    let written = writtenValues.map(\.depth).max() ?? 0
    if case .constant = self { return written }
    return 1 + max(withParts.map(\.depth).max() ?? 0, written)
  }

  /// What it is made of, with the parts of ``reshaped(_:_:)``.
  private var withParts: [ValueExpression] {
    if case .reshaped(_, let parts) = self { children + parts.map(\.value) } else { children }
  }

  /// Whether it takes no longer than the values that it reads: lists that are written in it might
  /// be run through within each other without end.
  public var isBounded: Bool {
    let count = max(1, elementCount)
    var total = 1
    for _ in 0..<reshapeDepth {
      total = total.multipliedReportingOverflow(by: count).overflow ? .max : total * count
      if total > Self.repetitionMaximum { return false }
    }
    return true
  }

  /// How often a part may run because of what is written in the expression.
  private static let repetitionMaximum = 1 << 20

  /// How many elements lists and dictionaries have that are written here.
  private var elementCount: Int {
    let written = writtenValues.reduce(0) { $0 + $1.elementCount }
    return withParts.reduce(written) { $0 + $1.elementCount }
  }

  /// The values that are written in this expression itself.
  private var writtenValues: [Value] {
    switch self {
    case .constant(let value): [value]
    case .mapped(_, let cases, _): cases.flatMap { [$0.from, $0.to] }
    default: []
    }
  }

  /// How many levels of lists parts may run through: those of stages run one after the other.
  private var reshapeDepth: Int {
    let inner = children.map(\.reshapeDepth).max() ?? 0
    guard case .reshaped(_, let parts) = self else { return inner }
    return max(inner, 1 + (parts.map(\.value.reshapeDepth).max() ?? 0))
  }

  /// What it is made of; not the parts of ``reshaped(_:_:)``, whose members are others.
  var children: [ValueExpression] {
    switch self {
    case .member, .constant: []
    case .textBefore(let inner, _), .textAfter(let inner, _), .textBetween(let inner, _, _),
      .trimmed(let inner), .lowercased(let inner), .parseInteger(let inner),
      .parseDouble(let inner), .toString(let inner), .field(let inner, _), .first(let inner),
      .isNil(let inner), .not(let inner), .reshaped(let inner, _):
      [inner]
    case .join(let parts, _): parts
    case .object(let parts): parts.map(\.value)
    case .mapped(let inner, _, let otherwise): [inner] + (otherwise.map { [$0] } ?? [])
    case .orElse(let first, let second), .isEqual(let first, let second),
      .setting(let first, _, let second):
      [first, second]
    }
  }

  /// The same with something else for each member that it reads.
  func replacingMembers(_ found: (String) -> ValueExpression) -> ValueExpression {
    switch self {
    case .member(let name): found(name)
    case .constant: self
    case .textBefore(let inner, let text):
      .textBefore(inner.replacingMembers(found), separator: text)
    case .textAfter(let inner, let text): .textAfter(inner.replacingMembers(found), separator: text)
    case .textBetween(let inner, let start, let end):
      .textBetween(inner.replacingMembers(found), start: start, end: end)
    case .trimmed(let inner): .trimmed(inner.replacingMembers(found))
    case .lowercased(let inner): .lowercased(inner.replacingMembers(found))
    case .parseInteger(let inner): .parseInteger(inner.replacingMembers(found))
    case .parseDouble(let inner): .parseDouble(inner.replacingMembers(found))
    case .toString(let inner): .toString(inner.replacingMembers(found))
    case .join(let parts, let text):
      .join(parts.map { $0.replacingMembers(found) }, separator: text)
    case .orElse(let first, let second):
      .orElse(first.replacingMembers(found), second.replacingMembers(found))
    case .field(let inner, let name): .field(inner.replacingMembers(found), name)
    case .object(let parts):
      .object(parts.map { ObjectPart($0.name, $0.value.replacingMembers(found)) })
    case .setting(let inner, let name, let value):
      .setting(inner.replacingMembers(found), name, value.replacingMembers(found))
    case .reshaped(let inner, let parts): .reshaped(inner.replacingMembers(found), parts)
    case .first(let inner): .first(inner.replacingMembers(found))
    case .mapped(let inner, let cases, let otherwise):
      .mapped(
        inner.replacingMembers(found), cases, otherwise: otherwise?.replacingMembers(found))
    case .isEqual(let first, let second):
      .isEqual(first.replacingMembers(found), second.replacingMembers(found))
    case .isNil(let inner): .isNil(inner.replacingMembers(found))
    case .not(let inner): .not(inner.replacingMembers(found))
    }
  }

  private func visit(_ body: (ValueExpression) -> Void) {
    body(self)
    for child in children { child.visit(body) }
  }
}

extension Value {
  /// How deep the value nests; 1 for most.
  fileprivate var depth: Int { 1 + (inside.map(\.depth).max() ?? 0) }

  /// How many elements lists and dictionaries in it have.
  fileprivate var elementCount: Int {
    var count = inside.reduce(0) { $0 + $1.elementCount }
    if case .object = self {} else { count += inside.count }
    return count
  }

  private var inside: [Value] {
    switch self {
    case .list(let elements): elements
    case .dictionary(let elements), .object(let elements): Array(elements.values)
    default: []
    }
  }
}
