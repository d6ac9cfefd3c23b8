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
