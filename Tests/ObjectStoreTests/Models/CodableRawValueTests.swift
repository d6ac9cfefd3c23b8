import FileIO
import ObjectStore
import Testing

/// Types with raw values that do not list what there is: what is stored may be a user's.
@Suite("A raw value inside of a Codable type that nothing has is an unknown case, and is not told")
struct CodableRawValueTests {
  struct Email: RawRepresentable, Codable, Equatable {
    let rawValue: String
    init?(rawValue: String) {
      guard rawValue.isEmpty || rawValue.contains("@") else { return nil }
      self.rawValue = rawValue
    }
  }

  enum Level: Int, Codable { case low, high }

  enum Genre: String, Codable, CaseIterable { case fiction, poetry }

  enum Rank: Int, Codable, CaseIterable { case first, second }

  /// Has its value decode itself from the same place.
  @propertyWrapper
  struct Wrapped<Content: Codable & Equatable>: Codable, Equatable {
    var wrappedValue: Content
    init(from decoder: any Decoder) throws { wrappedValue = try Content(from: decoder) }
    func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
  }

  /// The same, and passes on what it catches within an error of its own.
  struct Rewording: Codable, Equatable {
    var content: Email
    func encode(to encoder: any Encoder) throws { try content.encode(to: encoder) }
    init(from decoder: any Decoder) throws {
      do { content = try Email(from: decoder) } catch {
        throw DecodingError.typeMismatch(
          Self.self,
          DecodingError.Context(
            codingPath: decoder.codingPath, debugDescription: "within", underlyingError: error))
      }
    }
  }

  /// Says what another decoder did of a part of its value, of which the path is another.
  struct Parsed: Codable, Equatable {
    var text: String
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(text)
    }
    init(from decoder: any Decoder) throws {
      text = try decoder.singleValueContainer().decode(String.self)
      guard Email(rawValue: text) != nil else {
        throw DecodingError.dataCorrupted(
          DecodingError.Context(
            codingPath: [],
            debugDescription: "Cannot initialize Email from invalid String value \(text)"))
      }
    }
  }

  /// Its raw value is stored as an object, which has another one in it.
  struct Boxed: RawRepresentable, Codable, Equatable { var rawValue: Email }

  /// Every text is a raw value; what it refuses to decode it refuses for a reason of its own.
  struct Sealed: RawRepresentable, Codable, Equatable {
    var rawValue: String
    init(rawValue: String) { self.rawValue = rawValue }
    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      rawValue = try container.decode(String.self)
      guard rawValue != "closed" else {
        throw DecodingError.dataCorruptedError(
          in: container, debugDescription: "it is closed for good")
      }
    }
  }

  /// Is stored by its members, of which its raw value is made.
  struct Place: RawRepresentable, Codable, Equatable {
    enum CodingKeys: CodingKey { case floor, room }
    var floor = 0
    var room = 0
    var rawValue: String { "\(floor).\(room)" }
    init?(rawValue: String) { return nil }
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      floor = try container.decode(Int.self, forKey: .floor)
      room = try container.decode(Int.self, forKey: .room)
      guard room >= 0 else {
        throw DecodingError.dataCorruptedError(
          forKey: .room, in: container, debugDescription: "there is no such room")
      }
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(floor, forKey: .floor)
      try container.encode(room, forKey: .room)
    }
  }

  struct Person: CodableObject {
    static let primaryKey = "id"
    var id: Int
    var email: Email
    var spare: Email?
    var others: [Email]
    var named: [String: Email]
    var boxed: Boxed
    var level: Level
    var genre: Genre
    var sealed: Sealed
    var place: Place
    @Wrapped var wrapped: Email
    @Wrapped var rank: Rank
    var twice: Wrapped<Wrapped<Email>>
    var wrappers: [String: Wrapped<Email>]
    var reworded: Rewording
    var parsed: Parsed
  }

  /// The keys of its members are numbers, too.
  struct Numbered: CodableObject {
    static let primaryKey = "id"
    var id: Int
    var email: Email
    var others: [Email]
    enum CodingKeys: Int, CodingKey { case id, email, others }
  }

  static let members: [String: Value] = [
    "email": "a@x", "spare": "b@x", "others": .list(["c@x"]), "named": .dictionary(["d": "d@x"]),
    "boxed": .object(["rawValue": "e@x"]), "level": 1, "genre": "poetry", "sealed": "open",
    "place": .object(["floor": 1, "room": 2]), "wrapped": "f@x", "rank": 1, "twice": "g@x",
    "wrappers": .dictionary(["h": "h@x"]), "reworded": "i@x", "parsed": "j@x",
  ]

  /// A store of two people, of whom the first has one other member.
  static func store(
    _ member: String, _ value: Value, _ policy: FailurePolicy? = nil
  ) throws -> Store {
    var configuration = StoreConfiguration.quiet
    configuration.failurePolicies["Person"] = policy
    let store = try Store.open(
      at: "/s", models: [Person.self], evolution: .additive, configuration: configuration,
      fileSystem: InMemoryFileSystem())
    try store.write { transaction in
      var values = members
      values["id"] = 2
      try transaction.put(transaction.makeObject(ofType: "Person", values))
      values["id"] = 1
      values[member] = value
      try transaction.put(transaction.makeObject(ofType: "Person", values))
    }
    return store
  }

  static let unknown: [(String, Value, String, String)] = [
    ("email", "secret", "email", "Email"), ("spare", "secret", "spare", "Email"),
    ("others", .list(["a@x", "secret"]), "others", "Email"),
    ("named", .dictionary(["hidden": "secret"]), "named", "Email"),
    ("boxed", .object(["rawValue": "secret"]), "boxed.rawValue", "Email"),
    ("level", 7, "level", "Level"), ("wrapped", "secret", "wrapped", "Email"),
    // As in the text of the standard library, and making one character with the space before it.
    ("wrapped", "\u{301} from invalid secret", "wrapped", "Email"),
    // Listed, but only its name is known.
    ("rank", 7, "rank", "Rank"), ("twice", "secret", "twice", "Email"),
    ("wrappers", .dictionary(["hidden": "secret"]), "wrappers", "Email"),
    ("reworded", "secret", "reworded", "Email"),
  ]

  @Test(
    "The error names object, member and type, and neither value nor key of a dictionary",
    arguments: unknown)
  func isNamed(member: String, value: Value, path: String, type: String) throws {
    let store = try Self.store(member, value)
    let error = StoreError.schema(
      .unknownCase(type: "Person", keyText: "1", member: path, enumeration: type, value: nil))
    #expect(throws: error) { _ = try store.snapshot().get(Person.self, 1) }
    #expect(try store.snapshot().get(Person.self, 2)?.email.rawValue == "a@x")
    try store.close()
  }

  @Test("So it does where keys of members are numbers", arguments: ["email", "others"])
  func isNamedByNumber(member: String) throws {
    let store = try Store.open(
      at: "/s", models: [Numbered.self], evolution: .additive, configuration: .quiet,
      fileSystem: InMemoryFileSystem())
    try store.write { transaction in
      let values: [String: Value] = [
        "id": 1, "email": member == "email" ? "secret" : "a@x",
        "others": .list(["b@x", member == "others" ? "secret" : "c@x"]),
      ]
      try transaction.put(transaction.makeObject(ofType: "Numbered", values))
    }
    let error = StoreError.schema(
      .unknownCase(
        type: "Numbered", keyText: "1", member: member, enumeration: "Email", value: nil))
    #expect(throws: error) { _ = try store.snapshot().get(Numbered.self, 1) }
    try store.close()
  }

  @Test("Of an enumeration that lists its cases the value is told")
  func isTold() throws {
    let store = try Self.store("genre", "drama")
    let error = StoreError.schema(
      .unknownCase(
        type: "Person", keyText: "1", member: "genre", enumeration: "Genre", value: "\"drama\""))
    #expect(throws: error) { _ = try store.snapshot().get(Person.self, 1) }
    try store.close()
  }

  @Test(
    "What is refused for another reason than its raw value is no unknown case",
    arguments: [
      ("sealed", "closed", "it is closed for good"),
      ("place", .object(["floor": 1, "room": -1]), "there is no such room"),
    ] as [(String, Value, String)])
  func otherReasons(member: String, value: Value, reason: String) throws {
    let store = try Self.store(member, value)
    let error = try #require(throws: StoreError.self) {
      _ = try store.snapshot().get(Person.self, 1)
    }
    guard case .schema(.malformedPayload("Person", "1", let told)) = error else { throw error }
    #expect(told.contains(reason))
    try store.close()
  }

  @Test("What the standard library says of a raw value is not told either where another read it")
  func otherDecoders() throws {
    let store = try Self.store("parsed", "secret")
    let error = try #require(throws: StoreError.self) {
      _ = try store.snapshot().get(Person.self, 1)
    }
    guard case .schema(.malformedPayload("Person", "1", let told)) = error else { throw error }
    #expect(told.contains("Email does not have the value that is stored"))
    #expect(!told.contains("secret"), "\(told)")
    try store.close()
  }

  /// Knows what to do where a value of its own kind of error cannot be read.
  struct Recovering: CodableObject {
    static let primaryKey = "id"
    var id: Int
    var content: Rewording?

    enum CodingKeys: CodingKey {
      case id, content
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      id = try container.decode(Int.self, forKey: .id)
      do { content = try container.decode(Rewording.self, forKey: .content) } catch DecodingError
        .typeMismatch
      { content = nil }
    }
  }

  @Test("What a type makes of an unknown raw value keeps its kind for who catches that")
  func isCaught() throws {
    let store = try Store.open(
      at: "/s", models: [Recovering.self], evolution: .additive, configuration: .quiet,
      fileSystem: InMemoryFileSystem())
    try store.write { transaction in
      for (id, content) in [(1, "secret"), (2, "a@x")] as [(Value, Value)] {
        try transaction.put(
          transaction.makeObject(ofType: "Recovering", ["id": id, "content": content]))
      }
    }
    let contents = try store.snapshot().objects(Recovering.self).all().map(
      \.content?.content.rawValue)
    #expect(contents == [nil, "a@x"])
    try store.close()
  }

  @Test(
    "A policy for failures has walks pass over such an object, or makes something of it",
    arguments: [("email", "secret"), ("wrapped", "secret"), ("rank", 7)] as [(String, Value)])
  func policies(member: String, value: Value) throws {
    var store = try Self.store(member, value, .skipped)
    let cursor = try store.snapshot().objects(Person.self)
    #expect(try cursor.all().map(\.id) == [2])
    #expect(cursor.skippedCount == 1)
    try store.close()
    store = try Self.store(
      member, value,
      .fallback { failed in
        failed.members.merging([member: Self.members[member] ?? .null]) { _, new in new }
      })
    let found = try #require(try store.snapshot().get(Person.self, 1))
    #expect(found.email.rawValue == "a@x" && found.wrapped.rawValue == "f@x")
    #expect(found.rank == .second)
    try store.close()
  }
}
