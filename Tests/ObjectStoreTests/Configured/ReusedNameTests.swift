import FileIO
import Testing

@testable import ObjectStore

@Suite("R24: a name that a member gave up may be used again, whatever versions objects have")
struct ReusedNameTests {
  struct Named: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var name = ""
  }

  struct Full: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["fullName": ["name"]]
    var id = 0
    var fullName = ""
  }

  struct Both: CodableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["fullName": ["name"]]
    var id = 0
    var fullName = ""
    var name: String?
  }

  /// The same, and a block has to say it.
  struct Unsaid: CodableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let indexes = [IndexDeclaration("fullName")]
    var id = 0
    var fullName: String?
    var name: String?
  }

  /// Object 1 of version 0, and object 2 of version 1.
  static func fill() throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    var store = try MigrationOnceTests.open(fileSystem, [Named.self], 0)
    try store.write { try $0.put(Named(id: 1, name: "Ada")) }
    try store.close()
    store = try MigrationOnceTests.open(fileSystem, [Full.self], 1, .onRead)
    try store.write { try $0.put(Full(id: 2, fullName: "Bob")) }
    try store.close()
    return fileSystem
  }

  @Test("By former names", arguments: SeedExampleTests.timings)
  func formerNames(timing: Store.Configuration.MigrationTiming) throws {
    let fileSystem = try Self.fill()
    let expected = [
      Both(id: 1, fullName: "Ada", name: nil), Both(id: 2, fullName: "Bob", name: nil),
    ]
    for _ in 0..<2 {
      let store = try MigrationOnceTests.open(fileSystem, [Both.self], 2, timing)
      #expect(try ChangedKeyTests.all(store, Both.self) == expected)
      try store.compact()
      try store.close()
    }
  }

  @Test("By a block, also where the member becomes optional", arguments: SeedExampleTests.timings)
  func block(timing: Store.Configuration.MigrationTiming) throws {
    let store = try MigrationOnceTests.open(try Self.fill(), [Unsaid.self], 2, timing) {
      migration, version in
      if version < 1 {
        migration.renameProperty(onType: "Person", from: "name", to: "fullName")
      }
    }
    #expect(
      try ChangedKeyTests.all(store, Unsaid.self) == [
        Unsaid(id: 1, fullName: "Ada", name: nil), Unsaid(id: 2, fullName: "Bob", name: nil),
      ])
    try store.buildIndexes()
    let found = try store.snapshot().objects(Unsaid.self, where: "fullName", equals: "Ada").all()
    #expect(found.map(\.id) == [1])
    try store.close()
  }

  struct Pair: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var first = ["a"]
    var second = ["b"]
    var home = Home(street: "s")
  }

  struct Home: Codable, Equatable {
    var street = ""
  }

  struct Triple: CodableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var first: Int?
    var second: [String] = []
    var third: [String]?
    var place = Home()
    var home = "none"
  }

  @Test(
    "Several in a row, each with the name of the next, and lists and embedded objects",
    arguments: SeedExampleTests.timings)
  func chain(timing: Store.Configuration.MigrationTiming) throws {
    let fileSystem = InMemoryFileSystem()
    var store = try MigrationOnceTests.open(fileSystem, [Pair.self], 0)
    try store.write { try $0.put(Pair(id: 1)) }
    try store.close()
    store = try MigrationOnceTests.open(fileSystem, [Triple.self], 1, timing) { migration, _ in
      migration.renameProperty(onType: "Person", from: "second", to: "third")
      migration.renameProperty(onType: "Person", from: "first", to: "second")
      migration.renameProperty(onType: "Person", from: "home", to: "place")
    }
    #expect(
      try store.snapshot().get(Triple.self, 1)
        == Triple(id: 1, second: ["a"], third: ["b"], place: Home(street: "s"), home: "none"))
    try store.close()
  }

  struct PairAndMore: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var first = ["a"]
    var second = ["b"]
    var home = Home(street: "s")
    var more = 0
  }

  @Test(
    "R24: a name that a block takes for another type is no obstacle behind several versions",
    arguments: SeedExampleTests.timings, [false, true])
  func chainBehindVersions(
    timing: Store.Configuration.MigrationTiming, isLast: Bool
  ) throws {
    let fileSystem = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(fileSystem, 0, Pair(id: 1))
    try RenamedOntoMemberTests.put(fileSystem, 1, PairAndMore(id: 2))
    if isLast {
      // The version between has no objects any more.
      let store = try MigrationOnceTests.open(fileSystem, [PairAndMore.self], 1, .onRead)
      try store.write { try $0.delete(PairAndMore.self, 2) }
      try store.close()
    }
    for other in [3, 4] {
      let store = try MigrationOnceTests.open(
        fileSystem, [Triple.self], 2, timing
      ) { migration, _ in
        migration.renameProperty(onType: "Person", from: "second", to: "third")
        migration.renameProperty(onType: "Person", from: "first", to: "second")
        migration.renameProperty(onType: "Person", from: "home", to: "place")
      }
      for key in isLast ? [1] : [1, 2] {
        #expect(
          try store.snapshot().get(Triple.self, key)
            == Triple(
              id: key, second: ["a"], third: ["b"], place: Home(street: "s"), home: "none"))
      }
      try store.write { try $0.put(Triple(id: other)) }
      try store.close()
    }
  }

  @Test(
    "A name that is taken again for another type is no obstacle to code for it",
    arguments: SeedExampleTests.timings)
  func code(timing: Store.Configuration.MigrationTiming) throws {
    let store = try MigrationOnceTests.open(try Self.fill(), [Both.self], 2, timing) {
      migration, version in
      migration.enumerateObjects(ofType: "Person") { old, new in
        new?["name"] = "\(old?["fullName"] ?? "") of \(version)"
      }
    }
    #expect(
      try ChangedKeyTests.all(store, Both.self) == [
        Both(id: 1, fullName: "Ada", name: "Ada of 0"),
        Both(id: 2, fullName: "Bob", name: "Bob of 1"),
      ])
    try store.close()
  }

  @Test(
    "R24: code at open reads a member under the name that the model says it had, as on reading",
    arguments: SeedExampleTests.timings)
  func aliases(timing: Store.Configuration.MigrationTiming) throws {
    struct Measured: CodableObject, Equatable {
      static let typeName = "Person"
      static let primaryKey = "id"
      static let formerNames = ["fullName": ["name"]]
      var id = 0
      var fullName = ""
      var length = 0
    }
    let store = try MigrationOnceTests.open(try Self.fill(), [Measured.self], 2, timing) {
      migration, _ in
      migration.enumerateObjects(ofType: "Person") { old, new in
        new?["length"] = (old?["fullName"] as? String)?.count
      }
    }
    #expect(
      try ChangedKeyTests.all(store, Measured.self) == [
        Measured(id: 1, fullName: "Ada", length: 3), Measured(id: 2, fullName: "Bob", length: 3),
      ])
    try store.close()
  }

  struct Nameless: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
  }

  struct Titled: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var title = ""
  }

  /// Object 3, of a version that has a name again, is 3, and objects of others have none.
  static func expectNew(
    _ fileSystem: InMemoryFileSystem, _ timing: Store.Configuration.MigrationTiming
  ) throws {
    try RenamedOntoMemberTests.put(fileSystem, 2, Named(id: 3, name: "Cid"))
    for _ in 0..<2 {
      let store = try MigrationOnceTests.open(fileSystem, [Full.self], 3, timing)
      #expect(try ChangedKeyTests.all(store, Full.self).map(\.fullName) == ["", "", "Cid"])
      try store.compact()
      try store.close()
    }
  }

  @Test(
    "R23: a former name that was given up and used again is not the first one's",
    arguments: SeedExampleTests.timings)
  func givenUp(timing: Store.Configuration.MigrationTiming) throws {
    let removed = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(removed, 0, Named(id: 1, name: "Ada"))
    try RenamedOntoMemberTests.put(removed, 1, Nameless(id: 2))
    try Self.expectNew(removed, timing)
    let renamed = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(renamed, 0, Named(id: 1, name: "Ada"))
    try RenamedOntoMemberTests.put(
      renamed, 1, Titled(id: 2, title: "Bea"),
      RenamedOntoMemberTests.renaming([("name", "title")], before: 1))
    try Self.expectNew(renamed, timing)
  }

  struct Numbered: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var name = 0
  }

  @Test(
    "R19: what only became another type under its former name is not taken for given up",
    arguments: SeedExampleTests.timings)
  func retyped(timing: Store.Configuration.MigrationTiming) throws {
    let fileSystem = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(fileSystem, 0, Numbered(id: 1, name: 7))
    try RenamedOntoMemberTests.put(fileSystem, 1, Named(id: 2, name: "Bob")) { migration, _ in
      migration.enumerateObjects(ofType: "Person") { old, new in
        new?["name"] = "\(old?["name"] ?? "")"
      }
    }
    #expect(
      throws: StoreError.migrationNeeded(
        type: "Person", member: "fullName", from: .int64, to: .string, version: 0)
    ) { try MigrationOnceTests.open(fileSystem, [Full.self], 2, timing).close() }
  }

  @Test(
    "R23: a former name brings nothing back that a version between gave up, compacted or not",
    arguments: SeedExampleTests.timings, [false, true])
  func removed(timing: Store.Configuration.MigrationTiming, compacts: Bool) throws {
    let fileSystem = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(fileSystem, 0, Named(id: 1, name: "Ada"))
    try RenamedOntoMemberTests.put(fileSystem, 1, Nameless(id: 2))
    if compacts {
      let store = try MigrationOnceTests.open(fileSystem, [Nameless.self], 1, .onRead)
      try store.compact()
      try store.close()
    }
    for model in [Full.self, Both.self] as [any StorableObject.Type] {
      let store = try MigrationOnceTests.open(fileSystem, [model], 2, timing)
      for key in [1, 2] as [Value] {
        let found = try store.snapshot().object(ofType: "Person", key: key)
        #expect(found?.members["fullName"] == .string(""))
      }
      try store.close()
      if timing == .atOpen { return }
    }
  }

  struct Whole: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["whole": ["fullName", "name"]]
    var id = 0
    var whole = 0.0
  }

  struct Last: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["last": ["whole", "fullName", "name"]]
    var id = 0
    var last = 0.0
  }

  @Test(
    "R19: what code carried over to the next name was not given up",
    arguments: SeedExampleTests.timings)
  func carriedOver(timing: Store.Configuration.MigrationTiming) throws {
    let fileSystem = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(fileSystem, 0, Numbered(id: 1, name: 7))
    // Nothing is left of the version between but what the catalog says of it.
    let store = try MigrationOnceTests.open(fileSystem, [Full.self], 1, .onRead) { migration, _ in
      migration.enumerateObjects(ofType: "Person") { _, new in new?["fullName"] = "set" }
    }
    try store.write { try $0.put(Full(id: 2)) }
    try store.write { _ = try $0.delete(Full.self, 2) }
    try store.close()
    try RenamedOntoMemberTests.put(fileSystem, 2, Whole(id: 3)) { migration, _ in
      migration.enumerateObjects(ofType: "Person") { _, new in new?["whole"] = 2.0 }
    }
    #expect(
      throws: StoreError.migrationNeeded(
        type: "Person", member: "last", from: .int64, to: .double, version: 0)
    ) { try MigrationOnceTests.open(fileSystem, [Last.self], 3, timing).close() }
  }

  struct Label: CodableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["label": ["fullName"]]
    var id = 0
    var label = ""
    var fullName: Int?
  }

  /// The same, and what the new member of the old name says of itself is said of the old one.
  struct Labelled: CodableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let formerNames = ["label": ["fullName", "name"]]
    var id = 0
    var label = ""
    var fullName: String?
  }

  @Test(
    "R24: a name that a version between gave and that is used again leads on to the next one",
    arguments: SeedExampleTests.timings, [false, true])
  func usedAgainLater(timing: Store.Configuration.MigrationTiming, compacts: Bool) throws {
    for isLabelled in [false, true] {
      let fileSystem = try Self.fill()
      if compacts {
        let store = try MigrationOnceTests.open(fileSystem, [Full.self], 1, .onRead)
        try store.compact()
        try store.close()
      }
      for _ in 0..<2 {
        let model: any StorableObject.Type = isLabelled ? Labelled.self : Label.self
        let store = try MigrationOnceTests.open(fileSystem, [model], 2, timing)
        for (key, name) in [(1, "Ada"), (2, "Bob")] as [(Value, String)] {
          let found = try store.snapshot().object(ofType: "Person", key: key)
          #expect(found?.members["label"] == .string(name))
          #expect(found?.members["fullName"] == .null)
        }
        try store.close()
      }
    }
  }
}
