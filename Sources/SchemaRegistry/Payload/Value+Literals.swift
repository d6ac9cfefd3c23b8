/// Literals for defaults and fills: `Add("score", .int64, default: 0)`.
extension Value: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByFloatLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  /// An integer, for `int32` and `int64` members.
  public init(integerLiteral value: Int64) { self = .int(value) }
  /// Text.
  public init(stringLiteral value: String) { self = .string(value) }
  /// A bool.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// A number with a point, for `double` members.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// A list.
  public init(arrayLiteral elements: Value...) { self = .list(elements) }
  /// A dictionary; of a key that is there twice, the last value.
  public init(dictionaryLiteral elements: (String, Value)...) {
    self = .dictionary(Dictionary(elements) { _, last in last })
  }

  /// The same number as a member of `type` holds it, where it can hold it exactly: a literal does
  /// not say which it is. Anything else stays as it is.
  func asNumber(for type: FieldType) -> Value {
    switch (self, type.unwrapped) {
    case (.int(let number), .double): Double(exactly: number).map { .double($0) } ?? self
    case (.int(let number), .float): Float(exactly: number).map { .float($0) } ?? self
    case (.int(let number), .date): Double(exactly: number).map { .date($0) } ?? self
    case (.double(let number), .float): .float(Float(number))
    case (.double(let number), .date): .date(number)
    default: self
    }
  }
}
