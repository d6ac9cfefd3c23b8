import FileIO
import LogStore
import Testing

@testable import ObjectStore

/// Keys of indexes hold values: they go when what they are of goes.
@Suite("Keys of an index that nobody needs any more go with a compaction")
struct RemovedIndexTests {
  struct Person: StorableObject {
    static let primaryKey = "id"
    static let indexes: [IndexDeclaration] = [.unique("email")]
    var id = 0
    var email = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("email", &email)
    }
  }

  /// The same without the index.
  struct PlainPerson: StorableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var email = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("email", &email)
    }
  }

  /// The same without the member.
  struct BarePerson: StorableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) { try visitor.member("id", &id) }
  }

  static let base = Base(0) {
    Type("Person", key: "id") {
      Field("id", .int64)
      Field("email", .string)
    }
    Type("Thing", key: "id") { Field("id", .int64) }
  }
  static let first = SchemaHistory { base }
  static let withoutType = SchemaHistory {
    base
    Version(1) { RemoveType("Person") }
  }
  static let withoutMember = SchemaHistory {
    base
    Version(1) { On("Person") { Remove("email") } }
  }
  static let count: UInt64 = 1000

  static func open(
    _ fileSystem: InMemoryFileSystem, _ history: SchemaHistory,
    _ models: [any StorableObject.Type] = [],
    upgradeThrough: CompactionConfiguration.UpgradeHorizon? = nil
  ) throws -> Store {
    var configuration = StoreConfiguration.quiet
    if let upgradeThrough { configuration.compaction.upgradeThrough = upgradeThrough }
    return try Store.open(
      at: "/s", models: models, history: history, configuration: configuration,
      fileSystem: fileSystem)
  }

  static func makeStore() throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    let store = try open(fileSystem, first, [Person.self])
    try store.write { transaction in
      for id in 0..<Int(count) { try transaction.put(Person(id: id, email: "\(id)@example.org")) }
    }
    #expect(keyCount(store) == count)
    try store.close()
    return fileSystem
  }

  /// The live records of all indexes.
  static func keyCount(_ store: Store) -> UInt64 {
    let collections = Set(store.reader.catalog.indexes.map(\.collection))
    return store.log.liveByVersion.filter { collections.contains($0.key.collection) }
      .reduce(0) { $0 + $1.value.recordCount }
  }

  @Test("R29: of a removed type, whether the whole history is there or what squashing leaves")
  func removedType() throws {
    for history in [Self.withoutType, try Self.withoutType.squashed(floor: 1)] {
      let fileSystem = try Self.makeStore()
      var store = try Self.open(fileSystem, history)
      #expect(store.incompleteIndexes == [])
      #expect(try store.compact().failures.isEmpty)
      #expect(try store.statistics().objectCount == 0)
      #expect(Self.keyCount(store) == 0)
      try store.close()
      store = try Self.open(fileSystem, history)
      #expect(try store.compact().droppedCount == 0)
      try store.close()
    }
  }

  @Test("R29: of a removed type, by building indexes, too, and where its objects went before")
  func built() throws {
    let fileSystem = try Self.makeStore()
    var store = try Self.open(fileSystem, Self.withoutType)
    #expect(try store.buildIndexes().removedCount == Self.count)
    #expect(Self.keyCount(store) == 0)
    try store.close()
    // A compaction from before keys of removed types went left them to stores that have no objects.
    let before = try Self.makeStore()
    store = try Self.open(before, Self.first)
    try store.write { transaction in
      let index = try #require(transaction.catalog.indexes.first)
      let types = Array(transaction.catalog.collections.values)
      #expect(!types.contains(index.collection))
      for collection in types {
        for id in 0..<Int64(Self.count) {
          try transaction.transaction.delete(
            KeyCoding.encode(.int(id), as: .int64), in: collection)
        }
      }
    }
    try store.close()
    store = try Self.open(before, Self.withoutType)
    #expect(Self.keyCount(store) == Self.count)
    #expect(try store.compact().droppedCount == Self.count)
    #expect(Self.keyCount(store) == 0)
    try store.close()
  }

  @Test("H6: of a removed member, with the type's model and without any")
  func removedMember() throws {
    for models in [[], [BarePerson.self]] as [[any StorableObject.Type]] {
      let fileSystem = try Self.makeStore()
      let store = try Self.open(fileSystem, Self.withoutMember, models)
      #expect(store.incompleteIndexes == [])
      _ = try store.compact()
      #expect(try store.statistics().objectCount == Self.count)
      #expect(Self.keyCount(store) == 0)
      try store.close()
    }
  }

  @Test("H6, R37: of an index that is declared no more; declared again it is a new one")
  func declaredNoMore() throws {
    let fileSystem = try Self.makeStore()
    var store = try Self.open(fileSystem, Self.first, [PlainPerson.self])
    // A part of the keys may go, and then the app is rolled back.
    _ = try store.compact { $0.recordCount < 600 }
    try store.close()
    for isBuilt in [false, true] {
      store = try Self.open(fileSystem, Self.first, [Person.self])
      #expect(store.incompleteIndexes == (isBuilt ? [] : ["Person.email"]))
      if !isBuilt { try store.buildIndexes() }
      for id in [0, 1, 500, 999] {
        let found = try store.snapshot().objects(
          Person.self, where: "email", equals: "\(id)@example.org"
        ).all()
        #expect(found.map(\.id) == [id])
      }
      try store.close()
    }
    store = try Self.open(fileSystem, Self.first, [PlainPerson.self])
    _ = try store.compact()
    #expect(Self.keyCount(store) == 0)
    #expect(try store.snapshot().count(PlainPerson.self) == Int(Self.count))
    try store.close()
  }

  @Test("Removing keys passes over each of them once, whatever was removed before")
  func removedInParts() throws {
    let store = try Self.open(try Self.makeStore(), Self.withoutType)
    try store.write { try $0.describeSchema() }
    let index = try #require(store.reader.catalog.indexes.first)
    var (position, removedCount, parts) = ([UInt8]?.some([]), UInt64(0), [UInt64]())
    while let start = position {
      position = try store.write { transaction in
        // Nobody puts keys into a retired index, so who went by here need not come again.
        if !start.isEmpty {
          try transaction.transaction.put(
            [1], in: index.collection, schemaVersion: 0, payload: [])
        }
        return try transaction.removeKeys(
          of: index, after: start, count: 400, removedCount: &removedCount)
      }
      parts.append(removedCount)
    }
    #expect(parts == [400, 800, Self.count])
    #expect(Self.keyCount(store) == 1)
    try store.close()
  }

  @Test("R28, R29: what is held back stays, and so does what others have or know")
  func kept() throws {
    let fileSystem = try Self.makeStore()
    var store = try Self.open(fileSystem, Self.withoutType, upgradeThrough: .shipped(0))
    _ = try store.compact()
    #expect(Self.keyCount(store) == Self.count)
    try store.close()
    // The app before it finds what it left.
    store = try Self.open(fileSystem, Self.first, [Person.self])
    #expect(store.incompleteIndexes == [])
    #expect(
      try store.snapshot().objects(Person.self, where: "email", equals: "7@example.org").count()
        == 1)
    try store.close()
    // Who never heard of the type, whose models lack it, or who has no history.
    let unaware = SchemaHistory {
      Base(0) { Type("Thing", key: "id") { Field("id", .int64) } }
      Version(1) {}
    }
    for open in [
      { try Self.open(fileSystem, Self.first) },
      { try Store.open(at: "/s", configuration: .quiet, fileSystem: fileSystem) },
      { try Self.open(fileSystem, unaware) },
    ] {
      store = try open()
      _ = try store.compact()
      try store.buildIndexes()
      #expect(Self.keyCount(store) == Self.count)
      #expect(try store.snapshot().count(ofType: "Person") == Int(Self.count))
      try store.close()
    }
  }
}
