package import SchemaRegistry
package import StorageTestSupport

/// Random types, shapes and values; the same for the same generator state.
package enum RandomSchemas {
  package static let scalars: [FieldType] = [
    .bool, .int32, .int64, .float, .double, .string, .data, .date, .uuid,
  ]

  package static func type(
    _ random: inout SeededGenerator, depth: Int = 3, allowsOptional: Bool = true
  ) -> FieldType {
    if allowsOptional, random.chance(3) {
      return .optional(type(&random, depth: depth, allowsOptional: false))
    }
    guard depth > 0, random.chance(3) else { return scalars.randomElement(using: &random) ?? .bool }
    switch Int.random(in: 0..<3, using: &random) {
    case 0: return .list(type(&random, depth: depth - 1))
    case 1: return .dictionary(type(&random, depth: depth - 1))
    default:
      let count = Int.random(in: 1...4, using: &random)
      return .object(
        (0..<count).map { MemberShape("inner\($0)", type(&random, depth: depth - 1)) })
    }
  }

  /// An embedded object with others inside, alone or in what may hold one.
  package static func embedding(_ random: inout SeededGenerator, depth: Int = 2) -> FieldType {
    var members = [MemberShape("inner0", .string), MemberShape("inner1", type(&random, depth: 1))]
    if depth > 1 { members.append(MemberShape("inner2", embedding(&random, depth: depth - 1))) }
    let object = FieldType.object(members)
    return [
      object, .optional(object), .list(object), .list(.optional(object)), .dictionary(object),
      .optional(.list(object)), .list(.list(.optional(object))), .dictionary(.list(object)),
      .list(.optional(.dictionary(object))),
    ].randomElement(using: &random) ?? object
  }

  package static func shape(_ random: inout SeededGenerator, name: String = "Thing") throws
    -> TypeShape
  {
    let count = Int.random(in: 0...12, using: &random)
    var members = (0..<count).map { MemberShape("m\($0)", type(&random)) }
    let keys: [FieldType] = [.int32, .int64, .string, .uuid, .data]
    let key = MemberShape("id", keys.randomElement(using: &random) ?? .uuid)
    members.insert(key, at: Int.random(in: 0...count, using: &random))
    return try TypeShape(
      name: name, identity: TypeIdentity(introducedIn: 0, originalName: name), keyMember: "id",
      members: members)
  }

  package static func values(_ shape: TypeShape, _ random: inout SeededGenerator) -> [Value] {
    shape.members.map { value(of: $0.type, &random) }
  }

  /// A value whose embedded objects have only cases in members that have some, by their names.
  static func value(
    of type: FieldType, cases: [String: [Value]], _ random: inout SeededGenerator
  ) -> Value {
    fitting(value(of: type, &random), cases, &random)
  }

  static func hasMembers(named names: Set<String>, inside type: FieldType) -> Bool {
    switch type {
    case .optional(let inner), .list(let inner), .dictionary(let inner):
      hasMembers(named: names, inside: inner)
    case .object(let members):
      members.contains { names.contains($0.name) || hasMembers(named: names, inside: $0.type) }
    default: false
    }
  }

  private static func fitting(
    _ value: Value, _ cases: [String: [Value]], _ random: inout SeededGenerator
  ) -> Value {
    switch value {
    case .list(let elements): return .list(elements.map { fitting($0, cases, &random) })
    case .dictionary(let elements):
      let sorted = elements.sorted { $0.key < $1.key }
      return .dictionary(
        Dictionary(uniqueKeysWithValues: sorted.map { ($0.key, fitting($0.value, cases, &random)) })
      )
    case .object(let members):
      var values = members
      for (name, value) in members.sorted(by: { $0.key < $1.key }) {
        let known = value.isNull ? nil : cases[name]?.randomElement(using: &random)
        values[name] = known ?? fitting(value, cases, &random)
      }
      return .object(values)
    default: return value
    }
  }

  package static func value(of type: FieldType, _ random: inout SeededGenerator) -> Value {
    switch type {
    case .bool: return .bool(Bool.random(using: &random))
    case .int32: return .int(Int64(Int32.random(in: .min ... .max, using: &random)))
    case .int64:
      return .int(Int64.random(in: .min ... .max, using: &random) >> Int64(random.next() & 63))
    case .float: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: random.next())))
    case .double: return .double(Double(bitPattern: random.next()))
    case .string: return .string(text(&random))
    case .data: return .data((0..<Int(random.next() & 15)).map { _ in UInt8(random.next() & 255) })
    case .date: return .date(seconds(random.next()))
    case .uuid: return .uuid(UniqueIdentifier(high: random.next(), low: random.next()))
    case .optional(let wrapped): return random.chance(3) ? .null : value(of: wrapped, &random)
    case .list(let element):
      return .list((0..<Int(random.next() & 3)).map { _ in value(of: element, &random) })
    case .dictionary(let element):
      var values: [String: Value] = [:]
      for _ in 0..<(random.next() & 3) { values[text(&random)] = value(of: element, &random) }
      return .dictionary(values)
    case .object(let members):
      var values: [String: Value] = [:]
      for member in members { values[member.name] = value(of: member.type, &random) }
      return .object(values)
    }
  }

  /// A time of 32 bits, with a fraction or without; now and then what few think of.
  private static func seconds(_ bits: UInt64) -> Double {
    // The first two are Foundation's distant past and distant future.
    let extremes: [Double] = [-63_114_076_800, 63_113_904_000, -.infinity, .infinity, .nan]
    let whole = Double(Int32(truncatingIfNeeded: bits))
    switch bits >> 32 & 7 {
    case 0: return extremes[Int(bits >> 35) % extremes.count]
    case 1...4: return whole + Double(bits >> 48) / 65_536
    default: return whole
    }
  }

  /// A key value that is never empty.
  package static func key(_ type: FieldType, _ random: inout SeededGenerator) -> Value {
    switch type {
    case .string: .string("key " + text(&random))
    case .data: .data([1] + (0..<(random.next() & 7)).map { _ in UInt8(random.next() & 255) })
    default: value(of: type, &random)
    }
  }

  package static func text(_ random: inout SeededGenerator) -> String {
    let letters: [Character] = ["a", "b", "Z", "0", " ", ",", "-", "é", "ß", "語", "😀"]
    return String(
      (0..<Int(random.next() & 15)).map { _ in letters.randomElement(using: &random) ?? "a" })
  }
}
