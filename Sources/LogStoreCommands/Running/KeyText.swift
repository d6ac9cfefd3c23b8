internal import SchemaRegistry

/// A primary key as it is given on the command line.
enum KeyText {
  /// The key that `text` stands for: digits, a uuid, text as it is, or bytes as base64.
  static func value(_ text: String, of shape: TypeShape) throws(CommandError) -> Value {
    let value: Value? =
      switch shape.keyType {
      case .int32: Int32(text).map { .int(Int64($0)) }
      case .int64: Int64(text).map { .int($0) }
      case .uuid: UniqueIdentifier(parsing: text).map { .uuid($0) }
      case .data: Base64.decode(text).map { .data($0) }
      default: .string(text)
      }
    guard let value else {
      throw .usage("the key of \(shape.name) is \(shape.keyType), which the given text is not")
    }
    return value
  }
}
