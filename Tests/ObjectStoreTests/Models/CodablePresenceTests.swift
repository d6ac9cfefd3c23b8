import FileIO
import ObjectStore
import Testing

/// Members that a `Codable` type asks for by `contains(_:)`.
@Suite(
  "Codable types that ask whether a member is there need it, do without it, or encode it always")
struct CodablePresenceTests {
  /// Takes what is left out for 10, and has a nil of another meaning.
  struct Leaving: Codable, Equatable {
    var limit: Int?
    enum CodingKeys: CodingKey { case limit }

    init(limit: Int?) { self.limit = limit }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      limit = 10
      if container.contains(.limit) {
        limit = try container.decodeIfPresent(Int.self, forKey: .limit)
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      if limit != 10 { try container.encode(limit, forKey: .limit) }
    }
  }

  /// Asks, to no purpose, and leaves out nil.
  struct Asking: CodableObject, Equatable {
    static let primaryKey = "id"
    var id: Int
    var spare: Int?
    enum CodingKeys: CodingKey { case id, spare }

    init(id: Int, spare: Int?) { (self.id, self.spare) = (id, spare) }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      id = try container.decode(Int.self, forKey: .id)
      if container.contains(.spare) {
        spare = try container.decodeIfPresent(Int.self, forKey: .spare)
      }
    }
  }

  struct Holder: CodableObject, Equatable {
    static let primaryKey = "id"
    var id: Int
    var leaving: Leaving
    var spare: Int?
  }

  struct Bare: CodableObject {
    static let typeName = "Nicked"
    static let primaryKey = "id"
    var id: Int
  }

  /// Throws an error of its own where it is not given what it needs.
  struct Nicked: CodableObject {
    struct Missing: Error {}
    static let primaryKey = "id"
    var id: Int
    var nick: String
    enum CodingKeys: CodingKey { case id, nick }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      id = try container.decode(Int.self, forKey: .id)
      guard container.contains(.nick) else { throw Missing() }
      nick = try container.decode(String.self, forKey: .nick)
    }
  }

  struct House: Codable, Equatable {
    var street: String
  }

  struct GrownHouse: Codable, Equatable {
    var street: String
    var floor: Int?
  }

  struct EarlierOwner: CodableObject {
    static let typeName = "Owner"
    static let primaryKey = "id"
    var id: Int
    var home: House
    var others: [House]
  }

  struct Owner: CodableObject, Equatable {
    static let primaryKey = "id"
    var id: Int
    var home = GrownHouse(street: "none")
    var others: [GrownHouse] = []
    enum CodingKeys: CodingKey { case id, home, others }

    init(id: Int, home: GrownHouse, others: [GrownHouse]) {
      (self.id, self.home, self.others) = (id, home, others)
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      id = try container.decode(Int.self, forKey: .id)
      if container.contains(.home) { home = try container.decode(GrownHouse.self, forKey: .home) }
      if container.contains(.others) {
        others = try container.decode([GrownHouse].self, forKey: .others)
      }
    }
  }

  @Test("One that may be nil and is left out is refused when it is put, and nil is read as such")
  func leaving() throws {
    let objects = [
      Holder(id: 1, leaving: Leaving(limit: nil), spare: nil),
      Holder(id: 2, leaving: Leaving(limit: 3), spare: 4),
    ]
    #expect(try CodableNilTests.readBack(objects) == objects)
    let refused = Holder(id: 3, leaving: Leaving(limit: 10), spare: nil)
    #expect {
      _ = try CodableNilTests.readBack([refused])
    } throws: { error in
      guard case .schema(.invalidValue("Holder", "(Codable)", let reason))? = error as? StoreError
      else { return false }
      return reason.hasPrefix("leaving: it leaves out limit") && reason.contains("encode it always")
    }
  }

  @Test("One that is nil when it is left out may be")
  func asking() throws {
    let objects = [Asking(id: 1, spare: nil), Asking(id: 2, spare: 3)]
    #expect(try CodableNilTests.readBack(objects) == objects)
  }

  @Test("Additive: one that the type throws without is required, and has to have a value")
  func required() throws {
    let fileSystem = InMemoryFileSystem()
    try CodableInitialValueTests.put(.additive, Bare(id: 1), fileSystem)
    #expect(
      throws: StoreError.schema(.notAdditive(changes: [], withoutDefault: ["Nicked.nick"]))
    ) {
      try CodableInitialValueTests.open(.additive, Nicked.self, fileSystem) { _ in }
    }
  }

  @Test("Additive: objects in members that earlier releases made required grow all the same")
  func growing() throws {
    let fileSystem = InMemoryFileSystem()
    let earlier = EarlierOwner(id: 1, home: House(street: "a"), others: [House(street: "b")])
    try CodableInitialValueTests.put(.additive, earlier, fileSystem)
    try CodableInitialValueTests.open(.additive, Owner.self, fileSystem) { (store) throws in
      let owner = Owner(
        id: 1, home: GrownHouse(street: "a", floor: nil),
        others: [GrownHouse(street: "b", floor: nil)])
      #expect(try store.snapshot().get(Owner.self, 1) == owner)
    }
  }
}
