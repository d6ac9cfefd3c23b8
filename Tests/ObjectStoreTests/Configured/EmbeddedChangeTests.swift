import FileIO
import StorageTestSupport
import Testing

@testable import ObjectStore

@Suite("Embedded objects whose members changed, under configurations")
struct EmbeddedChangeTests {
  typealias Timing = Store.Configuration.MigrationTiming
  typealias Models = TodoModels
  typealias Old = Models.Resident<Models.Home>
  typealias Grown = Models.Resident<Models.GrownHome>
  typealias Numbered = Models.Resident<Models.NumberedHome>
  typealias Road = Models.Resident<Models.RoadHome>

  static func fill<Home: EmbeddedObject & Equatable>(_ home: Home) throws -> InMemoryFileSystem {
    typealias Model = Models.Resident<Home>
    let fileSystem = InMemoryFileSystem()
    let store = try MigrationOnceTests.open(fileSystem, [Model.self], 0)
    try store.write { transaction in
      try transaction.put(Model.with(1, home))
      try transaction.put(Model(id: 2))
    }
    try store.close()
    return fileSystem
  }

  static func touch(_ type: String = "Resident") -> Store.Configuration.MigrationClosure {
    { migration, _ in
      migration.enumerateObjects(ofType: type) { _, new in new?["full"] = "set" }
    }
  }

  @Test(
    "R22: members that are added with a value, or optional, are added in objects that are there",
    arguments: SeedExampleTests.timings, [true, false])
  func added(timing: Timing, hasCode: Bool) throws {
    let fileSystem = try Self.fill(Models.Home(street: "s"))
    let block = hasCode ? Self.touch() : nil
    let full = hasCode ? "set" : ""
    var store = try MigrationOnceTests.open(fileSystem, [Grown.self], 1, timing, block)
    let expected = [
      Grown.with(1, Models.GrownHome(street: "s"), full: full), Grown(id: 2, full: full),
    ]
    #expect(try ChangedKeyTests.all(store, Grown.self) == expected)
    try store.compact()
    try store.close()
    store = try MigrationOnceTests.open(fileSystem, [Grown.self], 1, timing, block)
    #expect(try ChangedKeyTests.all(store, Grown.self) == expected)
    #expect(try store.statistics().oldestVersion == 1)
    try store.close()
  }

  @Test(
    "Members that embedded objects have no more go, and the others stay",
    arguments: SeedExampleTests.timings)
  func removed(timing: Timing) throws {
    let fileSystem = try Self.fill(Models.GrownHome(country: "AT", street: "s", zip: 5))
    let store = try MigrationOnceTests.open(fileSystem, [Old.self], 1, timing)
    #expect(
      try ChangedKeyTests.all(store, Old.self) == [
        Old.with(1, Models.Home(street: "s")), Old(id: 2),
      ])
    try store.close()
  }

  /// The members of a home that has grown, in another order, and one of them optional now.
  struct ReorderedHome: EmbeddedObject, Equatable {
    var zip: Int?
    var street = ""
    var country: String?
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("zip", &zip)
      try visitor.member("street", &street)
      try visitor.member("country", &country)
    }
  }

  /// In another order alone.
  struct TurnedHome: EmbeddedObject, Equatable {
    var street = ""
    var zip: Int?
    var country = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("street", &street)
      try visitor.member("zip", &zip)
      try visitor.member("country", &country)
    }
  }

  @Test(
    "Another order is no change, and members may become optional",
    arguments: SeedExampleTests.timings)
  func reordered(timing: Timing) throws {
    typealias Reordered = Models.Resident<ReorderedHome>
    typealias Turned = Models.Resident<TurnedHome>
    let home = Models.GrownHome(country: "AT", street: "s", zip: 5)
    var store = try MigrationOnceTests.open(try Self.fill(home), [Reordered.self], 1, timing)
    #expect(
      try store.snapshot().get(Reordered.self, 1)
        == Reordered.with(1, ReorderedHome(zip: 5, street: "s", country: "AT")))
    try store.close()
    store = try MigrationOnceTests.open(
      try Self.fill(home), [Turned.self], 1, timing, Self.touch())
    #expect(
      try store.snapshot().get(Turned.self, 1)
        == Turned.with(1, TurnedHome(street: "s", zip: 5, country: "AT"), full: "set"))
    try store.close()
  }

  @Test(
    "R22: members are added in embedded objects that others hold, or that become optional",
    arguments: SeedExampleTests.timings)
  func deeper(timing: Timing) throws {
    typealias Deep = Models.Resident<Holder<Models.Home>>
    typealias DeepGrown = Models.Resident<Holder<Models.GrownHome>>
    let home = Models.Home(street: "s")
    let grown = Models.GrownHome(street: "s")
    var store = try MigrationOnceTests.open(
      try Self.fill(Holder(home: home, homes: [home])), [DeepGrown.self], 1, timing)
    #expect(
      try store.snapshot().get(DeepGrown.self, 1)
        == DeepGrown.with(1, Holder(home: grown, homes: [grown])))
    try store.close()
    store = try MigrationOnceTests.open(try Self.fill(home), [Unsure.self], 1, timing)
    #expect(try store.snapshot().get(Unsure.self, 1)?.base == grown)
    try store.close()
  }

  struct Holder<Home: EmbeddedObject & Equatable>: EmbeddedObject, Equatable {
    var home: Home?
    var homes: [Home] = []
    init() {}
    init(home: Home, homes: [Home]) { (self.home, self.homes) = (home, homes) }
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("home", &home)
      try visitor.member("homes", &homes)
    }
  }

  struct Unsure: StorableObject {
    static let typeName = "Resident"
    static let primaryKey = "id"
    var id = 0
    var base: Models.GrownHome?
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("base", &base)
    }
  }

  @Test("A block may set embedded objects besides", arguments: SeedExampleTests.timings)
  func setByBlock(timing: Timing) throws {
    let fileSystem = try Self.fill(Models.Home(street: "s"))
    let store = try MigrationOnceTests.open(fileSystem, [Grown.self], 1, timing) {
      migration, _ in
      migration.enumerateObjects(ofType: "Resident") { old, new in
        let home = old?["home"] as? [String: Any]
        new?["home"] = home.map {
          ["country": "FR", "street": $0["street"] as? String ?? "", "zip": 7] as [String: Any?]
        }
      }
    }
    let found = try store.snapshot().get(Grown.self, 1)
    #expect(found?.home == Models.GrownHome(country: "FR", street: "s", zip: 7))
    #expect(found?.homes.first == Models.GrownHome(street: "s"))
    try store.close()
  }

  @Test("What may be a rename inside of an embedded object asks for code, and loses nothing")
  func maybeRenamed() throws {
    let fileSystem = try Self.fill(Models.GrownHome(street: "s"))
    #expect {
      try MigrationOnceTests.open(fileSystem, [Road.self], 1, .onRead).close()
    } throws: { error in
      guard case .migrationNeeded("Resident", "base", _, _, 0)? = error as? StoreError else {
        return false
      }
      return true
    }
  }

  @Test(
    "R19: a block that touches an object and leaves what only code can carry over fails it",
    arguments: SeedExampleTests.timings)
  func unset(timing: Timing) throws {
    for model in [Numbered.self, Road.self] as [any StorableObject.Type] {
      let fileSystem = try Self.fill(Models.Home(street: "s"))
      #expect {
        let store = try MigrationOnceTests.open(fileSystem, [model], 1, timing, Self.touch())
        defer { try? store.close() }
        _ = try store.snapshot().object(ofType: "Resident", key: 1)
      } throws: { error in
        "\(error)".contains("Resident.base") && "\(error)".contains("set it for every object")
      }
      let store = try MigrationOnceTests.open(fileSystem, [Old.self], 0)
      #expect(
        try ChangedKeyTests.all(store, Old.self) == [
          Old.with(1, Models.Home(street: "s")), Old(id: 2),
        ])
      try store.close()
    }
  }
}
