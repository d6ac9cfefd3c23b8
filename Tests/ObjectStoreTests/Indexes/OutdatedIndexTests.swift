import FileIO
import LogStore
import Testing

@testable import ObjectStore

/// Indexes that are ready by the catalog, and must not be asked even so.
@Suite("Indexes that are not to be trusted")
struct OutdatedIndexTests {
  struct OldPerson: StorableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let indexes: [IndexDeclaration] = [.unique("age")]
    var id = 0
    var age: Int?
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("age", &age)
    }
  }

  struct Person: StorableObject {
    static let primaryKey = "id"
    static let indexes: [IndexDeclaration] = [.unique("age")]
    var id = 0
    var age = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("age", &age)
    }
  }

  /// The same without the index.
  struct PlainPerson: StorableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var age: Int?
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("age", &age)
    }
  }

  static let base = Base(0) {
    Type("Person", key: "id") {
      Field("id", .int64)
      Field("age", .optional(.int64))
    }
  }
  static let history = SchemaHistory {
    base
    Version(1) { On("Person") { Require("age", fill: 0) } }
  }

  static func open(
    _ fileSystem: InMemoryFileSystem, _ models: [any StorableObject.Type], _ history: SchemaHistory
  ) throws -> Store {
    try Store.open(
      at: "/s", models: models, history: history, configuration: .quiet, fileSystem: fileSystem)
  }

  static func keys(_ snapshot: StoreSnapshot, age: Value) throws -> [Value] {
    let cursor = try snapshot.objects(
      ofType: "Person", where: "age", selecting: .equal(to: age))
    var keys: [Value] = []
    while let object = try cursor.next() { keys.append(object.key) }
    return keys
  }

  @Test("R37, R38, H15: an index from before the base of a squashed history is made again")
  func squashed() throws {
    let fileSystem = InMemoryFileSystem()
    var store = try Self.open(fileSystem, [OldPerson.self], SchemaHistory { Self.base })
    try store.write { try $0.put(OldPerson(id: 1, age: nil)) }
    try store.close()
    // A tool, which knows no model, leaves the index as it is.
    store = try Self.open(fileSystem, [], Self.history)
    _ = try store.migrate()
    try store.close()
    let squashed = try Self.history.squashed(
      floor: 1, askingStoresAt: ["/s"], fileSystem: fileSystem)
    store = try Self.open(fileSystem, [Person.self], squashed)
    #expect(store.incompleteIndexes == ["Person.age"])
    for _ in 0..<2 {
      #expect(try Self.keys(store.snapshot(), age: 0) == [1])
      #expect(throws: StoreError.notUnique(type: "Person", member: "age", keyText: "1")) {
        try store.write { try $0.put(Person(id: 2, age: 0)) }
      }
      try store.buildIndexes()
      #expect(store.incompleteIndexes == [])
    }
    try store.close()
    // The new one is of the base's version, and kept.
    store = try Self.open(fileSystem, [Person.self], squashed)
    #expect(store.incompleteIndexes == [])
    try store.close()
  }

  @Test("R37: building indexes asks none that holds what its member had under another type")
  func changedType() throws {
    let fileSystem = InMemoryFileSystem()
    var store = try Self.open(fileSystem, [OldPerson.self], SchemaHistory { Self.base })
    try store.write { transaction in
      for id in 1...3 { try transaction.put(OldPerson(id: id, age: id)) }
    }
    try store.close()
    let history = SchemaHistory {
      Self.base
      Version(1) {
        On("Person") {
          Convert("age", to: .list(.int64)) { (age: Int?) in age.map { [$0] } ?? [] }
        }
      }
    }
    // A tool, which knows no model, leaves the index as it is.
    store = try Self.open(fileSystem, [], history)
    #expect(try store.buildIndexes().conflicts.isEmpty)
    let cursor = try store.snapshot().objects(
      ofType: "Person", where: "age", selecting: .containing(2))
    #expect(try cursor.next()?.key == 2)
    #expect(try cursor.next() == nil)
    try store.close()
  }

  @Test("R37: a snapshot does not ask an index that the first write retires")
  func retired() throws {
    let fileSystem = InMemoryFileSystem()
    let history = SchemaHistory { Self.base }
    var store = try Self.open(fileSystem, [OldPerson.self], history)
    try store.write { try $0.put(OldPerson(id: 1, age: 7)) }
    try store.close()
    store = try Self.open(fileSystem, [PlainPerson.self], history)
    // Another thread's first write comes between the catalog and the log's state.
    let catalog = store.reader.catalog
    try store.write { try $0.put(PlainPerson(id: 2, age: 7)) }
    let snapshot = StoreSnapshot(
      store.log.snapshot(), catalog: catalog, reader: store.reader, bindings: store.bindings)
    #expect(try Self.keys(snapshot, age: 7) == [1, 2])
    try store.close()
  }

  @Test("R37: a snapshot that has the first object of a type finds it, whatever its catalog has")
  func firstObject() throws {
    let store = try Self.open(
      InMemoryFileSystem(), [OldPerson.self], SchemaHistory { Self.base })
    // The first write comes between the catalog and the log's state.
    let catalog = store.reader.catalog
    try store.write { try $0.put(OldPerson(id: 1, age: 7)) }
    let snapshot = StoreSnapshot(
      store.log.snapshot(), catalog: catalog, reader: store.reader, bindings: store.bindings)
    #expect(try snapshot.get(OldPerson.self, 1) != nil)
    #expect(try Self.keys(snapshot, age: 7) == [1])
    try store.close()
  }
}
