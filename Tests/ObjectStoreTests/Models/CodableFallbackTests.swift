import FileIO
import ObjectStore
import Testing

/// Types that decode themselves, and look at more than values.
@Suite("Codable types see the path that leads to them, and may take unknown values for others")
struct CodableFallbackTests {
  typealias Email = CodableRawValueTests.Email
  typealias Genre = CodableRawValueTests.Genre

  /// Goes on with another value where one is unknown.
  struct Tolerant: CodableObject {
    static let primaryKey = "id"
    var id: Int
    var email: Email?
    var genre: Genre
    var inner: Inner
    /// What it caught; not stored.
    var caught: [String] = []
    enum CodingKeys: CodingKey { case id, email, genre, inner }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      var errors: [String] = []
      id = try container.decode(Int.self, forKey: .id)
      do {
        email = try container.decodeIfPresent(Email.self, forKey: .email)
      } catch let error as DecodingError {
        errors.append("\(error)")
      }
      do {
        genre = try container.decode(Genre.self, forKey: .genre)
      } catch DecodingError.dataCorrupted(let context) {
        errors.append(context.debugDescription)
        genre = .poetry
      }
      do {
        inner = try container.decode(Inner.self, forKey: .inner)
      } catch is DecodingError {
        inner = Inner(emails: [:])
      }
      caught = errors
    }
  }

  /// What types say that pass on an error within one of their own.
  static func context(of error: any Error, in decoder: any Decoder) -> DecodingError.Context {
    DecodingError.Context(
      codingPath: decoder.codingPath, debugDescription: "within", underlyingError: error)
  }

  /// Passes on what it catches within an error of its own.
  struct Inner: Codable, Equatable {
    var emails: [String: Email]
    enum CodingKeys: CodingKey { case emails }

    init(emails: [String: Email]) { self.emails = emails }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      do { emails = try container.decode([String: Email].self, forKey: .emails) } catch {
        throw DecodingError.dataCorrupted(CodableFallbackTests.context(of: error, in: decoder))
      }
    }
  }

  /// Has what `Tolerant` passes on, and catches nothing.
  struct Strict: CodableObject {
    static let primaryKey = "id"
    var id: Int
    var inner: Inner
  }

  /// Passes on what it catches beneath errors of all other kinds.
  struct Deep: Codable, Equatable {
    var emails: [String: Email]
    enum CodingKeys: CodingKey { case emails }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      do { emails = try container.decode([String: Email].self, forKey: .emails) } catch {
        let noKey = DecodingError.keyNotFound(
          CodingKeys.emails, CodableFallbackTests.context(of: error, in: decoder))
        let noValue = DecodingError.valueNotFound(
          [String: Email].self, CodableFallbackTests.context(of: noKey, in: decoder))
        throw DecodingError.typeMismatch(
          [String: Email].self, CodableFallbackTests.context(of: noValue, in: decoder))
      }
    }
  }

  struct Deeper: CodableObject {
    static let primaryKey = "id"
    var id: Int
    var deep: Deep
  }

  /// Passes on the errors of its teams within one of its own.
  struct Division: Codable, Equatable {
    var teams: [String: Team]
    enum CodingKeys: CodingKey { case teams }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      do { teams = try container.decode([String: Team].self, forKey: .teams) } catch {
        throw DecodingError.dataCorrupted(CodableFallbackTests.context(of: error, in: decoder))
      }
    }
  }

  struct Sport: CodableObject {
    static let primaryKey = "id"
    var id: Int
    var division: Division
  }

  /// Is called like its key.
  struct Team: Codable, Equatable {
    var name: String
    var number: Int?
    var size: Int
    enum CodingKeys: CodingKey { case size }

    init(from decoder: any Decoder) throws {
      name = decoder.codingPath.map(\.stringValue).joined(separator: "/")
      number = decoder.codingPath.last?.intValue
      size = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .size)
      guard size >= 0 else {
        throw DecodingError.dataCorrupted(
          DecodingError.Context(
            codingPath: decoder.codingPath, debugDescription: "it has no such size"))
      }
    }
  }

  struct League: CodableObject {
    static let primaryKey = "id"
    var id: Int
    var teams: [String: Team]
    var ranked: [Team]
  }

  /// Does not encode every text.
  struct Label: Codable {
    var text: String
    enum CodingKeys: CodingKey { case text }

    func encode(to encoder: any Encoder) throws {
      guard text != "secret" else {
        throw EncodingError.invalidValue(
          self,
          EncodingError.Context(
            codingPath: encoder.codingPath, debugDescription: "it is not to be stored"))
      }
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(text, forKey: .text)
    }
  }

  struct Shelf: CodableObject {
    static let primaryKey = "id"
    var id: Int
    var labels: [String: Label]
  }

  private static func read<Model: CodableObject>(
    _ model: Model.Type, _ members: [String: Value]
  ) throws -> Model {
    let store = try Store.open(
      at: "/s", models: [model], evolution: .additive, configuration: .quiet,
      fileSystem: InMemoryFileSystem())
    defer { try? store.close() }
    var values = members
    values["id"] = 1
    try store.write { transaction in
      try transaction.put(transaction.makeObject(ofType: Model.typeName, values))
    }
    return try #require(try store.snapshot().get(model, 1))
  }

  @Test("P1: a type in a dictionary has its key at the end of the path, one in a list its place")
  func keys() throws {
    let size = Value.object(["size": 3])
    let league = try Self.read(
      League.self,
      ["teams": .dictionary(["red": size, "7": size]), "ranked": .list([size, size])])
    #expect(league.teams["red"]?.name == "teams/red")
    #expect(league.teams["red"]?.number == nil)
    #expect(league.teams["7"]?.name == "teams/7")
    #expect(league.teams["7"]?.number == 7)
    #expect(league.ranked.map(\.number) == [0, 1])
  }

  @Test("Errors of the store do not tell that key, which is a value")
  func untoldKeys() throws {
    let error = try #require(throws: StoreError.self) {
      _ = try Self.read(
        League.self,
        ["teams": .dictionary(["hidden": .object(["size": -1])]), "ranked": .list([])])
    }
    guard case .schema(.malformedPayload("League", "1", let told)) = error else { throw error }
    #expect(told.contains("it has no such size"))
    #expect(!told.contains("hidden"), "\(told)")
    #expect("\(error)".contains("League 1 cannot be read"), "\(error)")
    // Nothing is damaged, so no backup would be of use.
    #expect("\(error)".hasSuffix("Let the type accept what is stored."), "\(error)")
  }

  @Test("Nor where a type passes the error with it on within an error of its own")
  func untoldKeysBeneath() throws {
    let teams = Value.dictionary(["hidden": .object(["size": -1])])
    let error = try #require(throws: StoreError.self) {
      _ = try Self.read(Sport.self, ["division": .object(["teams": teams])])
    }
    guard case .schema(.malformedPayload("Sport", "1", let told)) = error else { throw error }
    #expect(told.contains("within") && told.contains("it has no such size"))
    #expect(!told.contains("hidden"), "\(told)")
  }

  @Test("Nor do errors of encoding, which hold the value itself, too")
  func untoldKeysOfEncoding() throws {
    let store = try Store.open(
      at: "/s", models: [Shelf.self], evolution: .additive, configuration: .quiet,
      fileSystem: InMemoryFileSystem())
    let error = try #require(throws: StoreError.self) {
      try store.write { transaction in
        try transaction.put(Shelf(id: 1, labels: ["hidden": Label(text: "secret")]))
      }
    }
    guard case .schema(.invalidValue("Shelf", "(Codable)", let told)) = error else { throw error }
    #expect(told.contains("it is not to be stored") && told.contains("labels"), "\(told)")
    #expect(!told.contains("hidden") && !told.contains("secret"), "\(told)")
    try store.close()
  }

  @Test("An unknown value is an error of decoding to them, and told where cases are listed only")
  func fallbacks() throws {
    let emails = Value.object(["emails": .dictionary(["hidden": "secret"])])
    let found = try Self.read(
      Tolerant.self, ["email": "secret", "genre": "drama", "inner": emails])
    #expect(found.email == nil && found.genre == .poetry && found.inner.emails.isEmpty)
    try #require(found.caught.count == 2)
    #expect(found.caught[0].contains("Email") && !found.caught[0].contains("secret"))
    #expect(found.caught[1] == "Genre has no case \"drama\"")
  }

  @Test("One that a type passes on within an error of its own is an unknown case still")
  func passedOn() throws {
    let error = StoreError.schema(
      .unknownCase(
        type: "Strict", keyText: "1", member: "inner.emails", enumeration: "Email", value: nil))
    #expect(throws: error) {
      _ = try Self.read(
        Strict.self, ["inner": .object(["emails": .dictionary(["hidden": "secret"])])])
    }
  }

  @Test("So is one beneath errors of decoding of every other kind")
  func passedOnDeeper() throws {
    let error = StoreError.schema(
      .unknownCase(
        type: "Deeper", keyText: "1", member: "deep.emails", enumeration: "Email", value: nil))
    #expect(throws: error) {
      _ = try Self.read(
        Deeper.self, ["deep": .object(["emails": .dictionary(["hidden": "secret"])])])
    }
  }
}
