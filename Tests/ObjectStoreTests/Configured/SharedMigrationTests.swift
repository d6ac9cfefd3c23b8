import FileIO
import Testing

@testable import ObjectStore

/// Two apps with the same block, of which one knows a part of the types (decisions 0040 and 0120).
@Suite("R28, R32: a block that ran for the models of one app takes nothing back for another")
struct SharedMigrationTests {
  typealias Note = PartlyKnownModelsTests.Note
  typealias Calls = MigrationOnceTests.Calls

  struct Person: CodableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var age: Int?
  }

  struct Settings: CodableObject, Equatable {
    static let typeName = "Settings"
    static let primaryKey = "id"
    var id = 0
    var isNew = false
  }

  static let all: [any StorableObject.Type] = [Person.self, Note.self, Settings.self]

  static func block(_ calls: Calls) -> Store.Configuration.MigrationClosure {
    { migration, old in
      calls.note(old)
      migration.deleteData(forType: "Note")
      migration.create("Settings", value: ["id": 1, "isNew": true])
      migration.enumerateObjects(ofType: "Person") { _, new in new?["age"] = 1 }
    }
  }

  /// A store of version 1, at version 2 for a widget that knows notes only, and wrote one.
  static func makeStore(persons: [Int]) throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    var store = try MigrationOnceTests.open(fileSystem, all, 1)
    try store.write { transaction in
      for id in persons { try transaction.put(Person(id: id)) }
      try transaction.put(Note(id: 1, text: "old"))
    }
    try store.close()
    store = try MigrationOnceTests.open(fileSystem, [Note.self], 2, .atOpen, block(Calls()))
    #expect(try ChangedKeyTests.all(store, Note.self) == [])
    #expect(try store.snapshot().count(ofType: "Settings") == 1)
    try store.write { try $0.put(Note(id: 2, text: "by the widget")) }
    try store.close()
    return fileSystem
  }

  @Test("Where no object is older, nothing of the block is done, and the types are of the version")
  func nothingOlder() throws {
    let fileSystem = try Self.makeStore(persons: [])
    let calls = Calls()
    for _ in 0..<2 {
      let store = try MigrationOnceTests.open(fileSystem, Self.all, 2, .atOpen, Self.block(calls))
      #expect(try ChangedKeyTests.all(store, Note.self).map(\.id) == [2])
      #expect(try ChangedKeyTests.all(store, Settings.self) == [Settings(id: 1, isNew: true)])
      try store.write { try $0.put(Person(id: 7)) }
      try store.close()
    }
  }

  @Test("Where some are, what is of the version already stays, and what was made is not made again")
  func someOlder() throws {
    let fileSystem = try Self.makeStore(persons: [5])
    for _ in 0..<2 {
      let store = try MigrationOnceTests.open(
        fileSystem, Self.all, 2, .atOpen, Self.block(Calls()))
      #expect(try ChangedKeyTests.all(store, Note.self) == [Note(id: 2, text: "by the widget")])
      #expect(try ChangedKeyTests.all(store, Settings.self) == [Settings(id: 1, isNew: true)])
      #expect(try ChangedKeyTests.all(store, Person.self) == [Person(id: 5, age: 1)])
      try store.close()
    }
  }

  @Test("What passed a part of the block in a version between stays, and is not made again")
  func passedBefore() throws {
    let fileSystem = try Self.makeStore(persons: [5])
    let calls = Calls()
    for _ in 0..<2 {
      let store = try MigrationOnceTests.open(fileSystem, Self.all, 3, .atOpen) { migration, old in
        if old < 2 { try Self.block(calls)(migration, old) }
      }
      #expect(try ChangedKeyTests.all(store, Note.self) == [Note(id: 2, text: "by the widget")])
      #expect(try ChangedKeyTests.all(store, Settings.self) == [Settings(id: 1, isNew: true)])
      #expect(try ChangedKeyTests.all(store, Person.self) == [Person(id: 5, age: 1)])
      try store.close()
    }
  }

  @Test("What the block deletes for a version between, too, is deleted")
  func deletedForBoth() throws {
    let fileSystem = try Self.makeStore(persons: [5])
    let store = try MigrationOnceTests.open(fileSystem, Self.all, 3, .atOpen, Self.block(Calls()))
    #expect(try ChangedKeyTests.all(store, Note.self) == [])
    #expect(try ChangedKeyTests.all(store, Person.self) == [Person(id: 5, age: 1)])
    try store.close()
  }

  @Test("What a block made for an app with other models is not made again in the next version")
  func madeForOthers() throws {
    let fileSystem = try Self.makeStore(persons: [1])
    let store = try MigrationOnceTests.open(
      fileSystem, [Person.self, Settings.self], 3, .atOpen, Self.block(Calls()))
    #expect(try ChangedKeyTests.all(store, Settings.self) == [Settings(id: 1, isNew: true)])
    #expect(try ChangedKeyTests.all(store, Person.self) == [Person(id: 1, age: 1)])
    try store.close()
  }

  /// Version 5 is that of an app which knows notes only.
  @Test("A block deletes objects of an app with other models, also of its newest version")
  func deletesOfOthers() throws {
    for isEach in [true, false] {
      let fileSystem = InMemoryFileSystem()
      try RenamedOntoMemberTests.put(fileSystem, 4, RenamedOntoMemberTests.Named(id: 1))
      try RenamedOntoMemberTests.put(fileSystem, 5, Note(id: 1, text: "x"))
      let store = try MigrationOnceTests.open(
        fileSystem, [RenamedOntoMemberTests.Named.self], 6, .atOpen
      ) { migration, _ in
        guard isEach else {
          migration.deleteData(forType: "Note")
          return
        }
        migration.enumerateObjects(ofType: "Note") { _, new in
          if let new { migration.delete(new) }
        }
      }
      #expect(try store.snapshot().count(ofType: "Note") == 0)
      try store.close()
    }
  }

  @Test("What a block makes twice in one run is an error as before")
  func madeTwice() throws {
    let fileSystem = try Self.makeStore(persons: [5])
    #expect(throws: StoreError.self) {
      try MigrationOnceTests.open(fileSystem, Self.all, 2, .atOpen) { migration, _ in
        migration.create("Settings", value: ["id": 9])
        migration.create("Settings", value: ["id": 9])
      }.close()
    }
  }

  @Test("In a store of an older version, what is there already is an error as before")
  func thereBefore() throws {
    let fileSystem = InMemoryFileSystem()
    let store = try MigrationOnceTests.open(fileSystem, Self.all, 1)
    try store.write { try $0.put(Settings(id: 1)) }
    try store.close()
    #expect(throws: StoreError.self) {
      try MigrationOnceTests.open(fileSystem, Self.all, 2, .atOpen, Self.block(Calls())).close()
    }
  }
}
