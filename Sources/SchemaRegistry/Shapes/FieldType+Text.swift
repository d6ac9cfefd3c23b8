/// The text form, in histories written as JSON and in printed schemas.
///
///     type   := "bool" | "int32" | "int64" | "float" | "double" | "string" | "data" | "date"
///             | "uuid" | type "?" | "[" type "]" | "{string: " type "}"
///             | "(" name ": " type { ", " name ": " type } ")"
///
/// The last form is an embedded object. Spaces are free between words.
extension FieldType: CustomStringConvertible {
  public var description: String {
    switch self {
    case .bool: "bool"
    case .int32: "int32"
    case .int64: "int64"
    case .float: "float"
    case .double: "double"
    case .string: "string"
    case .data: "data"
    case .date: "date"
    case .uuid: "uuid"
    case .optional(let wrapped): "\(wrapped)?"
    case .list(let element): "[\(element)]"
    case .dictionary(let value): "{string: \(value)}"
    case .object(let members):
      "(" + members.map { "\($0.name): \($0.type)" }.joined(separator: ", ") + ")"
    }
  }

  /// Reads the text form; throws ``SchemaError/invalidTypeText(text:offset:reason:)``.
  public init(parsing text: String) throws(SchemaError) {
    var parser = FieldTypeParser(text)
    self = try parser.parse()
  }
}
