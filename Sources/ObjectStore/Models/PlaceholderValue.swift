/// A storable value that has an obvious neutral form: zero, no text, nothing.
///
/// It stands in members until an object is read, and is what `@Model` starts a member with that has
/// no initial value of its own.
public protocol PlaceholderValue: StorableValue {
  /// The neutral form.
  static var placeholder: Self { get }
}

/// Chooses what a member holds until its object is read; for code that `@Model` writes.
public enum Placeholder {
  /// The neutral form of a value.
  public static func value<Value: PlaceholderValue>() -> Value { .placeholder }

  /// The first case of an enumeration that says nothing else.
  @_disfavoredOverload
  public static func value<Value: StorableValue & CaseIterable>() -> Value {
    guard let first = Value.allCases.first else {
      fatalError("\(Value.self) must have a case to be a member of a model")
    }
    return first
  }

  /// An embedded object with its initial values.
  public static func value<Value: EmbeddedObject>() -> Value { Value() }

  /// The neutral form, which a type says itself, and not that with its initial values.
  public static func value<Value: PlaceholderValue & EmbeddedObject>() -> Value { .placeholder }
}

extension Bool: PlaceholderValue { public static var placeholder: Bool { false } }
extension Int: PlaceholderValue { public static var placeholder: Int { 0 } }
extension Int32: PlaceholderValue { public static var placeholder: Int32 { 0 } }
extension Int64: PlaceholderValue { public static var placeholder: Int64 { 0 } }
extension Float: PlaceholderValue { public static var placeholder: Float { 0 } }
extension Double: PlaceholderValue { public static var placeholder: Double { 0 } }
extension String: PlaceholderValue { public static var placeholder: String { "" } }
extension Optional: PlaceholderValue where Wrapped: StorableValue {
  public static var placeholder: Wrapped? { nil }
}
extension Array: PlaceholderValue where Element: StorableValue {
  public static var placeholder: [Element] { [] }
}
extension Dictionary: PlaceholderValue where Key == String, Value: StorableValue {
  public static var placeholder: [String: Value] { [:] }
}
