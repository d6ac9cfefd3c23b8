internal import BinaryCoding
internal import SchemaRegistry

/// Gives a `Codable` type the registry's values to decode itself from.
struct CodedValueDecoder: Decoder {
  let codingPath: [any CodingKey]
  let userInfo: [CodingUserInfoKey: Any] = [:]
  private let value: Value

  static func decode<Result: Decodable>(
    _ type: Result.Type, _ value: Value, at codingPath: [any CodingKey] = []
  ) throws -> Result {
    guard let known = type as? any StorableValue.Type else {
      do {
        return try Result(from: CodedValueDecoder(codingPath: codingPath, value: value))
      } catch let error as DecodingError {
        throw refusal(of: value, by: type, at: codingPath, error)
      }
    }
    // Two steps: nothing at all would be nil for an optional.
    guard let made = known.init(dynamicValue: value), let result = made as? Result else {
      if let unknown = UnknownCase(in: value, as: known) {
        throw CodedUnknownCase.error(for: unknown, at: codingPath)
      }
      throw DecodingError.typeMismatch(
        type,
        .init(codingPath: codingPath, debugDescription: "a \(value.kindName) is stored"))
    }
    return result
  }

  /// `error`, with which `type` refused `value`, or that of an unknown case where it says so.
  private static func refusal(
    of value: Value, by type: any Decodable.Type, at codingPath: [any CodingKey],
    _ error: DecodingError
  ) -> DecodingError {
    // One further inside is known already.
    guard CodedUnknownCase(beneath: error) == nil else { return error }
    // An enumeration says so of a raw value that none of its cases has, and the error holds it.
    let isListed = type is any CaseIterable.Type
    if case .dataCorrupted = error, isListed || isUnknown(value, in: type) {
      return CodedUnknownCase.error(
        for: UnknownCase(of: value, in: type, isListed: isListed), at: codingPath)
    }
    // A type may give its decoder to another one, as property wrappers do with what they wrap, and
    // pass on what that says. Only its name is known then, and not whether it lists its cases.
    // What it made of that stays as it is, for who catches it: the case takes the place of what the
    // standard library says.
    return codingPath.isEmpty ? error : error.tellingUnknownCases(at: codingPath)
  }

  /// Whether `value` is a raw value of `type` that no instance has, so that decoding had to fail.
  private static func isUnknown(_ value: Value, in type: any Decodable.Type) -> Bool {
    guard let type = type as? any RawRepresentable.Type else { return false }
    return isUnknownRawValue(value, of: type)
  }

  private static func isUnknownRawValue<Raw: RawRepresentable>(
    _ value: Value, of type: Raw.Type
  ) -> Bool {
    // What is stored in another form than as its raw value failed for another reason.
    guard let rawType = Raw.RawValue.self as? any Decodable.Type,
      let decoded = try? decode(rawType, value), let rawValue = decoded as? Raw.RawValue
    else { return false }
    return Raw(rawValue: rawValue) == nil
  }

  private init(codingPath: [any CodingKey], value: Value) {
    self.codingPath = codingPath
    self.value = value
  }

  private func mismatch(_ wanted: String) -> any Error {
    DecodingError.dataCorrupted(
      .init(
        codingPath: codingPath,
        debugDescription: "\(wanted) expected, a \(value.kindName) is stored"))
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    switch value {
    case .object(let values), .dictionary(let values):
      let isDictionary = if case .dictionary = value { true } else { false }
      return KeyedDecodingContainer(
        Keyed(codingPath: codingPath, values: values, isDictionary: isDictionary))
    default: throw mismatch("an object")
    }
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .list(let values) = value else { throw mismatch("a list") }
    return Elements(codingPath: codingPath, values: values)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer {
    Single(codingPath: codingPath, value: value)
  }

  private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let codingPath: [any CodingKey]
    let values: [String: Value]
    let isDictionary: Bool
    var allKeys: [Key] { values.keys.sorted().compactMap { Key(stringValue: $0) } }

    private func value(_ key: any CodingKey) -> Value { values[key.stringValue] ?? .null }
    private func path(to key: any CodingKey) -> [any CodingKey] {
      let step: any CodingKey = isDictionary ? DictionaryKey(key) : key
      return codingPath + [step]
    }
    private func nested(_ key: any CodingKey) -> CodedValueDecoder {
      CodedValueDecoder(codingPath: path(to: key), value: value(key))
    }

    func contains(_ key: Key) -> Bool { values[key.stringValue] != nil }
    func decodeNil(forKey key: Key) -> Bool { value(key).isNull }
    func decode<Result: Decodable>(_ type: Result.Type, forKey key: Key) throws -> Result {
      try CodedValueDecoder.decode(type, value(key), at: path(to: key))
    }
    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { try nested(key).container(keyedBy: type) }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      try nested(key).unkeyedContainer()
    }
    func superDecoder() -> any Decoder { nested(CodedKey(stringValue: "super")) }
    func superDecoder(forKey key: Key) -> any Decoder { nested(key) }
  }

  private struct Elements: UnkeyedDecodingContainer {
    let codingPath: [any CodingKey]
    let values: [Value]
    var currentIndex = 0
    var count: Int? { values.count }
    var isAtEnd: Bool { currentIndex == values.count }

    private mutating func next() throws -> CodedValueDecoder {
      guard !isAtEnd else {
        throw DecodingError.dataCorrupted(
          .init(codingPath: codingPath, debugDescription: "the list has no more elements"))
      }
      defer { currentIndex += 1 }
      return CodedValueDecoder(
        codingPath: codingPath + [CodedKey(intValue: currentIndex)], value: values[currentIndex])
    }

    mutating func decodeNil() throws -> Bool {
      guard !isAtEnd, values[currentIndex].isNull else { return false }
      currentIndex += 1
      return true
    }
    mutating func decode<Result: Decodable>(_ type: Result.Type) throws -> Result {
      let element = try next()
      return try CodedValueDecoder.decode(type, element.value, at: element.codingPath)
    }
    mutating func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> { try next().container(keyedBy: type) }
    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
      try next().unkeyedContainer()
    }
    mutating func superDecoder() throws -> any Decoder { try next() }
  }

  private struct Single: SingleValueDecodingContainer {
    let codingPath: [any CodingKey]
    let value: Value
    func decodeNil() -> Bool { value.isNull }
    func decode<Result: Decodable>(_ type: Result.Type) throws -> Result {
      try CodedValueDecoder.decode(type, value, at: codingPath)
    }
  }
}
