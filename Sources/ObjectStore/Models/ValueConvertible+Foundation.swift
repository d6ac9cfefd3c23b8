public import SchemaRegistry

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension UUID: ValueConvertible {
  public static var fieldType: FieldType? { .uuid }
  public init(stepValue: Value) throws {
    guard let value = UUID(dynamicValue: stepValue) else {
      throw ValueConversionError(expected: "a uuid", found: stepValue.kindName)
    }
    self = value
  }
  public var stepValue: Value { dynamicValue }
}

extension Date: ValueConvertible {
  public static var fieldType: FieldType? { .date }
  public init(stepValue: Value) throws {
    guard let value = Date(dynamicValue: stepValue) else {
      throw ValueConversionError(expected: "a date", found: stepValue.kindName)
    }
    self = value
  }
  public var stepValue: Value { dynamicValue }
}

extension Data: ValueConvertible {
  public static var fieldType: FieldType? { .data }
  public init(stepValue: Value) throws {
    guard let value = Data(dynamicValue: stepValue) else {
      throw ValueConversionError(expected: "bytes", found: stepValue.kindName)
    }
    self = value
  }
  public var stepValue: Value { dynamicValue }
}
