/// Literals for defaults and fills: `Add("score", .int64, default: 0)`.
extension Value: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByFloatLiteral
{
  /// An integer, for `int32` and `int64` members.
  public init(integerLiteral value: Int64) { self = .int(value) }
  /// Text.
  public init(stringLiteral value: String) { self = .string(value) }
  /// A bool.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// A number with a point, for `double` members.
  public init(floatLiteral value: Double) { self = .double(value) }
}
