public import BinaryCoding
public import SchemaRegistry

extension Optional: StorableValue where Wrapped: StorableValue {
  public static var memberType: FieldType { .optional(Wrapped.memberType) }
  public static var heldValueType: (any StorableValue.Type)? { Wrapped.self }
  public static var linkTargets: [String: String] { Wrapped.linkTargets }
  public static var storedCases: [Value] { Wrapped.storedCases }
  public static var caseLists: [String: [Value]] { Wrapped.caseLists }
  public static var embeddedInitialValues: EmbeddedInitialValues? { Wrapped.embeddedInitialValues }
  public static var elementIdentities: [String: ElementIdentity] { Wrapped.elementIdentities }
  @inlinable public static var isOptional: Bool { true }
  @inlinable public static var absentValue: Wrapped?? { .some(.none) }
  @inlinable public var isAbsent: Bool { if case .none = self { true } else { false } }
  @inlinable public func encode(to writer: inout ByteWriter) { self?.encode(to: &writer) }
  @inlinable public static func decode(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> Wrapped? {
    try Wrapped.decode(from: &reader)
  }
  public var dynamicValue: Value { self?.dynamicValue ?? .null }
  public init?(dynamicValue: Value) {
    if dynamicValue.isNull {
      self = .none
    } else {
      guard let wrapped = Wrapped(dynamicValue: dynamicValue) else { return nil }
      self = wrapped
    }
  }
}

extension Array: StorableValue where Element: StorableValue {
  public static var memberType: FieldType { .list(Element.memberType) }
  public static var heldValueType: (any StorableValue.Type)? { Element.self }
  public static var linkTargets: [String: String] { Element.linkTargets }
  public static var storedCases: [Value] { Element.storedCases }
  public static var caseLists: [String: [Value]] { Element.caseLists }
  public static var embeddedInitialValues: EmbeddedInitialValues? { Element.embeddedInitialValues }
  public static var elementIdentities: [String: ElementIdentity] {
    // What the elements are themselves lies a level below.
    var identities: [String: ElementIdentity] = [:]
    for (path, identity) in Element.elementIdentities {
      let isLevel = path.isEmpty || path.hasPrefix(ElementLook.level)
      let separator = path.isEmpty ? "" : "."
      identities[isLevel ? ElementLook.level + separator + path : path] = identity
    }
    guard !LibraryScalars.contain(Element.self),
      let element = Element.self as? any EmbeddedObject.Type, !element.elementKey.isEmpty
    else { return identities }
    let key = element.elementKey
    guard case .object(let members) = element.memberType,
      let type = members.first(where: { $0.name == key })?.type, EmbeddedMembers.mayBeKey(type)
    else {
      fatalError(
        "\(element).elementKey must name a member of it that holds one value, not \(key)")
    }
    identities[""] = ElementIdentity(key: key, isSet: false)
    return identities
  }
  @inlinable public func encode(to writer: inout ByteWriter) {
    PayloadPrimitives.writeCount(count, to: &writer)
    for element in self { ElementCoding.encode(element, to: &writer) }
  }
  @inlinable public static func decode(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> [Element] {
    let count = try PayloadPrimitives.readCount(from: &reader)
    var elements: [Element] = []
    elements.reserveCapacity(Swift.min(count, 1024))
    for _ in 0..<count { elements.append(try ElementCoding.decode(from: &reader)) }
    return elements
  }
  public var dynamicValue: Value { .list(map(\.dynamicValue)) }
  public init?(dynamicValue: Value) {
    guard case .list(let values) = dynamicValue else { return nil }
    var elements: [Element] = []
    for value in values {
      guard let element = Element(dynamicValue: value) else { return nil }
      elements.append(element)
    }
    self = elements
  }
}

extension Dictionary: StorableValue where Key == String, Value: StorableValue {
  public static var memberType: FieldType { .dictionary(Value.memberType) }
  public static var heldValueType: (any StorableValue.Type)? { Value.self }
  public static var linkTargets: [String: String] { Value.linkTargets }
  public static var storedCases: [SchemaRegistry.Value] { Value.storedCases }
  public static var caseLists: [String: [SchemaRegistry.Value]] { Value.caseLists }
  public static var embeddedInitialValues: EmbeddedInitialValues? { Value.embeddedInitialValues }
  public static var elementIdentities: [String: ElementIdentity] { Value.elementIdentities }
  public func encode(to writer: inout ByteWriter) {
    PayloadPrimitives.writeCount(count, to: &writer)
    // The format wants the keys in the order of their bytes, which is also Swift's string order
    // only for text in normal form C; so bytes are compared.
    let sorted = self.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    for (key, value) in sorted {
      PayloadPrimitives.writeString(key, to: &writer)
      ElementCoding.encode(value, to: &writer)
    }
  }
  @inlinable public static func decode(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> [String: Value] {
    let count = try PayloadPrimitives.readCount(from: &reader)
    var values: [String: Value] = [:]
    var previous: String?
    for _ in 0..<count {
      let offset = reader.offset
      let key = try PayloadPrimitives.readString(from: &reader)
      if let previous, !previous.utf8.lexicographicallyPrecedes(key.utf8) {
        throw .invalidValue(offset: offset, reason: "dictionary keys are not in order")
      }
      let value: Value = try ElementCoding.decode(from: &reader)
      // Texts may be equal though their bytes are not.
      guard values.updateValue(value, forKey: key) == nil else {
        throw .invalidValue(offset: offset, reason: "a dictionary key is used twice")
      }
      previous = key
    }
    return values
  }
  public var dynamicValue: SchemaRegistry.Value { .dictionary(mapValues(\.dynamicValue)) }
  public init?(dynamicValue: SchemaRegistry.Value) {
    guard case .dictionary(let values) = dynamicValue else { return nil }
    var result: [String: Value] = [:]
    for (key, value) in values {
      guard let element = Value(dynamicValue: value) else { return nil }
      result[key] = element
    }
    self = result
  }
}

/// Elements of lists and dictionaries: optional ones are preceded by a presence byte.
@usableFromInline
enum ElementCoding {
  @inlinable
  static func encode<Element: StorableValue>(_ element: Element, to writer: inout ByteWriter) {
    if Element.isOptional {
      writer.writeByte(element.isAbsent ? 0 : 1)
      if element.isAbsent { return }
    }
    element.encode(to: &writer)
  }

  @inlinable
  static func decode<Element: StorableValue>(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> Element {
    if let absent = Element.absentValue {
      if try !PayloadPrimitives.readBool(from: &reader) { return absent }
    }
    return try Element.decode(from: &reader)
  }
}
