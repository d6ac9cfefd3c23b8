import FileIO
import LogStore
import SchemaRegistry
import Testing

@testable import ObjectStore

/// Only a history knows what its operations gave; what additive apps added is in the ledger.
@Suite("What a history or additive apps did to objects is never guessed by a configuration")
struct LedgerBeforeConfigurationTests {
  struct First: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var first = ""
  }

  struct Full: CodableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var fullName = ""
    var score = 9
  }

  struct Pet: CodableObject, Equatable {
    static let primaryKey = "id"
    var id = 0
    var name = ""
  }

  static let base = Base(0) {
    Type("Person", key: "id") {
      Field("id", .int64)
      Field("first", .string)
    }
    Type("Pet", key: "id") {
      Field("id", .int64)
      Field("name", .string)
    }
  }

  static let history = SchemaHistory(
    base: base,
    versions: [
      Version(1) {
        On("Person") {
          Derive("fullName", from: "first") { (first: String) -> String in first + "!" }
          Remove("first")
          Add("score", .int64, default: 5)
        }
      }
    ])

  static func open(
    _ fileSystem: any FileSystem, _ models: [any StorableObject.Type], _ history: SchemaHistory
  ) throws -> Store {
    try Store.open(
      at: "/people", models: models, history: history, configuration: MigrationOnceTests.settings,
      fileSystem: fileSystem)
  }

  /// Person 1 and pet 1 of version 0, and person 2 of version 1.
  static func fill() throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    var store = try open(fileSystem, [First.self, Pet.self], SchemaHistory(base: base))
    try store.write {
      try $0.put(First(id: 1, first: "Ada"))
      try $0.put(Pet(id: 1, name: "Rex"))
    }
    try store.close()
    store = try open(fileSystem, [Full.self, Pet.self], history)
    try store.write { try $0.put(Full(id: 2, fullName: "Bob", score: 1)) }
    try store.close()
    return fileSystem
  }

  @Test(
    "Objects from before a version of a history that touched their type are refused until migrated",
    arguments: [1, 2] as [UInt64], SeedExampleTests.timings)
  func refused(version: UInt64, timing: Store.Configuration.MigrationTiming) throws {
    let fileSystem = try Self.fill()
    #expect(
      throws: StoreError.conflictingSettings(
        "there are objects of Person of version 0, and version 1 of a history changed the type; "
          + "open the store with that history and call migrate() before a configuration opens it")
    ) {
      try MigrationOnceTests.open(fileSystem, [Full.self], version, timing) { migration, _ in
        migration.enumerateObjects(ofType: "Person") { _, new in new?["score"] = 7 }
      }.close()
    }
    var store = try Self.open(fileSystem, [Full.self, Pet.self], Self.history)
    try store.migrate()
    try store.close()
    store = try MigrationOnceTests.open(fileSystem, [Full.self], version, timing)
    #expect(
      try ChangedKeyTests.all(store, Full.self)
        == [Full(id: 1, fullName: "Ada!", score: 5), Full(id: 2, fullName: "Bob", score: 1)])
    try store.close()
  }

  @Test("Where a configuration wrote a higher version, the history must be told to open the store")
  func writtenByConfiguration() throws {
    let fileSystem = try Self.fill()
    let other = try MigrationOnceTests.open(fileSystem, [Pet.self], 3, .onRead)
    try other.write { try $0.put(Pet(id: 2, name: "Mia")) }
    try other.close()
    #expect(
      throws: StoreError.conflictingSettings(
        "there are objects of Person of version 0, and version 1 of a history changed the type; "
          + "open the store with that history, and with newerStore = .projected, as version 3 "
          + "wrote to it, and call migrate() before a configuration opens it")
    ) {
      try MigrationOnceTests.open(fileSystem, [Full.self], 3, .onRead).close()
    }
    var settings = MigrationOnceTests.settings
    settings.newerStore = .projected
    var store = try Store.open(
      at: "/people", models: [Full.self, Pet.self], history: Self.history, configuration: settings,
      fileSystem: fileSystem)
    #expect(try store.migrate().isFinished)
    try store.close()
    store = try MigrationOnceTests.open(fileSystem, [Full.self, Pet.self], 3, .onRead)
    #expect(
      try ChangedKeyTests.all(store, Full.self)
        == [Full(id: 1, fullName: "Ada!", score: 5), Full(id: 2, fullName: "Bob", score: 1)])
    #expect(try ChangedKeyTests.all(store, Pet.self).map(\.name) == ["Rex", "Mia"])
    try store.close()
  }

  @Test("Types that a history left alone, and those that the models do not have, are no obstacle")
  func untouched() throws {
    let fileSystem = try Self.fill()
    let store = try MigrationOnceTests.open(fileSystem, [Pet.self], 2, .onRead)
    #expect(try ChangedKeyTests.all(store, Pet.self) == [Pet(id: 1, name: "Rex")])
    try store.close()
  }

  /// What is in a room: by additive apps, and by a build with other initial values.
  struct Home: EmbeddedObject, Equatable {
    var street = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) { try visitor.member("street", &street) }
  }

  struct GrownHome: EmbeddedObject, Equatable {
    var street = ""
    var zip = 5
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("street", &street)
      try visitor.member("zip", &zip)
    }
  }

  struct LaterHome: EmbeddedObject, Equatable {
    var street = ""
    var zip = 7
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("street", &street)
      try visitor.member("zip", &zip)
    }
  }

  struct Small: StorableObject {
    static let typeName = "Room"
    static let primaryKey = "id"
    var id = 0
    var homes: [Home] = []
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("homes", &homes)
    }
  }

  struct Grown: StorableObject {
    static let typeName = "Room"
    static let primaryKey = "id"
    var id = 0
    var homes: [GrownHome] = []
    var number = 5
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("homes", &homes)
      try visitor.member("number", &number)
    }
  }

  struct Later: StorableObject {
    static let typeName = "Room"
    static let primaryKey = "id"
    var id = 0
    var homes: [LaterHome] = []
    var number = 7
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("homes", &homes)
      try visitor.member("number", &number)
    }
  }

  @Test(
    "R22: what additive apps added has the value that they recorded, inside objects too",
    arguments: SeedExampleTests.timings)
  func additive(timing: Store.Configuration.MigrationTiming) throws {
    let fileSystem = InMemoryFileSystem()
    func open(_ model: any StorableObject.Type) throws -> Store {
      try Store.open(
        at: "/people", models: [model], evolution: .additive,
        configuration: MigrationOnceTests.settings, fileSystem: fileSystem)
    }
    var store = try open(Small.self)
    try store.write { try $0.put(Small(id: 1, homes: [Home(street: "s")])) }
    try store.close()
    store = try open(Grown.self)
    try store.write { try $0.put(Grown(id: 2, number: 1)) }
    #expect(try store.snapshot().get(Grown.self, 1)?.homes.map(\.zip) == [5])
    try store.close()
    for version in [5, 6] as [UInt64] {
      store = try MigrationOnceTests.open(fileSystem, [Later.self], version, timing)
      let found = try ChangedKeyTests.all(store, Later.self)
      #expect(found.map(\.number) == [5, 1])
      #expect(found[0].homes == [LaterHome(street: "s", zip: 5)])
      try store.write { try $0.put(Later(id: 3, number: 0)) }
      try store.compact()
      #expect(try store.snapshot().get(Later.self, 1)?.number == 5)
      #expect(try store.snapshot().get(Later.self, 1)?.homes.map(\.zip) == [5])
      try store.write { try $0.delete(Later.self, 3) }
      try store.close()
    }
  }

  /// As an additive app does it.
  static func put<Model: StorableObject>(_ object: Model, _ fileSystem: any FileSystem) throws {
    let store = try Store.open(
      at: "/people", models: [Model.self], evolution: .additive,
      configuration: MigrationOnceTests.settings, fileSystem: fileSystem)
    try store.write { try $0.put(object) }
    try store.close()
  }

  @Test("R22: what additive apps added inside of a member that they had added is there as well")
  func additiveInside() throws {
    struct Bare: CodableObject {
      static let typeName = "Room"
      static let primaryKey = "id"
      var id = 0
    }
    struct Housed: StorableObject, Equatable {
      static let typeName = "Room"
      static let primaryKey = "id"
      var id = 0
      var home = Home(street: "first")
      mutating func visitMembers<Visitor: MemberVisitor>(
        _ visitor: inout Visitor
      ) throws(StoreError) {
        try visitor.member("id", &id)
        try visitor.member("home", &home)
      }
    }
    struct GrownHoused: StorableObject {
      static let typeName = "Room"
      static let primaryKey = "id"
      var id = 0
      var home = GrownHome(street: "second")
      mutating func visitMembers<Visitor: MemberVisitor>(
        _ visitor: inout Visitor
      ) throws(StoreError) {
        try visitor.member("id", &id)
        try visitor.member("home", &home)
      }
    }
    struct LaterHoused: StorableObject {
      static let typeName = "Room"
      static let primaryKey = "id"
      var id = 0
      var home = LaterHome(street: "third")
      mutating func visitMembers<Visitor: MemberVisitor>(
        _ visitor: inout Visitor
      ) throws(StoreError) {
        try visitor.member("id", &id)
        try visitor.member("home", &home)
      }
    }
    let fileSystem = InMemoryFileSystem()
    try Self.put(Bare(id: 1), fileSystem)
    try Self.put(Housed(id: 2, home: Home(street: "s")), fileSystem)
    try Self.put(GrownHoused(id: 3, home: GrownHome(street: "t", zip: 1)), fileSystem)
    let store = try MigrationOnceTests.open(fileSystem, [LaterHoused.self], 9, .onRead)
    #expect(
      try ChangedKeyTests.all(store, LaterHoused.self).map(\.home) == [
        LaterHome(street: "first", zip: 5), LaterHome(street: "s", zip: 5),
        LaterHome(street: "t", zip: 1),
      ])
    try store.close()
  }

  @Test("Who only reads is refused as well, and a barrier counts as a change")
  func barrier() throws {
    let fileSystem = InMemoryFileSystem()
    var store = try Self.open(fileSystem, [First.self, Pet.self], SchemaHistory(base: Self.base))
    try store.write { try $0.put(Pet(id: 1, name: "Rex")) }
    try store.close()
    let history = SchemaHistory(
      base: Self.base, versions: [Version(1) { Barrier("none", touching: "Person") { _ in } }])
    store = try Self.open(fileSystem, [First.self, Pet.self], history)
    try store.write { try $0.put(First(id: 1)) }
    try store.close()
    var configuration = try Store.Configuration(
      path: "/people", models: [Pet.self], schemaVersion: 2, readOnly: true)
    configuration.compaction = .off
    #expect {
      try Store.open(configuration, path: "/people", fileSystem: fileSystem).close()
    } throws: { error in
      if case .conflictingSettings? = error as? StoreError { true } else { false }
    }
  }
}
