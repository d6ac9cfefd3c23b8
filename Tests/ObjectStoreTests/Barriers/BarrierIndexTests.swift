import FileIO
import ObjectStore
import StorageTestSupport
import Testing

/// Barriers change objects without their indexes, which must be built anew then (R37).
@Suite struct BarrierIndexTests {
  struct Person: StorableObject {
    static let primaryKey = "id"
    static let indexes = [IndexDeclaration("name")]
    var id = 0
    var email = ""
    var name = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("email", &email)
      try visitor.member("name", &name)
    }
  }

  struct KeyedByEmail: StorableObject {
    static let typeName = "Person"
    static let primaryKey = "email"
    static let indexes = [IndexDeclaration("name")]
    var id = 0
    var email = ""
    var name = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("email", &email)
      try visitor.member("name", &name)
    }
  }

  /// A store whose index of names is complete.
  private static func makeStore() throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    let store = try Store.open(
      at: "/people", models: [Person.self], history: BarrierTests.original, configuration: .quiet,
      fileSystem: fileSystem)
    try store.write { transaction in
      for id in 0..<50 {
        try transaction.put(Person(id: id, email: "p\(id)@x", name: "Name \(id % 5)"))
      }
    }
    try store.close()
    return fileSystem
  }

  private static func keys(_ store: Store, named name: String) throws -> [Value] {
    let cursor = try store.snapshot().objects(
      ofType: "Person", where: "name", selecting: .equal(to: .string(name)))
    var keys: [Value] = []
    while let object = try cursor.next() { keys.append(object.key) }
    return keys
  }

  @Test("R33, R37: after a new key, an index gives the objects that a walk gives")
  func rekeyedObjectsAreFound() throws {
    let fileSystem = try Self.makeStore()
    let history = SchemaHistory {
      BarrierTests.base
      Version(1) { Rekey("Person", to: "email") }
    }
    for _ in 0..<2 {
      let store = try Store.open(
        at: "/people", models: [KeyedByEmail.self], history: history, configuration: .quiet,
        fileSystem: fileSystem)
      let expected = try BarrierTests.all(store)
        .filter { $0["name"] == .string("Name 3") }.map(\.key)
      #expect(expected.count == 10)
      #expect(try Self.keys(store, named: "Name 3") == expected)
      _ = try store.buildIndexes()
      #expect(try Self.keys(store, named: "Name 3") == expected)
      try store.close()
    }
  }

  @Test("R31, R37: what code in a barrier changed is found by its new value only")
  func codedChangesAreFound() throws {
    let fileSystem = try Self.makeStore()
    let history = SchemaHistory {
      BarrierTests.base
      Version(1) {
        Barrier("names", touching: "Person") { store in
          try store.forEach("Person") { old, new in
            if old["name"] == .string("Name 3") { new["name"] = .string("Other") }
            return .keep
          }
        }
      }
    }
    let store = try Store.open(
      at: "/people", models: [Person.self], history: history, configuration: .quiet,
      fileSystem: fileSystem)
    #expect(try Self.keys(store, named: "Name 3").isEmpty)
    #expect(try Self.keys(store, named: "Other").count == 10)
    _ = try store.buildIndexes()
    #expect(try Self.keys(store, named: "Name 3").isEmpty)
    #expect(try Self.keys(store, named: "Other").count == 10)
    try store.close()
  }

  /// Visits its members in another order than the history names them.
  struct Reordered: StorableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var email = ""
    var name = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("name", &name)
      try visitor.member("id", &id)
      try visitor.member("email", &email)
    }
  }

  @Test("R5, R33: a new key keeps every member where models have an order of their own")
  func rekeyingKeepsMembersOfReorderedModels() throws {
    let fileSystem = InMemoryFileSystem()
    let store = try Store.open(
      at: "/people", models: [Reordered.self], history: BarrierTests.original,
      configuration: .quiet, fileSystem: fileSystem)
    try store.write { try $0.put(Reordered(id: 1, email: "a@x", name: "Ada")) }
    try store.close()
    let history = SchemaHistory {
      BarrierTests.base
      Version(1) { Rekey("Person", to: "email") }
    }
    let rekeyed = try Store.open(
      at: "/people", models: [KeyedByEmail.self], history: history, configuration: .quiet,
      fileSystem: fileSystem)
    let person = try #require(try rekeyed.snapshot().get(KeyedByEmail.self, "a@x"))
    #expect(person.id == 1)
    #expect(person.name == "Ada")
    try rekeyed.close()
  }

  struct Unique: StorableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let indexes = [IndexDeclaration("name", isUnique: true)]
    var id = 0
    var email = ""
    var name = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("email", &email)
      try visitor.member("name", &name)
    }
  }

  @Test("R38: long texts that begin alike are unique by all of their characters")
  func longTextsAreUnique() throws {
    let store = try Store.open(
      at: "/people", models: [Unique.self], history: BarrierTests.original,
      configuration: .quiet, fileSystem: InMemoryFileSystem())
    let start = String(repeating: "p", count: 255)
    try store.write { transaction in
      try transaction.put(Unique(id: 1, name: start + "x"))
      try transaction.put(Unique(id: 2, name: start + "y"))
    }
    #expect(throws: StoreError.self) {
      try store.write { try $0.put(Unique(id: 2, name: start + "x")) }
    }
    try store.write { try $0.put(Unique(id: 2, name: start + "y")) }
    try store.close()
  }

  struct Member: StorableObject {
    static let primaryKey = "id"
    static let indexes = [IndexDeclaration("name")]
    var id = 0
    var name = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("name", &name)
    }
  }

  struct Named: StorableObject {
    static let typeName = "Member"
    static let primaryKey = "id"
    static let indexes = [IndexDeclaration("name", isUnique: true)]
    var id = 0
    var name = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("name", &name)
    }
  }

  @Test("R38: where objects with one unique value meet in a type, both stay and are reported")
  func movedDuplicates() throws {
    let base = Base(0) {
      for type in ["Person", "Member"] {
        Type(type, key: "id") {
          Field("id", .int64)
          Field("name", .string)
        }
      }
    }
    let fileSystem = InMemoryFileSystem()
    func open(_ history: SchemaHistory) throws -> Store {
      try Store.open(
        at: "/people", models: [Named.self], history: history, configuration: .quiet,
        fileSystem: fileSystem)
    }
    let old = try open(SchemaHistory { base })
    try old.write { transaction in
      try transaction.put(
        transaction.makeObject(ofType: "Person", ["id": 1, "name": "Ada"]))
      try transaction.put(Named(id: 2, name: "Ada"))
    }
    #expect(try old.buildIndexes().conflicts.isEmpty)
    try old.close()
    let history = SchemaHistory {
      base
      Version(1) { Move("Person", to: "Member", where: .constant(true)) }
    }
    let store = try open(history)
    #expect(try BarrierTests.all(store, "Member").map(\.key) == [1, 2])
    #expect(try store.buildIndexes().conflicts.count == 1)
    #expect(try BarrierTests.all(store, "Member").map(\.key) == [1, 2])
    try store.close()
  }

  @Test("R37: objects that moved are found by the index of the type that they went to")
  func movedObjectsAreFound() throws {
    let fileSystem = InMemoryFileSystem()
    let base = Base(0) {
      for type in ["Person", "Member"] {
        Type(type, key: "id") {
          Field("id", .int64)
          Field("name", .string)
        }
      }
    }
    let history = SchemaHistory {
      base
      Version(1) { Move("Person", to: "Member", from: "id") { (id: Int) in id % 2 == 0 } }
    }
    func open(_ history: SchemaHistory) throws -> Store {
      try Store.open(
        at: "/people", models: [Member.self], history: history, configuration: .quiet,
        fileSystem: fileSystem)
    }
    let old = try open(SchemaHistory { base })
    try old.write { transaction in
      for id in 0..<20 {
        try transaction.put(
          transaction.makeObject(
            ofType: "Person", ["id": .int(Int64(id)), "name": .string("Name \(id % 5)")]))
      }
      try transaction.put(Member(id: 100, name: "Name 3"))
    }
    _ = try old.buildIndexes()
    try old.close()
    for _ in 0..<2 {
      let store = try open(history)
      for isBuilt in [false, true] {
        if isBuilt { _ = try store.buildIndexes() }
        let cursor = try store.snapshot().objects(
          ofType: "Member", where: "name", selecting: .equal(to: "Name 3"))
        var keys: Set<Value> = []
        while let object = try cursor.next() { keys.insert(object.key) }
        #expect(keys == [8, 18, 100])
      }
      try store.close()
    }
  }
}
