public import BinaryCoding
public import SchemaRegistry

/// A set is stored as a list of its elements, ascending by their bytes, so that equal sets have
/// equal bytes; a list that holds an element twice is read as a set that holds it once.
extension Set: StorableValue, PlaceholderValue where Element: StorableValue {
  public static var memberType: FieldType { .list(Element.memberType) }
  public static var heldValueType: (any StorableValue.Type)? { Element.self }
  public static var linkTargets: [String: String] { Element.linkTargets }
  public static var storedCases: [Value] { Element.storedCases }
  public static var caseLists: [String: [Value]] { Element.caseLists }
  public static var embeddedInitialValues: EmbeddedInitialValues? { Element.embeddedInitialValues }
  public static var elementIdentities: [String: ElementIdentity] {
    var identities = [Element].elementIdentities
    identities[""] = ElementIdentity(key: identities[""]?.key ?? "", isSet: true)
    return identities
  }
  public static var placeholder: Set<Element> { [] }

  public func encode(to writer: inout ByteWriter) {
    PayloadPrimitives.writeCount(count, to: &writer)
    for bytes in sortedBytes { writer.writeBytes(bytes) }
  }

  private var sortedBytes: [[UInt8]] {
    map { element in
      var writer = ByteWriter()
      ElementCoding.encode(element, to: &writer)
      return writer.array()
    }
    .sorted { $0.lexicographicallyPrecedes($1) }
  }

  @inlinable public static func decode(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> Set<Element> {
    let count = try PayloadPrimitives.readCount(from: &reader)
    var elements: Set<Element> = []
    for _ in 0..<count { elements.insert(try ElementCoding.decode(from: &reader)) }
    return elements
  }

  public var dynamicValue: Value {
    let sorted = map { element in
      var writer = ByteWriter()
      ElementCoding.encode(element, to: &writer)
      return (bytes: writer.array(), value: element.dynamicValue)
    }
    .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    return .list(sorted.map(\.value))
  }

  public init?(dynamicValue: Value) {
    guard let elements = [Element](dynamicValue: dynamicValue) else { return nil }
    self.init(elements)
  }
}
