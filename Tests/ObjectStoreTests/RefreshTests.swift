import FileIO
import LogStore
import StorageTestSupport
import Testing

@testable import ObjectStore

/// Stores that are open for reading while another handle writes, as an app and its widget do.
@Suite("A reader beside a writer goes to the newest state when it is asked to")
struct RefreshTests {
  struct Person: StorableObject, Equatable {
    static let primaryKey = "id"
    static let indexes = [IndexDeclaration("age")]
    var id = 0
    var name = ""
    var age = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("name", &name)
      try visitor.member("age", &age)
    }
  }

  /// The same in another order of members.
  struct ReorderedPerson: StorableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let indexes = [IndexDeclaration("age")]
    var age = 0
    var name = ""
    var id = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("age", &age)
      try visitor.member("name", &name)
      try visitor.member("id", &id)
    }
  }

  struct Pet: StorableObject, Equatable {
    static let primaryKey = "name"
    static let indexes = [IndexDeclaration("age")]
    var name = ""
    var age = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("name", &name)
      try visitor.member("age", &age)
    }
  }

  static let models: [any StorableObject.Type] = [Person.self, Pet.self]
  static let base = Base(0) {
    Type("Person", key: "id") {
      Field("id", .int64)
      Field("name", .string)
      Field("age", .int64)
    }
    Type("Pet", key: "name") {
      Field("name", .string)
      Field("age", .int64)
    }
  }
  static let history = SchemaHistory { base }
  static let newer = SchemaHistory {
    base
    Version(1) { On("Person") { Add("city", .optional(.string)) } }
  }

  static func open(
    _ fileSystem: any FileSystem, reading: Bool = false, history: SchemaHistory = history,
    models: [any StorableObject.Type] = models
  ) throws -> Store {
    var configuration = StoreConfiguration.quiet
    if reading {
      configuration.log.access = .readOnly
      configuration.log.admitsWriters = true
    }
    return try Store.open(
      at: "/store", models: models, history: history, configuration: configuration,
      fileSystem: fileSystem)
  }

  /// A file system with a store of one person, and a reader of it that came first.
  static func makeReader() throws -> (InMemoryFileSystem, Store) {
    let fileSystem = InMemoryFileSystem()
    let store = try open(fileSystem)
    try store.write { try $0.put(Person(id: 1, name: "Ada", age: 36)) }
    try store.close()
    return (fileSystem, try open(fileSystem, reading: true))
  }

  static func keys(_ snapshot: StoreSnapshot, _ type: String, age: Int) throws -> [Value] {
    let cursor = try snapshot.objects(
      ofType: type, where: "age", selecting: .equal(to: .int(Int64(age))))
    var keys: [Value] = []
    while let object = try cursor.next() { keys.append(object.key) }
    return keys
  }

  @Test("objects of known types, and the first of a new type, are there after a refresh")
  func knownAndNewTypes() throws {
    let (fileSystem, reader) = try Self.makeReader()
    let writer = try Self.open(fileSystem)
    try writer.write { try $0.put(Person(id: 2, name: "Bo", age: 36)) }
    #expect(try reader.snapshot().get(Person.self, 2) == nil)
    let before = reader.snapshot()
    #expect(try reader.refresh() == writer.snapshot().lastSequence)
    #expect(try reader.snapshot().get(Person.self, 2)?.name == "Bo")
    #expect(try Self.keys(reader.snapshot(), "Person", age: 36) == [1, 2])
    try writer.write { try $0.put(Pet(name: "Rex", age: 3)) }
    #expect(try reader.snapshot().get(Pet.self, "Rex") == nil)
    try reader.refresh()
    #expect(try reader.snapshot().get(Pet.self, "Rex") == Pet(name: "Rex", age: 3))
    #expect(try Self.keys(reader.snapshot(), "Pet", age: 3) == ["Rex"])
    #expect(try reader.statistics().types.map(\.type) == ["Person", "Pet"])
    #expect(try before.get(Person.self, 2) == nil)
    #expect(try before.get(Pet.self, "Rex") == nil)
    #expect(try Self.keys(before, "Person", age: 36) == [1])
    #expect(try writer.refresh() == writer.snapshot().lastSequence)
    try writer.close()
    try reader.close()
    #expect(throws: StoreError.log(.closed)) { try reader.refresh() }
  }

  @Test("a newer version is the error that opening gives, and the reader stays where it was")
  func newerVersion() throws {
    let (fileSystem, reader) = try Self.makeReader()
    let writer = try Self.open(fileSystem, history: Self.newer, models: [])
    try writer.write { transaction in
      try transaction.put(
        transaction.makeObject(ofType: "Person", ["id": 2, "name": "Bo", "age": 1]))
      try transaction.put(
        transaction.makeObject(ofType: "Person", ["id": 1, "name": "Eve", "age": 2]))
    }
    let expected = StoreError.schema(.storeIsNewer(stored: 1, requested: 0))
    #expect(throws: expected) { _ = try Self.open(fileSystem, reading: true) }
    for _ in 0..<2 {
      #expect(throws: expected) { try reader.refresh() }
      #expect(try reader.snapshot().get(Person.self, 1)?.name == "Ada")
      #expect(try reader.snapshot().get(Person.self, 2) == nil)
      #expect(try Self.keys(reader.snapshot(), "Person", age: 36) == [1])
    }
    try reader.close()
    try writer.close()
  }

  @Test("a reader that came before anything was described reads what was written another way")
  func anotherOrderOfMembers() throws {
    let fileSystem = InMemoryFileSystem()
    try Self.open(fileSystem).close()
    let reader = try Self.open(fileSystem, reading: true, models: [ReorderedPerson.self])
    #expect(try reader.snapshot().get(ReorderedPerson.self, 1) == nil)
    let writer = try Self.open(fileSystem)
    try writer.write { try $0.put(Person(id: 1, name: "Ada", age: 36)) }
    try reader.refresh()
    let found = try reader.snapshot().get(ReorderedPerson.self, 1)
    #expect(found?.name == "Ada" && found?.age == 36)
    try writer.close()
  }

  @Test("a plan of a compaction counts what is outdated of types that a refresh brought")
  func compactionPlan() throws {
    let both = SchemaHistory {
      Self.base
      Version(1) {
        On("Person") { Add("city", .optional(.string)) }
        On("Pet") { Add("city", .optional(.string)) }
      }
    }
    let fileSystem = InMemoryFileSystem()
    let writer = try Self.open(fileSystem)
    try writer.write { try $0.put(Person(id: 1, name: "Ada", age: 36)) }
    try writer.close()
    let reader = try Self.open(fileSystem, reading: true, history: both, models: [])
    #expect(try reader.compactionPlan().staleRecordCount == 1)
    let again = try Self.open(fileSystem)
    try again.write { try $0.put(Pet(name: "Rex", age: 3)) }
    try again.close()
    try reader.refresh()
    #expect(try reader.compactionPlan().staleRecordCount == 2)
    try reader.close()
  }

  @Test("stores that are opened as they are, and those that grow by additions, are refreshed too")
  func otherWaysOfOpening() throws {
    let fileSystem = InMemoryFileSystem()
    var quiet = StoreConfiguration.quiet
    func additive(_ models: [any StorableObject.Type]) throws -> Store {
      try Store.open(
        at: "/store", models: models, evolution: .additive, configuration: quiet,
        fileSystem: fileSystem)
    }
    let writer = try additive([Person.self])
    try writer.write { try $0.put(Person(id: 1)) }
    quiet.log.access = .readOnly
    let reader = try additive([Person.self])
    let tool = try Store.open(at: "/store", configuration: quiet, fileSystem: fileSystem)
    try writer.close()
    quiet.log.access = .readWrite
    let other = try additive([Pet.self, Person.self])
    try other.write { transaction in
      try transaction.put(Pet(name: "Rex", age: 3))
      try transaction.put(Person(id: 2, name: "Bo"))
    }
    #expect(throws: StoreError.self) { try tool.snapshot().object(ofType: "Pet", key: "Rex") }
    try reader.refresh()
    try tool.refresh()
    #expect(try reader.snapshot().get(Person.self, 2)?.name == "Bo")
    #expect(try tool.snapshot().object(ofType: "Pet", key: "Rex")?["age"] == 3)
    try other.close()
  }

  @Test("a read-only configuration that came first admits a writer, unless it is told not to")
  func configurations() throws {
    let fileSystem = InMemoryFileSystem()
    func open(_ configuration: Store.Configuration) throws -> Store {
      var configuration = configuration
      configuration.compaction = .off
      return try Store.open(configuration, path: "/store", fileSystem: fileSystem)
    }
    let writing = Store.Configuration(path: "/store", models: Self.models)
    var reading = try Store.Configuration(path: "/store", models: Self.models, readOnly: true)
    try open(writing).close()
    let reader = try open(reading)
    var writer = try open(writing)
    try writer.write { try $0.put(Person(id: 1, name: "Ada")) }
    try reader.refresh()
    #expect(try reader.snapshot().get(Person.self, 1)?.name == "Ada")
    try writer.close()
    var raised = writing
    raised.schemaVersion = 1
    writer = try open(raised)
    try writer.write { try $0.put(Person(id: 2)) }
    #expect(throws: StoreError.schema(.storeIsNewer(stored: 1, requested: 0))) {
      try reader.refresh()
    }
    #expect(try reader.snapshot().get(Person.self, 1)?.name == "Ada")
    try writer.close()
    try reader.close()
    reading.schemaVersion = 1
    reading.admitsWriters = false
    let alone = try open(reading)
    #expect {
      _ = try open(raised)
    } throws: { error in
      if case .log(.storeIsInUse)? = error as? StoreError { true } else { false }
    }
    #expect(try alone.refresh() == alone.snapshot().lastSequence)
    try alone.close()
  }

  @Test("snapshots that are taken while others refresh show one state, and know how to read it")
  func whileOthersRefresh() throws {
    let (fileSystem, reader) = try Self.makeReader()
    let writer = try Self.open(fileSystem)
    let isWritten = Lock(false)
    let failures = Threads.run(3) { thread in
      if thread == 0 {
        defer { isWritten.withLock { $0 = true } }
        for number in 2..<120 {
          try writer.write(durability: .process) { transaction in
            try transaction.put(Person(id: number, age: 36))
            if number > 60 { try transaction.put(Pet(name: "\(number)", age: number)) }
          }
        }
      } else if thread == 1 {
        while !isWritten.withLock({ $0 }) { try reader.refresh() }
      } else {
        while !isWritten.withLock({ $0 }) {
          let snapshot = reader.snapshot()
          let count = try snapshot.count(Person.self)
          guard try Self.keys(snapshot, "Person", age: 36).count == count,
            try snapshot.count(Pet.self) == max(0, count - 60),
            try snapshot.get(Pet.self, "\(count)")?.age == (count > 60 ? count : nil)
          else { throw CaseFailure("a state that never was, of \(count)") }
        }
      }
    }
    #expect(failures == [])
    try reader.refresh()
    #expect(try reader.snapshot().count(Person.self) == 119)
    #expect(try reader.snapshot().count(Pet.self) == 59)
    try writer.close()
  }
}
