import FileIO
import LogStore
import Testing

@testable import ObjectStore

/// Stores of configurations that an app with a history opens, which knows a part of the types.
@Suite("A history that knows a part of a configured store")
struct PartlyKnownStoreTests {
  struct Person: StorableObject {
    static let primaryKey = "id"
    var id = 0
    var age = 3
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("age", &age)
    }
  }

  struct Note: StorableObject {
    static let primaryKey = "id"
    var id = 0
    var text = "empty"
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("text", &text)
    }
  }

  static let history = SchemaHistory {
    Base(0) {
      Type("Person", key: "id") {
        Field("id", .int64)
        Field("age", .int64)
      }
    }
  }

  static func openConfigured(_ fileSystem: InMemoryFileSystem) throws -> Store {
    var configuration = Store.Configuration(path: "/s", models: [Person.self, Note.self])
    configuration.compaction = .off
    return try Store.open(configuration, path: "/s", fileSystem: fileSystem)
  }

  /// A configured store that never had a note.
  static func makeStore() throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    let store = try openConfigured(fileSystem)
    try store.write { try $0.put(Person(id: 1)) }
    try store.close()
    return fileSystem
  }

  static func expectUsable(_ fileSystem: InMemoryFileSystem) throws {
    for id in 5...6 {
      let store = try openConfigured(fileSystem)
      try store.write { try $0.put(Note(id: id)) }
      #expect(try store.snapshot().get(Person.self, 1)?.age == 3)
      #expect(try store.snapshot().get(Note.self, id)?.text == "empty")
      try store.close()
    }
  }

  @Test("R28: a type without objects stays described when a history that lacks it writes")
  func emptyType() throws {
    let fileSystem = try Self.makeStore()
    let store = try Store.open(
      at: "/s", history: Self.history, configuration: .quiet, fileSystem: fileSystem)
    try store.write { try $0.put($0.makeObject(ofType: "Person", ["id": 2, "age": 4])) }
    #expect(store.storedSchemas[0]?.type(named: "Note") != nil)
    try store.close()
    try Self.expectUsable(fileSystem)
  }

  @Test("Records of models of types that a version lost do not keep a store from being opened")
  func lostType() throws {
    let fileSystem = try Self.makeStore()
    let log = try Log.open(at: "/s", fileSystem: fileSystem)
    try log.transact { transaction in
      try transaction.put(
        SchemaCatalog.key(of: 0), in: .catalog, schemaVersion: 0,
        payload: try Self.history.shape(at: 0).encoded())
    }
    try log.close()
    try Self.expectUsable(fileSystem)
  }

  @Test("A transaction reads the first object of a type that no model declares")
  func firstUndeclared() throws {
    let fileSystem = InMemoryFileSystem()
    try RenamedOntoMemberTests.put(fileSystem, 0, Person(id: 1))
    let both = try MigrationOnceTests.open(fileSystem, [Person.self, Note.self], 1, .onRead)
    try both.write { try $0.put(Person(id: 2)) }
    try both.close()
    let store = try MigrationOnceTests.open(fileSystem, [Person.self], 2, .onRead)
    try store.write { transaction in
      try transaction.put(Person(id: 3))
      for text in ["first", "second"] {
        try transaction.put(
          transaction.makeObject(ofType: "Note", ["id": 7, "text": .string(text)]))
        #expect(try transaction.object(ofType: "Note", key: 7)?["text"] == .string(text))
        let cursor = try transaction.objects(ofType: "Note")
        #expect(try cursor.next()?["text"] == .string(text))
      }
    }
    #expect(try store.snapshot().object(ofType: "Note", key: 7)?["text"] == "second")
    #expect(try store.statistics().types.filter { $0.type == "Note" }.map(\.version) == [1])
    try store.close()
  }
}
