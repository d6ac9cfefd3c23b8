import FileIO
import LogStore
import StorageTestSupport
import Testing

@testable import ObjectStore

/// Two apps share a store, and one of them has models of a part of its types (decision 0099).
@Suite("A configuration that knows a part of a store leaves the rest to others")
struct PartlyKnownModelsTests {
  typealias Timing = Store.Configuration.MigrationTiming
  typealias Person = SeedModels.FullName

  struct Note: StorableObject, Equatable {
    static let primaryKey = "id"
    var id = 0
    var text = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("text", &text)
    }
  }

  /// What the part does to make what it has permanent.
  enum Work: CaseIterable { case nothing, migrate, compact }

  static let part: [any StorableObject.Type] = [Note.self]
  static let all: [any StorableObject.Type] = [Person.self, Note.self]

  /// The block of both apps.
  static let block: Store.Configuration.MigrationClosure = { migration, old in
    if old < 1 {
      migration.enumerateObjects(ofType: "Person") { object, new in
        let last = object?["lastName"] ?? ""
        new?["fullName"] = "\(object?["firstName"] ?? "") \(last)"
      }
    }
    if old < 2 {
      migration.enumerateObjects(ofType: "Person") { _, new in
        new?["age"] = (new?["age"] as? Int ?? 0) + 1
      }
    }
  }

  static func open(
    _ fileSystem: any FileSystem, _ models: [any StorableObject.Type], _ version: UInt64,
    _ timing: Timing = .onRead, _ block: Store.Configuration.MigrationClosure? = block
  ) throws -> Store {
    try MigrationOnceTests.open(fileSystem, models, version, timing, block)
  }

  /// A store of version 0 with persons and a note.
  static func makeStore() throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    let store = try open(fileSystem, [SeedModels.Names.self, Note.self], 0)
    try store.write { transaction in
      for id in 0..<3 {
        try transaction.put(
          SeedModels.Names(id: id, firstName: "f\(id)", lastName: "l", age: 10 * id))
      }
      try transaction.put(Note(id: 1, text: "old"))
    }
    try store.close()
    return fileSystem
  }

  static func use(_ fileSystem: any FileSystem, _ timing: Timing, _ work: Work) throws {
    let store = try open(fileSystem, part, 1, timing)
    try store.write { try $0.put(Note(id: 2, text: "new")) }
    switch work {
    case .nothing: break
    case .migrate: #expect(try store.migrate().isFinished)
    case .compact: try store.compact()
    }
    #expect(try store.snapshot().get(Note.self, 1) == Note(id: 1, text: "old"))
    try store.close()
  }

  static func versions(_ store: Store, of type: String) throws -> [SchemaVersion: UInt64] {
    var found: [SchemaVersion: UInt64] = [:]
    for row in try store.statistics().types where row.type == type {
      found[row.version] = row.totals.recordCount
    }
    return found
  }

  static func expectMigrated(
    _ store: Store, ages: [Int], _ location: SourceLocation = #_sourceLocation
  ) throws {
    var found: [Person] = []
    let cursor = try store.snapshot().objects(Person.self)
    while let person = try cursor.next() { found.append(person) }
    #expect(found.map(\.fullName) == ["f0 l", "f1 l", "f2 l"], sourceLocation: location)
    #expect(found.map(\.age) == ages, sourceLocation: location)
  }

  @Test(
    "R28, R12: types besides the models keep their version, and the app that has them migrates",
    arguments: [Timing.onRead, .atOpen], Work.allCases)
  func migratedLater(timing: Timing, work: Work) throws {
    for (version, ages) in [(1, [1, 11, 21]), (2, [1, 11, 21])] as [(UInt64, [Int])] {
      let fileSystem = try Self.makeStore()
      try Self.use(fileSystem, timing, work)
      // Twice: an opening that writes nothing changes nothing.
      for _ in 0..<2 {
        let store = try Self.open(fileSystem, Self.all, version, timing)
        try Self.expectMigrated(store, ages: ages)
        try store.close()
      }
      let store = try Self.open(fileSystem, Self.all, version, timing)
      try store.write { try $0.put(Note(id: 3, text: "newer")) }
      #expect(try store.migrate().isFinished)
      #expect(try Self.versions(store, of: "Person") == [SchemaVersion(version): 3])
      try store.close()
      // The part is opened again, and the whole after it: nothing is migrated twice.
      try Self.open(fileSystem, Self.part, version, timing).close()
      let again = try Self.open(fileSystem, Self.all, version, timing)
      try Self.expectMigrated(again, ages: ages)
      try again.close()
    }
  }

  @Test(
    "R28: what the models do not have is read, written and deleted as it is stored",
    arguments: [Timing.onRead, .atOpen], Work.allCases)
  func untouched(timing: Timing, work: Work) throws {
    let fileSystem = try Self.makeStore()
    try Self.use(fileSystem, timing, work)
    for isTool in [false, true] {
      let store =
        isTool
        ? try Store.open(at: "/people", configuration: .quiet, fileSystem: fileSystem)
        : try Self.open(fileSystem, Self.part, 1, timing)
      #expect(try Self.versions(store, of: "Person") == [0: 3])
      let cursor = try store.snapshot().objects(ofType: "Person")
      var names: [Value?] = []
      while let person = try cursor.next() { names.append(person["firstName"]) }
      #expect(names == ["f0", "f1", "f2"])
      try store.write { transaction in
        let id = Value.int(isTool ? 4 : 5)
        let person = try transaction.makeObject(
          ofType: "Person", ["id": id, "firstName": "g", "lastName": "h", "age": 0])
        try transaction.put(person)
        #expect(try transaction.object(ofType: "Person", key: id) == person)
      }
      #expect(try Self.versions(store, of: "Person") == [0: 4])
      try store.write { try $0.delete(ofType: "Person", key: .int(isTool ? 4 : 5)) }
      try store.close()
    }
    let store = try Self.open(fileSystem, Self.all, 1, timing)
    try Self.expectMigrated(store, ages: [1, 11, 21])
    try store.close()
  }

  @Test("R3, R28: a type that did not change is not renumbered, so that its block runs later")
  func sameShape() throws {
    for version in [0, 1] as [UInt64] {
      let fileSystem = try Self.makeStore()
      // The whole app wrote at version 1 already, or only the part does.
      let models: [any StorableObject.Type] = [SeedModels.Names.self, Note.self]
      let ages: Store.Configuration.MigrationClosure = { migration, old in
        migration.enumerateObjects(ofType: "Person") { _, new in
          new?["age"] = (new?["age"] as? Int ?? 0) + 1
        }
      }
      if version == 1 {
        let store = try Self.open(fileSystem, models, 1, .onRead, ages)
        try store.write { try $0.put(Note(id: 5)) }
        try store.close()
      }
      try Self.use(fileSystem, .onRead, .compact)
      let store = try Self.open(fileSystem, models, 1, .onRead, ages)
      #expect(try Self.versions(store, of: "Person") == [0: 3])
      #expect(try store.snapshot().get(SeedModels.Names.self, 2)?.age == 21)
      try store.close()
    }
  }

  @Test("R5: models are compared with what was declared under their version, and with no more")
  func compared() throws {
    let fileSystem = try Self.makeStore()
    try Self.use(fileSystem, .onRead, .nothing)
    let store = try Self.open(fileSystem, Self.all, 1)
    try store.write { try $0.put(Person(id: 9, fullName: "n")) }
    try store.close()
    // From here on version 1 says what a person is, also when the part writes.
    try Self.use(fileSystem, .onRead, .compact)
    #expect {
      try Self.open(fileSystem, [SeedModels.Names.self, Note.self], 1)
    } throws: { error in
      guard case .modelsChanged(1, let differences)? = error as? StoreError else {
        return false
      }
      return differences.count == 3
    }
    let again = try Self.open(fileSystem, Self.all, 1)
    #expect(try again.snapshot().get(Person.self, 9)?.fullName == "n")
    #expect(try again.snapshot().get(Person.self, 1)?.fullName == "f1 l")
    try again.close()
  }

  @Test("R12, R23: members that versions between renamed are found when a part wrote the newest")
  func renamedBefore() throws {
    let fileSystem = try Self.makeStore()
    let renaming: Store.Configuration.MigrationClosure = { migration, old in
      if old < 1 { migration.renameProperty(onType: "Person", from: "age", to: "yearsSinceBirth") }
      if old < 3 { migration.enumerateObjects(ofType: "Person") { _, _ in } }
    }
    let first = try Self.open(
      fileSystem, [SeedModels.YearsSinceBirth.self, Note.self], 1, .onRead, renaming)
    try first.write {
      try $0.put(SeedModels.YearsSinceBirth(id: 7, firstName: "s", yearsSinceBirth: 70))
    }
    try first.close()
    let part = try Self.open(fileSystem, Self.part, 2, .onRead, nil)
    try part.write { try $0.put(Note(id: 2)) }
    try part.compact()
    #expect(try Self.versions(part, of: "Person") == [0: 3, 1: 1])
    try part.close()
    for timing in [Timing.onRead, .atOpen] {
      let calls = MigrationOnceTests.Calls()
      let last = try Self.open(
        fileSystem, [SeedModels.YearsSinceBirth.self, Note.self], 3, timing
      ) { migration, old in
        calls.note(old)
        try renaming(migration, old)
      }
      #expect(calls.versions.prefix(3) == [2, 1, 0])
      let snapshot = last.snapshot()
      #expect(try snapshot.get(SeedModels.YearsSinceBirth.self, 2)?.yearsSinceBirth == 20)
      #expect(try snapshot.get(SeedModels.YearsSinceBirth.self, 7)?.yearsSinceBirth == 70)
      try last.close()
    }
  }

  @Test("R10: a store is set aside for who has newer models of a type, not for who has none")
  func needsMigration() throws {
    let fileSystem = try Self.makeStore()
    try Self.use(fileSystem, .onRead, .nothing)
    let store = try Store.open(at: "/people", configuration: .quiet, fileSystem: fileSystem)
    for (models, isNeeded) in [(Self.part, false), (Self.all, true)] {
      let configuration = Store.Configuration(path: "/people", models: models, schemaVersion: 1)
      let found = try ConfiguredSchema(
        configuration, catalog: store.reader.catalog, records: store.log.sortedLive)
      #expect(try found.needsMigration == isNeeded)
    }
    try store.close()
  }

  @Test("R28: a configuration without models leaves every type as it is")
  func noModels() throws {
    let fileSystem = try Self.makeStore()
    let none = try Self.open(fileSystem, [], 1)
    try none.write { try $0.delete(ofType: "Note", key: 1) }
    try none.write { transaction in
      try transaction.put(transaction.makeObject(ofType: "Note", ["id": 4, "text": "by none"]))
    }
    try none.compact()
    try none.close()
    let store = try Self.open(fileSystem, Self.all, 1)
    try Self.expectMigrated(store, ages: [1, 11, 21])
    #expect(try store.snapshot().get(Note.self, 4)?.text == "by none")
    try store.close()
  }

  @Test("R32: a block at open moves and deletes objects of a type that the models gave up")
  func movedByBlock() throws {
    let fileSystem = try Self.makeStore()
    for _ in 0..<2 {
      let store = try Self.open(fileSystem, Self.part, 1, .atOpen) { migration, _ in
        migration.enumerateObjects(ofType: "Person") { old, new in
          guard let id = old?["id"] as? Int, let new else { return }
          new["firstName"] = "changed"
          if id == 0 { return migration.delete(new) }
          migration.create("Note", value: ["id": id + 100, "text": old?["firstName"]])
        }
      }
      let snapshot = store.snapshot()
      #expect(try snapshot.get(Note.self, 102)?.text == "f2")
      #expect(try snapshot.object(ofType: "Person", key: 0) == nil)
      #expect(try snapshot.object(ofType: "Person", key: 1)?["firstName"] == "f1")
      #expect(try Self.versions(store, of: "Person") == [0: 2])
      try store.close()
    }
  }

  @Test("R37: indexes of types besides the models are kept up for the app that has them")
  func indexes() throws {
    let fileSystem = InMemoryFileSystem()
    typealias Scored = RecordedModelTests.First
    func items(score: Int, in store: Store) throws -> [Value] {
      try RecordedModelTests.ids(store, Scored.self, score: score)
    }
    var store = try Self.open(fileSystem, [Scored.self, Note.self], 0, .onRead, nil)
    try store.write { try $0.put(Scored(id: 1, score: 7)) }
    try store.write { try $0.put(Scored(id: 2, score: 8)) }
    try store.close()
    store = try Self.open(fileSystem, Self.part, 1, .onRead, nil)
    try store.write { transaction in
      try transaction.put(
        transaction.makeObject(ofType: "Item", ["id": 3, "rank": .null, "score": 7]))
      try transaction.delete(ofType: "Item", key: 1)
    }
    #expect(try items(score: 7, in: store) == [3])
    try store.compact()
    try store.close()
    store = try Self.open(fileSystem, [Scored.self, Note.self], 1, .onRead, nil)
    #expect(store.incompleteIndexes == [])
    #expect(try items(score: 7, in: store) == [3])
    #expect(try items(score: 8, in: store) == [2])
    try store.close()
  }
}
