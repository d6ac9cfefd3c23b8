internal import SchemaRegistry

/// Collects what a `Codable` value encodes as values of the registry.
///
/// A type may ask for a container as often as it likes: to encode members of its own beside those
/// of another type or of its superclass. So there is one for each encoder, which all of them share.
final class CodedValueEncoder: Encoder {
  let codingPath: [any CodingKey]
  let userInfo: [CodingUserInfoKey: Any] = [:]
  private var coded = Coded.nothing

  /// What was encoded until now. A nil alone is as good as nothing: what follows takes its place.
  private enum Coded {
    case nothing
    case one(Value)
    case names(Names)
    case elements(Elements)
    /// Several of these that do not fit each other.
    case mixed
  }

  private init(_ codingPath: [any CodingKey]) { self.codingPath = codingPath }

  /// The value of anything that encodes itself.
  static func value(
    of encodable: some Encodable, at codingPath: [any CodingKey] = []
  ) throws -> Value {
    if let known = encodable as? any StorableValue { return known.dynamicValue }
    let encoder = CodedValueEncoder(codingPath)
    try encodable.encode(to: encoder)
    return try encoder.value()
  }

  private func value() throws -> Value {
    switch coded {
    case .nothing: .null
    case .one(let value): value
    case .names(let names): .object(try names.values.mapValues { try $0.value() })
    case .elements(let elements): .list(try elements.values.map { try $0.value() })
    case .mixed:
      throw CodingProblem(
        reason: "it encodes one value, a list or members by name, and then another of these")
    }
  }

  /// A coded value as its member holds it: what was encoded by name is a dictionary or an object.
  static func fitted(_ value: Value, to type: FieldType) throws -> Value {
    switch (value, type.unwrapped) {
    case (.object(let values), .dictionary(let element)):
      return .dictionary(try values.mapValues { try fitted($0, to: element) })
    case (.dictionary(let values), .object(let members)),
      (.object(let values), .object(let members)):
      try expect(values, only: members.map(\.name))
      var fitting: [String: Value] = [:]
      for member in members {
        fitting[member.name] = try fitted(values[member.name] ?? .null, to: member.type)
      }
      return .object(fitting)
    case (.list(let values), .list(let element)):
      return .list(try values.map { try fitted($0, to: element) })
    default: return value
    }
  }

  /// Throws where a value was encoded that there is no member for: it would not be stored.
  static func expect(_ values: [String: Value], only members: [String]) throws {
    let known = members.reduce(0) { $0 + (values[$1] == nil ? 0 : 1) }
    if known == values.count { return }
    let others = values.filter { !$0.value.isNull && !members.contains($0.key) }.keys.sorted()
    guard let first = others.first else { return }
    throw CodingProblem(
      reason: "it encodes \(first), which it does not decode when all else is empty, so that there "
        + "is no member for it; decode it always, as an optional")
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(Keyed(names: names()))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { elements() }

  func singleValueContainer() -> any SingleValueEncodingContainer { Single(encoder: self) }

  /// The members by name, with those that were encoded already.
  private func names() -> Names {
    let names: Names
    switch coded {
    case .names(let known): return known
    case .nothing, .one(.null): names = Names(codingPath)
    case .one(.object(let values)), .one(.dictionary(let values)):
      names = Names(codingPath)
      names.add(values)
    default:
      coded = .mixed
      return Names(codingPath)
    }
    coded = .names(names)
    return names
  }

  /// The same for elements without names.
  private func elements() -> Elements {
    let elements: Elements
    switch coded {
    case .elements(let known): return known
    case .nothing, .one(.null): elements = Elements(codingPath)
    case .one(.list(let values)):
      elements = Elements(codingPath)
      for value in values { elements.next().coded = .one(value) }
    default:
      coded = .mixed
      return Elements(codingPath)
    }
    coded = .elements(elements)
    return elements
  }

  /// Takes in a value as a whole.
  private func add(_ value: Value) {
    switch (coded, value) {
    case (.nothing, _), (.one(.null), _): coded = .one(value)
    case (_, .object(let values)), (_, .dictionary(let values)): names().add(values)
    default: coded = .mixed
    }
  }

  private final class Names {
    let codingPath: [any CodingKey]
    var values: [String: CodedValueEncoder] = [:]
    init(_ codingPath: [any CodingKey]) { self.codingPath = codingPath }

    func add(_ values: [String: Value]) {
      for (name, value) in values { set(CodedKey(stringValue: name), value) }
    }

    /// What was encoded under the name before is replaced.
    func set(_ key: any CodingKey, _ value: Value) {
      let encoder = CodedValueEncoder(codingPath + [key])
      encoder.coded = .one(value)
      values[key.stringValue] = encoder
    }

    func nested(_ key: any CodingKey) -> CodedValueEncoder {
      if let known = values[key.stringValue] { return known }
      let encoder = CodedValueEncoder(codingPath + [key])
      values[key.stringValue] = encoder
      return encoder
    }
  }

  private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let names: Names
    var codingPath: [any CodingKey] { names.codingPath }

    func encodeNil(forKey key: Key) { names.set(key, .null) }
    func encode(_ value: some Encodable, forKey key: Key) throws {
      names.set(key, try CodedValueEncoder.value(of: value, at: codingPath + [key]))
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
    var values: [CodedValueEncoder] = []
    var count: Int { values.count }
    init(_ codingPath: [any CodingKey]) { self.codingPath = codingPath }

    func next() -> CodedValueEncoder {
      let encoder = CodedValueEncoder(codingPath + [CodedKey(intValue: count)])
      values.append(encoder)
      return encoder
    }

    func encodeNil() { next().coded = .one(.null) }
    func encode(_ value: some Encodable) throws {
      let element = next()
      element.coded = .one(try CodedValueEncoder.value(of: value, at: element.codingPath))
    }
    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type
    ) -> KeyedEncodingContainer<Nested> { next().container(keyedBy: type) }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { next().unkeyedContainer() }
    func superEncoder() -> any Encoder { next() }
  }

  private struct Single: SingleValueEncodingContainer {
    let encoder: CodedValueEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }
    func encodeNil() { encoder.add(.null) }
    func encode(_ value: some Encodable) throws {
      encoder.add(try CodedValueEncoder.value(of: value, at: codingPath))
    }
  }
}
