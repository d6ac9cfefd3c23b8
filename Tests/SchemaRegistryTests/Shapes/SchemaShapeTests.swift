import HistoryTestSupport
import SchemaRegistry
import StorageTestSupport
import Testing

@Suite("Schema shapes")
struct SchemaShapeTests {
  private func schema(_ members: [MemberShape], version: SchemaVersion = 0) throws -> SchemaShape {
    try SchemaShape(version: version, types: [type(members)])
  }

  private func type(_ members: [MemberShape], name: String = "Person") throws -> TypeShape {
    try TypeShape(
      name: name, identity: TypeIdentity(introducedIn: 0, originalName: name), keyMember: "id",
      members: [MemberShape("id", .uuid)] + members)
  }

  @Test("Random schemas come back from their bytes")
  func roundTrip() throws {
    let seed: UInt64 = 11
    var random = SeededGenerator(seed: seed)
    for round in 0..<200 {
      let types = try (0..<Int.random(in: 0...4, using: &random)).map {
        try RandomSchemas.shape(&random, name: "Type\($0)")
      }
      let schema = try SchemaShape(version: SchemaVersion(UInt64(round)), types: types)
      try #require(try SchemaShape(decoding: schema.encoded()) == schema, "seed \(seed)")
    }
  }

  @Test("Every truncation is refused and no bit flip traps")
  func damage() throws {
    var random = SeededGenerator(seed: 12)
    let schema = try SchemaShape(version: 3, types: [RandomSchemas.shape(&random)])
    let bytes = schema.encoded()
    for length in bytes.indices {
      #expect(throws: SchemaError.self) { try SchemaShape(decoding: Array(bytes[..<length])) }
    }
    for bit in 0..<(bytes.count * 8) {
      var damaged = bytes
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      if let other = try? SchemaShape(decoding: damaged) { #expect(other != schema) }
    }
    #expect(throws: SchemaError.unknownShapeFormat(found: 9)) {
      try SchemaShape(decoding: [9, 0, 0])
    }
  }

  @Test("Bytes that nest too deep or count too much are refused without using memory")
  func hostileBytes() throws {
    let start: [UInt8] = [1, 0, 1, 1, 0x41, 0, 1, 0x41, 1, 0x6B]
    let member: [UInt8] = [1, 1, 0x6B, 0, 1, 0x6B]
    let deep = start + member + [UInt8](repeating: 10, count: 100_000)
    #expect(throws: SchemaError.self) { try SchemaShape(decoding: deep) }
    #expect(throws: SchemaError.self) {
      try SchemaShape(decoding: start + [0xFF, 0xFF, 0xFF, 0xFF, 0x0F])
    }
  }

  @Test("The reserved version is refused (R1)")
  func reservedVersion() throws {
    #expect(throws: SchemaError.reservedVersion) {
      try SchemaShape(version: .reserved, types: [])
    }
  }

  @Test("Rules of types are checked when a shape is made")
  func rules() throws {
    var deep = FieldType.bool
    for _ in 0..<SchemaLimits.depth { deep = .list(deep) }
    let wrong: [[MemberShape]] = [
      [MemberShape("a", .bool), MemberShape("a", .bool)], [MemberShape("", .bool)],
      [MemberShape("a b", .bool)], [MemberShape("a", .optional(.optional(.bool)))],
      [MemberShape("a", .object([]))], [MemberShape("a", deep)],
      [MemberShape("a", .bool, introducedIn: .reserved)],
      (0...SchemaLimits.memberCount).map { MemberShape("a\($0)", .bool) },
    ]
    for members in wrong {
      #expect(throws: SchemaError.self) { try type(members) }
    }
    #expect(throws: SchemaError.self) {
      try TypeShape(
        name: "T", identity: TypeIdentity(introducedIn: 0, originalName: "T"), keyMember: "x",
        members: [MemberShape("id", .uuid)])
    }
    #expect(throws: SchemaError.self) {
      try TypeShape(
        name: "T", identity: TypeIdentity(introducedIn: 0, originalName: "T"), keyMember: "id",
        members: [MemberShape("id", .optional(.uuid))])
    }
    #expect(throws: SchemaError.self) {
      try SchemaShape(version: 0, types: [type([]), type([])])
    }
  }

  @Test("The fingerprint ignores order and version, and sees everything else")
  func fingerprint() throws {
    let email = MemberShape("email", .optional(.string))
    let age = MemberShape("age", .int32)
    let base = try schema([email, age]).fingerprint
    #expect(try schema([age, email], version: 9).fingerprint == base)
    let others: [[MemberShape]] = [
      [email], [email, MemberShape("age", .int64)], [MemberShape("email", .string), age],
      [MemberShape("mail", .optional(.string)), age],
      [MemberShape("email", .optional(.string), introducedIn: 2), age],
    ]
    var seen: Set<ShapeFingerprint> = [base]
    for members in others {
      #expect(seen.insert(try schema(members).fingerprint).inserted)
    }
    #expect(ShapeFingerprint(parsing: base.description) == base)
  }

  @Test("One report holds every difference and names Type.member (R5)")
  func differences() throws {
    let old = try schema([
      MemberShape("gone", .string), MemberShape("age", .int32), MemberShape("nick", .string),
      MemberShape("note", .optional(.string)), MemberShape("scores", .list(.int32)),
      MemberShape("home", .object([MemberShape("street", .string), MemberShape("zip", .int32)])),
      MemberShape("email", .string),
    ])
    let new = try schema([
      MemberShape("age", .int64), MemberShape("nick", .optional(.string)),
      MemberShape("note", .string), MemberShape("scores", .list(.int64)),
      MemberShape("home", .object([MemberShape("street", .string), MemberShape("zip", .string)])),
      MemberShape("email", .string, introducedIn: 3), MemberShape("added", .bool),
    ])
    #expect(
      old.differences(to: new).map(\.description) == [
        "Person.gone (string) was removed", "Person.age changed from int32 to int64",
        "Person.nick was made optional", "Person.note was made required",
        "Person.scores changed from [int32] to [int64]",
        "Person.home.zip changed from int32 to string",
        "Person.email is another member: introduced in version 3, not in version 0",
        "Person.added was added as bool",
      ])
    #expect(old.differences(to: new, ignoringIdentities: true).count == 7)
    #expect(old.differences(to: old) == [])
  }

  @Test("Another key is a difference; another type, and order, are not (R5)")
  func typesAndKeys() throws {
    let members = [MemberShape("id", .uuid), MemberShape("name", .string)]
    let identity = TypeIdentity(introducedIn: 0, originalName: "Person")
    let old = try SchemaShape(
      version: 0,
      types: [TypeShape(name: "Person", identity: identity, keyMember: "id", members: members)])
    let new = try SchemaShape(
      version: 0,
      types: [
        TypeShape(
          name: "Person", identity: identity, keyMember: "name", members: members.reversed()),
        type([], name: "Pet"),
      ])
    #expect(
      old.differences(to: new) == [.keyChanged(type: "Person", from: "id", to: "name")])
    #expect(
      old.differences(to: new, includingTypes: true).contains(.typeAdded(type: "Pet")))
    #expect(
      new.differences(to: old, includingTypes: true).contains(.typeRemoved(type: "Pet")))
  }

  @Test(
    "Field types print and read the same text",
    arguments: [
      "bool", "int64", "string?", "[string]", "[int32?]?", "{string: int64}", "{string: [uuid]}",
      "(street: string, city: (name: string?, zip: int32)?)",
    ])
  func typeText(_ text: String) throws {
    #expect(try FieldType(parsing: text).description == text)
  }

  @Test("Random field types read back from their text")
  func randomTypeText() throws {
    var random = SeededGenerator(seed: 13)
    for _ in 0..<300 {
      let type = RandomSchemas.type(&random)
      #expect(try FieldType(parsing: type.description) == type)
    }
  }

  @Test(
    "Text that is no type is refused with its place",
    arguments: [
      "", "int", "string??", "[string", "{int64: string}", "(a string)", "()", "bool x",
      String(repeating: "[", count: 100_000), "(a: bool, a: bool)",
    ])
  func wrongTypeText(_ text: String) {
    #expect(throws: SchemaError.self) { try FieldType(parsing: text) }
  }
}
