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

extension Bool: ValueConvertible {
  public static var fieldType: FieldType? { .bool }
  public init(stepValue: Value) throws {
    guard case .bool(let value) = stepValue else {
      throw ValueConversionError(expected: "a bool", found: stepValue.kindName)
    }
    self = value
  }
  public var stepValue: Value { .bool(self) }
}

extension Int: ValueConvertible {
  public static var fieldType: FieldType? { .int64 }
  public init(stepValue: Value) throws {
    guard case .int(let value) = stepValue, let exact = Int(exactly: value) else {
      throw ValueConversionError(expected: "an integer", found: stepValue.kindName)
    }
    self = exact
  }
  public var stepValue: Value { .int(Int64(self)) }
}

extension Int64: ValueConvertible {
  public static var fieldType: FieldType? { .int64 }
  public init(stepValue: Value) throws {
    guard case .int(let value) = stepValue else {
      throw ValueConversionError(expected: "an integer", found: stepValue.kindName)
    }
    self = value
  }
  public var stepValue: Value { .int(self) }
}

extension Int32: ValueConvertible {
  public static var fieldType: FieldType? { .int32 }
  public init(stepValue: Value) throws {
    guard case .int(let value) = stepValue, let exact = Int32(exactly: value) else {
      throw ValueConversionError(expected: "a 32-bit integer", found: stepValue.kindName)
    }
    self = exact
  }
  public var stepValue: Value { .int(Int64(self)) }
}

extension Float: ValueConvertible {
  public static var fieldType: FieldType? { .float }
  public init(stepValue: Value) throws {
    guard case .float(let value) = stepValue else {
      throw ValueConversionError(expected: "a float", found: stepValue.kindName)
    }
    self = value
  }
  public var stepValue: Value { .float(self) }
}

extension Double: ValueConvertible {
  public static var fieldType: FieldType? { .double }
  public init(stepValue: Value) throws {
    guard case .double(let value) = stepValue else {
      throw ValueConversionError(expected: "a double", found: stepValue.kindName)
    }
    self = value
  }
  public var stepValue: Value { .double(self) }
}

extension String: ValueConvertible {
  public static var fieldType: FieldType? { .string }
  public init(stepValue: Value) throws {
    guard case .string(let value) = stepValue else {
      throw ValueConversionError(expected: "a string", found: stepValue.kindName)
    }
    self = value
  }
  public var stepValue: Value { .string(self) }
}

extension UniqueIdentifier: ValueConvertible {
  public static var fieldType: FieldType? { .uuid }
  public init(stepValue: Value) throws {
    guard case .uuid(let value) = stepValue else {
      throw ValueConversionError(expected: "a uuid", found: stepValue.kindName)
    }
    self = value
  }
  public var stepValue: Value { .uuid(self) }
}
