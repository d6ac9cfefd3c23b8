internal import SchemaRegistry

/// Finds the members of a `Codable` type: decodes it from placeholders and notes what it asks for.
final class MemberProbe: Decoder {
  let codingPath: [any CodingKey]
  let userInfo: [CodingUserInfoKey: Any] = [:]
  private var members: [(name: String, type: FieldType)] = []
  /// The Swift types of the members, without optionals.
  private var types: [(name: String, type: any Decodable.Type)] = []
  /// The members that were asked whether they are absent: they are optional.
  private var askedForAbsence: Set<String> = []
  /// What a type that is one value, such as an enumeration, holds.
  private var single: FieldType?
  private var singleType: (any Decodable.Type)?
  /// Whether that value was asked whether it is absent.
  private var askedSingleForAbsence = false
  /// Whether a type that is one value or nil is an optional member; earlier releases did not look.
  @TaskLocal private static var looksForSingleNil = true

  private init(_ codingPath: [any CodingKey]) { self.codingPath = codingPath }

  /// A probe that a type was decoded from.
  private static func probed<Model: Decodable>(_: Model.Type) throws -> MemberProbe {
    let probe = MemberProbe([])
    _ = try Model(from: probe)
    return probe
  }

  static func members<Model: Decodable>(
    of type: Model.Type
  ) throws -> [(name: String, type: FieldType)] {
    try probed(type).members
  }

  /// The Swift types of the members, without optionals.
  static func types<Model: Decodable>(
    of type: Model.Type
  ) throws -> [(name: String, type: any Decodable.Type)] {
    try probed(type).types
  }

  /// How the integers in values of a type are stored that is no storable value itself.
  static func integerSign(of type: any Decodable.Type) -> IntegerSign {
    let probe = MemberProbe([])
    // Of one that throws is known what it asked for before.
    _ = try? type.init(from: probe)
    if let single = probe.singleType { return IntegerSign(of: single) }
    let signs = probe.types.map { ($0.name, IntegerSign(of: $0.type)) }
    return .members(Dictionary(signs) { first, _ in first })
  }

  /// The members as earlier releases found them: what asks for nil in a container for one value was
  /// required. Stores that they made may have these types, which apps cannot change.
  static func earlierMembers<Model: Decodable>(
    of type: Model.Type
  ) throws -> [(name: String, type: FieldType)] {
    try $looksForSingleNil.withValue(false) { try members(of: type) }
  }

  /// What embedded objects begin with that say so themselves, by the path of the member.
  static func embeddedInitialValues<Model: Decodable>(
    of type: Model.Type
  ) throws -> [String: EmbeddedInitialValues] {
    let probe = try probed(type)
    var all: [String: EmbeddedInitialValues] = [:]
    for ((name, type), member) in zip(probe.types, probe.members) {
      if let known = type as? any StorableValue.Type {
        all[name] = known.embeddedInitialValues
      } else if case .object = member.type.unwrapped {
        for (path, values) in try Self.embeddedInitialValues(of: type) {
          all["\(name).\(path)"] = values
        }
      }
    }
    return all
  }

  /// The cases of members that are enumerations, alone or optional, and of those inside of members
  /// that are objects; by the path of the member.
  static func cases<Model: Decodable>(
    of type: Model.Type
  ) throws -> [(member: String, cases: [Value])] {
    let probe = try probed(type)
    var all: [(member: String, cases: [Value])] = []
    for ((name, type), member) in zip(probe.types, probe.members) {
      if let known = type as? any StorableValue.Type {
        all += known.caseLists(in: name)
      } else if let enumeration = type as? any CaseIterable.Type {
        let cases = Self.cases(of: enumeration)
        if !cases.isEmpty { all.append((name, cases)) }
      } else if case .object = member.type.unwrapped {
        all += try Self.cases(of: type).map { ("\(name).\($0.member)", $0.cases) }
      }
    }
    return all
  }

  /// What is stored for each case; nothing for an enumeration that is not stored as one value.
  private static func cases<Cases: CaseIterable>(of type: Cases.Type) -> [Value] {
    let values = type.allCases.compactMap { value in
      (value as? any Encodable).flatMap { try? CodedValueEncoder.value(of: $0) }
    }
    let isStoredAsOne = values.allSatisfy { value in
      switch value {
      case .null, .list, .dictionary, .object: false
      default: true
      }
    }
    return isStoredAsOne ? values : []
  }

  /// The types that members of a type link to, by the path that leads to the keys: itself for a
  /// link, and through containers, types with members and those that are stored as one value.
  static func links(of type: any Decodable.Type) -> [(path: String, target: String)] {
    if let known = type as? any StorableValue.Type {
      return known.linkTargets.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
    if let container = type as? any CodedContainer.Type {
      return links(of: container.elementType)
    }
    let probe = MemberProbe([])
    // An enumeration refuses the placeholder of its raw value, but has told its type.
    _ = try? type.init(from: probe)
    if let single = probe.singleType { return links(of: single) }
    return probe.types.flatMap { name, type in
      links(of: type).map { ($0.path.isEmpty ? name : "\(name).\($0.path)", $0.target) }
    }
  }

  static func placeholder<Model: Decodable>(of type: Model.Type) throws -> Model {
    try Model(from: MemberProbe([]))
  }

  /// A value of a type to go on with, and what is stored for it.
  private static func probe<Result: Decodable>(
    _ type: Result.Type, at codingPath: [any CodingKey]
  ) throws -> (value: Result, type: FieldType) {
    guard codingPath.count <= SchemaLimits.depth else {
      throw CodingProblem(reason: "\(type) holds itself, or nests too deep")
    }
    if let known = type as? any (PlaceholderValue).Type,
      let value = known.placeholder as? Result
    {
      try StorableTypeVisitor.check(type, at: nil)
      return (value, known.memberType)
    }
    if let container = type as? any CodedContainer.Type,
      let value = container.emptyValue as? Result
    {
      return (value, try container.fieldType(at: codingPath))
    }
    if type is any DictionaryOfAnyKeys.Type {
      throw CodingProblem(
        reason: "a dictionary needs keys of type String; hold a list of objects instead",
        at: codingPath)
    }
    let nested = MemberProbe(codingPath)
    var found: Result?
    do {
      found = try Result(from: nested)
    } catch let error as StoreError {
      // What a link leads to cannot be stored.
      throw error
    } catch {
      // An enumeration refuses the placeholder of its raw value, but has told its type.
      guard nested.single != nil, let cases = type as? any CaseIterable.Type else {
        throw nested.problem(with: type, error)
      }
      found = first(of: cases) as? Result
    }
    guard let found else { throw CodingProblem(reason: "\(type) has no case") }
    if let known = type as? any StorableValue.Type { return (found, known.memberType) }
    if let single = nested.single { return (found, single) }
    return (found, .object(nested.members.map { MemberShape($0.name, $0.type) }))
  }

  /// What is wrong with a type that does not decode from placeholders, for who declares it.
  private func problem(with type: any Decodable.Type, _ error: any Error) -> CodingProblem {
    if let problem = error as? CodingProblem { return problem }
    let reason =
      if single != nil {
        "\(type) must be CaseIterable, as the store begins with one of its values"
      } else if members.isEmpty {
        "\(type) has no members that decode from placeholders; an enumeration with associated "
          + "values is not stored: make it a struct of optionals"
      } else { "\(type) does not decode from zeros and empty texts, as it is looked at: \(error)" }
    return CodingProblem(reason: reason, at: codingPath)
  }

  static func fieldType<Result: Decodable>(
    _ type: Result.Type, at codingPath: [any CodingKey]
  ) throws -> FieldType {
    try probe(type, at: codingPath + [CodedKey(intValue: 0)]).type
  }

  private static func first<Cases: CaseIterable>(of type: Cases.Type) -> Any? {
    type.allCases.first
  }

  /// What a member is that may be absent, of which `type` was decoded, and found to be `found`.
  ///
  /// A type that is one value or nil may be asked for as if it were absent itself: a property
  /// wrapper makes one of nil then, and both are the same to it. What is an optional in Swift is
  /// another matter, as nil inside would be read as nil outside: that becomes a type that no shape
  /// has.
  static func optional(_ found: FieldType, of type: any Decodable.Type) -> FieldType {
    let isOptional = type is any OptionalType.Type
    return found.isOptional && !isOptional ? found : .optional(found)
  }

  private func note(_ key: any CodingKey, _ type: FieldType, _ result: any Decodable.Type) {
    if !members.contains(where: { $0.name == key.stringValue }) {
      members.append((key.stringValue, type))
      types.append((key.stringValue, result))
    }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Keyed(probe: self))
  }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw CodingProblem(
      reason: "members without names are not stored; use an array", at: codingPath)
  }
  func singleValueContainer() -> any SingleValueDecodingContainer { Single(probe: self) }

  private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let probe: MemberProbe
    var codingPath: [any CodingKey] { probe.codingPath }
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool { true }
    func decodeNil(forKey key: Key) -> Bool {
      probe.askedForAbsence.insert(key.stringValue)
      return false
    }
    func decode<Result: Decodable>(_ type: Result.Type, forKey key: Key) throws -> Result {
      let isOptional = probe.askedForAbsence.contains(key.stringValue)
      let found = try MemberProbe.probe(type, at: codingPath + [key])
      probe.note(
        key, isOptional ? MemberProbe.optional(found.type, of: type) : found.type, type)
      return found.value
    }
    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
      throw CodingProblem(reason: "nested containers are not stored; use a type of their own")
    }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      throw CodingProblem(reason: "nested containers are not stored; use an array")
    }
    func superDecoder() throws -> any Decoder {
      throw CodingProblem(reason: "classes with superclasses are not stored")
    }
    func superDecoder(forKey key: Key) throws -> any Decoder { try superDecoder() }
  }

  private struct Single: SingleValueDecodingContainer {
    let probe: MemberProbe
    var codingPath: [any CodingKey] { probe.codingPath }
    func decodeNil() -> Bool {
      probe.askedSingleForAbsence = true
      return false
    }
    func decode<Result: Decodable>(_ type: Result.Type) throws -> Result {
      let found = try MemberProbe.probe(type, at: codingPath + [CodedKey(intValue: 0)])
      let isOptional = probe.askedSingleForAbsence && MemberProbe.looksForSingleNil
      probe.singleType = type
      probe.single = isOptional ? MemberProbe.optional(found.type, of: type) : found.type
      return found.value
    }
  }
}
