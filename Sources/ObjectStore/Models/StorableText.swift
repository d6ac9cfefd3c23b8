public import BinaryCoding
public import SchemaRegistry

/// Values that are stored as a text, which tools and upgrade steps see.
public protocol StorableText: StorableValue {
  /// What the text is, for messages: `decimal number`.
  static var storedKind: String { get }
  /// The text that is stored.
  var storedText: String { get }
  /// The value of a stored text; nothing when the text has none.
  init?(storedText text: String)
}

extension StorableText {
  public static var memberType: FieldType { .string }

  public func encode(to writer: inout ByteWriter) {
    PayloadPrimitives.writeString(storedText, to: &writer)
  }

  @inlinable public static func decode(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> Self {
    let offset = reader.offset
    guard let value = Self(storedText: try PayloadPrimitives.readString(from: &reader)) else {
      throw .invalidValue(offset: offset, reason: "the text is not a \(storedKind)")
    }
    return value
  }

  public var dynamicValue: Value { .string(storedText) }

  public init?(dynamicValue: Value) {
    guard case .string(let text) = dynamicValue else { return nil }
    self.init(storedText: text)
  }
}
