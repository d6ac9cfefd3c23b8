internal import SchemaRegistry

/// Collects what a `Codable` value encodes as values of the registry.
final class CodedValueEncoder: Encoder {
  let codingPath: [any CodingKey]
  let userInfo: [CodingUserInfoKey: Any] = [:]
  private var value: () -> Value = { .null }

  private init(_ codingPath: [any CodingKey]) { self.codingPath = codingPath }

  /// The value of anything that encodes itself.
  static func value(
    of encodable: some Encodable, at codingPath: [any CodingKey] = []
  ) throws -> Value {
    if let known = encodable as? any StorableValue { return known.dynamicValue }
    let encoder = CodedValueEncoder(codingPath)
    try encodable.encode(to: encoder)
    return encoder.value()
  }

  /// A coded value as its member holds it: what was encoded by name is a dictionary or an object.
  static func fitted(_ value: Value, to type: FieldType) -> Value {
    switch (value, type.unwrapped) {
    case (.object(let values), .dictionary(let element)):
      .dictionary(values.mapValues { fitted($0, to: element) })
    case (.dictionary(let values), .object(let members)),
      (.object(let values), .object(let members)):
      .object(
        Dictionary(
          members.map { ($0.name, fitted(values[$0.name] ?? .null, to: $0.type)) },
          uniquingKeysWith: { first, _ in first }))
    case (.list(let values), .list(let element)): .list(values.map { fitted($0, to: element) })
    default: value
    }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    let names = Names(codingPath)
    value = { .object(names.values.mapValues { $0() }) }
    return KeyedEncodingContainer(Keyed(names: names))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    let elements = Elements(codingPath)
    value = { .list(elements.values.map { $0() }) }
    return elements
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { Single(encoder: self) }

  private final class Names {
    let codingPath: [any CodingKey]
    var values: [String: () -> Value] = [:]
    init(_ codingPath: [any CodingKey]) { self.codingPath = codingPath }

    func nested(_ key: any CodingKey) -> CodedValueEncoder {
      let encoder = CodedValueEncoder(codingPath + [key])
      values[key.stringValue] = { encoder.value() }
      return encoder
    }
  }

  private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let names: Names
    var codingPath: [any CodingKey] { names.codingPath }

    func encodeNil(forKey key: Key) { names.values[key.stringValue] = { .null } }
    func encode(_ value: some Encodable, forKey key: Key) throws {
      let coded = try CodedValueEncoder.value(of: value, at: codingPath + [key])
      names.values[key.stringValue] = { coded }
    }
    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { names.nested(key).container(keyedBy: type) }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      names.nested(key).unkeyedContainer()
    }
    func superEncoder() -> any Encoder { names.nested(CodedKey(stringValue: "super")) }
    func superEncoder(forKey key: Key) -> any Encoder { names.nested(key) }
  }

  private final class Elements: UnkeyedEncodingContainer {
    let codingPath: [any CodingKey]
    var values: [() -> Value] = []
    var count: Int { values.count }
    init(_ codingPath: [any CodingKey]) { self.codingPath = codingPath }

    private func nested() -> CodedValueEncoder {
      let encoder = CodedValueEncoder(codingPath + [CodedKey(intValue: count)])
      values.append { encoder.value() }
      return encoder
    }

    func encodeNil() { values.append { .null } }
    func encode(_ value: some Encodable) throws {
      let coded = try CodedValueEncoder.value(
        of: value, at: codingPath + [CodedKey(intValue: count)])
      values.append { coded }
    }
    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type
    ) -> KeyedEncodingContainer<Nested> { nested().container(keyedBy: type) }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }
    func superEncoder() -> any Encoder { nested() }
  }

  private struct Single: SingleValueEncodingContainer {
    let encoder: CodedValueEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }
    func encodeNil() { encoder.value = { .null } }
    func encode(_ value: some Encodable) throws {
      let coded = try CodedValueEncoder.value(of: value, at: codingPath)
      encoder.value = { coded }
    }
  }
}
