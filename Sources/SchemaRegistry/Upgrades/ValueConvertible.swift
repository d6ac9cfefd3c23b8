/// A Swift type that steps can take and return.
public protocol ValueConvertible: Sendable {
  /// The field type it stands for; nil when it accepts any.
  static var fieldType: FieldType? { get }
  /// Throws ``ValueConversionError`` when `stepValue` is of another kind or out of range.
  init(stepValue: Value) throws
  /// The value to store.
  var stepValue: Value { get }
}

extension Value: ValueConvertible {
  public static var fieldType: FieldType? { nil }
  public init(stepValue: Value) { self = stepValue }
  public var stepValue: Value { self }
}

extension Optional: ValueConvertible where Wrapped: ValueConvertible {
  public static var fieldType: FieldType? { Wrapped.fieldType?.madeOptional }
  public init(stepValue: Value) throws {
    self = stepValue.isNull ? nil : try Wrapped(stepValue: stepValue)
  }
  public var stepValue: Value { self?.stepValue ?? .null }
}

extension Array: ValueConvertible where Element: ValueConvertible {
  public static var fieldType: FieldType? { Element.fieldType.map { .list($0) } }
  public init(stepValue: Value) throws {
    guard case .list(let elements) = stepValue else {
      throw ValueConversionError(expected: "a list", found: stepValue.kindName)
    }
    self = try elements.map { try Element(stepValue: $0) }
  }
  public var stepValue: Value { .list(map(\.stepValue)) }
}

extension Dictionary: ValueConvertible where Key == String, Value: ValueConvertible {
  public static var fieldType: FieldType? { Value.fieldType.map { .dictionary($0) } }
  public init(stepValue: SchemaRegistry.Value) throws {
    guard case .dictionary(let values) = stepValue else {
      throw ValueConversionError(expected: "a dictionary", found: stepValue.kindName)
    }
    self = try values.mapValues { try Value(stepValue: $0) }
  }
  public var stepValue: SchemaRegistry.Value { .dictionary(mapValues(\.stepValue)) }
}
