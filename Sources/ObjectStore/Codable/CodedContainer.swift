internal import SchemaRegistry

/// Containers of `Codable` values that have no storable form of their own.
protocol CodedContainer {
  static var emptyValue: Any { get }
  /// What it holds.
  static var elementType: any Decodable.Type { get }
  static func fieldType(at codingPath: [any CodingKey]) throws -> FieldType
}

extension Array: CodedContainer where Element: Decodable {
  static var emptyValue: Any { [Element]() }
  static var elementType: any Decodable.Type { Element.self }
  static func fieldType(at codingPath: [any CodingKey]) throws -> FieldType {
    .list(try MemberProbe.fieldType(Element.self, at: codingPath))
  }
}

extension Set: CodedContainer where Element: Decodable {
  static var emptyValue: Any { Set<Element>() }
  static var elementType: any Decodable.Type { Element.self }
  static func fieldType(at codingPath: [any CodingKey]) throws -> FieldType {
    .list(try MemberProbe.fieldType(Element.self, at: codingPath))
  }
}

extension Dictionary: CodedContainer where Key == String, Value: Decodable {
  static var emptyValue: Any { [String: Value]() }
  static var elementType: any Decodable.Type { Value.self }
  static func fieldType(at codingPath: [any CodingKey]) throws -> FieldType {
    .dictionary(try MemberProbe.fieldType(Value.self, at: codingPath))
  }
}

extension Optional: CodedContainer where Wrapped: Decodable {
  static var emptyValue: Any { Wrapped?.none as Any }
  static var elementType: any Decodable.Type { Wrapped.self }
  static func fieldType(at codingPath: [any CodingKey]) throws -> FieldType {
    MemberProbe.optional(
      try MemberProbe.fieldType(Wrapped.self, at: codingPath), of: Wrapped.self)
  }
}

/// Every dictionary, whatever its keys are.
protocol DictionaryOfAnyKeys {}

extension Dictionary: DictionaryOfAnyKeys {}
