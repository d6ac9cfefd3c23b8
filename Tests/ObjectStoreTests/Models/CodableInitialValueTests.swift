import FileIO
import Foundation
import Testing

@testable import ObjectStore

/// Decision 0103.
@Suite("Codable types begin with what their init() says, and without one with nothing")
struct CodableInitialValueTests {
  typealias People = CodablePeople

  /// How a store is opened whose models change.
  enum Way: CaseIterable { case additive, configured }

  static func open<Model: StorableObject>(
    _ way: Way, _ model: Model.Type, version: UInt64 = 1, _ fileSystem: InMemoryFileSystem,
    block: Store.Configuration.MigrationClosure? = nil, _ body: (Store) throws -> Void
  ) throws {
    if way == .additive {
      return try EmbeddedGrowthTests.open(model, fileSystem, .quiet, body)
    }
    var configuration = Store.Configuration(
      path: "/s", models: [model], schemaVersion: version, migrationBlock: block)
    configuration.compaction = .off
    let store = try Store.open(configuration, path: "/s", fileSystem: fileSystem)
    try body(store)
    try store.close()
  }

  static func put<Model: StorableObject>(
    _ way: Way, _ object: Model, version: UInt64 = 1, _ fileSystem: InMemoryFileSystem
  ) throws {
    try open(way, Model.self, version: version, fileSystem) { (store) throws in
      try store.write { try $0.put(object) }
    }
  }

  static func makeStore(_ way: Way) throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    try put(way, People.First.named(1), version: 0, fileSystem)
    return fileSystem
  }

  @Test("Additive: optionals that are new are nil in older objects, and inside of embedded ones")
  func optionals() throws {
    let fileSystem = try Self.makeStore(.additive)
    try Self.open(.additive, People.Optionals.self, fileSystem) { (store) throws in
      #expect(try store.snapshot().get(People.Optionals.self, 1) == .bare(1))
      try store.write { try $0.put(People.Optionals.bare(2)) }
    }
    // An app that knows less makes objects without them, as well.
    try Self.put(.additive, People.First.named(3), fileSystem)
    try Self.open(.additive, People.Optionals.self, fileSystem) { (store) throws in
      for id in 1...3 {
        #expect(try store.snapshot().get(People.Optionals.self, id) == .bare(id))
      }
    }
  }

  @Test("Configured: optionals that are new are nil in older objects")
  func optionalsOfConfiguration() throws {
    let fileSystem = InMemoryFileSystem()
    try Self.put(.configured, People.Floored.at(1, floor: nil), version: 0, fileSystem)
    for version in [1, 2] as [UInt64] {
      try Self.open(.configured, People.Optionals.self, version: version, fileSystem) {
        (store) throws in
        #expect(try store.snapshot().get(People.Optionals.self, 1) == .bare(1))
        try store.write { try $0.put(People.Optionals.bare(Int(version) + 1)) }
      }
    }
  }

  @Test("A required member that is new is refused, also when it has a value that is not known")
  func required() throws {
    let fileSystem = try Self.makeStore(.additive)
    #expect(
      throws: StoreError.schema(.notAdditive(changes: [], withoutDefault: ["Person.level"]))
    ) {
      try Self.open(.additive, People.Levelled.self, fileSystem) { _ in }
    }
    #expect(
      throws: StoreError.schema(.notAdditive(changes: [], withoutDefault: ["Person.home.zip"]))
    ) {
      try Self.open(.additive, People.Zipped.self, fileSystem) { _ in }
    }
    let configured = try Self.makeStore(.configured)
    #expect(
      throws: StoreError.migrationNeeded(
        type: "Person", member: "level", from: nil, to: .int64, version: 0)
    ) {
      try Self.open(.configured, People.Levelled.self, configured) { _ in }
    }
    let block: Store.Configuration.MigrationClosure = { migration, _ in
      migration.enumerateObjects(ofType: "Person") { _, new in new?["level"] = 8 }
    }
    try Self.open(.configured, People.Levelled.self, configured, block: block) { (store) throws in
      #expect(try store.snapshot().get(People.Levelled.self, 1)?.level == 8)
    }
  }

  @Test("The values of an init() that a type has of its own are those of older objects")
  func ownInitializer() throws {
    let fileSystem = try Self.makeStore(.additive)
    try Self.open(.additive, People.Initialised.self, fileSystem) { (store) throws in
      let found = try store.snapshot().get(People.Initialised.self, 1)
      var expected = People.Initialised()
      (expected.id, expected.home.street) = (1, "a")
      #expect(found == expected)
    }
    for way in Way.allCases {
      try Self.open(way, People.Valued.self, try Self.makeStore(way)) { (store) throws in
        let found = try store.snapshot().get(People.Valued.self, 1)
        #expect(found?.level == 5 && found?.nick == nil && found?.home.street == "a")
      }
    }
  }

  @Test(
    "What an earlier release recorded of a type without init() stays what older objects hold",
    arguments: Way.allCases)
  func recorded(_ way: Way) throws {
    // A configuration cannot say what is added inside of an embedded object.
    let fileSystem = way == .additive ? try Self.makeStore(way) : InMemoryFileSystem()
    if way == .configured {
      try Self.put(way, People.Floored.at(1, floor: 0), version: 0, fileSystem)
    }
    var second = People.RecordedOptionals()
    (second.id, second.nick) = (2, "b")
    try Self.put(way, second, fileSystem)
    for version in [1, 2] as [UInt64] {
      try Self.open(way, People.Optionals.self, version: version, fileSystem) { (store) throws in
        let found = try store.snapshot().get(People.Optionals.self, 1)
        #expect(found?.nick == "" && found?.age == 0 && found?.other?.floor == 0)
        #expect(found?.home == People.HomeWithFloor(street: "a", floor: 0))
        try store.write { try $0.put(People.Optionals.bare(3)) }
      }
    }
    let levelled = try Self.makeStore(way)
    try Self.put(way, People.RecordedLevelled(id: 2), levelled)
    try Self.open(way, People.Levelled.self, levelled) { (store) throws in
      #expect(try store.snapshot().get(People.Levelled.self, 1)?.level == 0)
    }
  }

  @Test("Apps that know less make objects that can be read, with placeholders for what they lack")
  func placeholders() throws {
    let fileSystem = InMemoryFileSystem()
    let full = People.Moody(
      id: 1, home: People.MoodyHome(street: "a", mood: .cross, floor: 3), mood: .cross,
      site: URL(filePath: "/x"))
    try Self.put(.additive, full, fileSystem)
    try Self.put(.additive, People.First.named(2), fileSystem)
    try Self.open(.additive, People.Moody.self, fileSystem) { (store) throws in
      #expect(try store.snapshot().get(People.Moody.self, 1) == full)
      let home = People.MoodyHome(street: "a", mood: .calm, floor: nil)
      #expect(
        try store.snapshot().get(People.Moody.self, 2)
          == People.Moody(id: 2, home: home, mood: .calm, site: URL(filePath: "/")))
    }
  }

  @Test("A member that became required keeps its values where a block looks at the type")
  func becomesRequired() throws {
    let fileSystem = InMemoryFileSystem()
    try Self.put(
      .configured, People.OptionalNick(id: 1, nick: "a", mood: .cross), version: 0, fileSystem)
    try Self.put(.configured, People.OptionalNick(id: 2), version: 0, fileSystem)
    #expect(throws: StoreError.self) {
      try Self.open(.configured, People.RequiredNick.self, fileSystem) { _ in }
    }
    let block: Store.Configuration.MigrationClosure = { migration, _ in
      migration.enumerateObjects(ofType: "Person") { _, _ in }
    }
    try Self.open(.configured, People.RequiredNick.self, fileSystem, block: block) {
      (store) throws in
      let snapshot = store.snapshot()
      #expect(
        try snapshot.get(People.RequiredNick.self, 1)
          == People.RequiredNick(id: 1, nick: "a", mood: .cross))
      #expect(
        try snapshot.get(People.RequiredNick.self, 2)
          == People.RequiredNick(id: 2, nick: "", mood: .calm))
    }
  }
}
