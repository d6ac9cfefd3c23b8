import FileIO
import LogStore
import StorageTestSupport
import Testing

@testable import ObjectStore

/// What a build of a version recorded holds for later builds of it (decision 0040).
@Suite("Initial values and blocks of configurations are recorded")
struct RecordedModelTests {
  struct Old: StorableObject {
    static let typeName = "Item"
    static let primaryKey = "id"
    var id = 0
    var rank: Int?
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("rank", &rank)
    }
  }

  struct First: StorableObject {
    static let typeName = "Item"
    static let primaryKey = "id"
    static let indexes = [IndexDeclaration("score")]
    var id = 0
    var rank: Int? = nil
    var score = 5
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("rank", &rank)
      try visitor.member("score", &score)
    }
  }

  /// The same version, another initial value.
  struct Second: StorableObject {
    static let typeName = "Item"
    static let primaryKey = "id"
    static let indexes = [IndexDeclaration("score")]
    var id = 0
    var rank: Int? = nil
    var score = 9
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("rank", &rank)
      try visitor.member("score", &score)
    }
  }

  static func open<Model: StorableObject>(
    _ fileSystem: any FileSystem, _ model: Model.Type, _ version: UInt64, revision: UInt32 = 1,
    _ block: Store.Configuration.MigrationClosure? = nil
  ) throws -> Store {
    var configuration = Store.Configuration(
      path: "/items", models: [model], schemaVersion: version, migrationBlock: block)
    configuration.compaction = .off
    configuration.migrationRevision = revision
    return try Store.open(configuration, path: "/items", fileSystem: fileSystem)
  }

  static func fill(_ fileSystem: any FileSystem) throws {
    let store = try open(fileSystem, Old.self, 0)
    try store.write { transaction in
      for id in 0..<5 { try transaction.put(Old(id: id)) }
    }
    try store.close()
  }

  static func ids<Model: StorableObject>(
    _ store: Store, _ model: Model.Type, score: Int
  ) throws -> [Value] {
    let cursor = try store.snapshot().objects(
      ofType: "Item", where: "score", selecting: .equal(to: .int(Int64(score))))
    var found: [Value] = []
    while let object = try cursor.next() { found.append(object.key) }
    return found
  }

  @Test("R22: objects from before a member read the initial value of the version that added it")
  func frozen() throws {
    let fileSystem = InMemoryFileSystem()
    try Self.fill(fileSystem)
    var store = try Self.open(fileSystem, First.self, 1)
    try store.write { try $0.put(First(id: 9, score: 1)) }
    try store.buildIndexes()
    try store.close()
    for version in [1, 2, 3] as [UInt64] {
      store = try Self.open(fileSystem, Second.self, version)
      #expect(try store.snapshot().get(Second.self, 0)?.score == 5)
      // R37: the index says the same as reading.
      #expect(try Self.ids(store, Second.self, score: 5) == [0, 1, 2, 3, 4])
      #expect(try Self.ids(store, Second.self, score: 9) == [])
      try store.write { try $0.put(Second(id: 10 + Int(version), score: 2)) }
      try store.close()
    }
  }

  @Test("R22, R26: nil that became required is what the version said that required it")
  func frozenFill() throws {
    struct Required: StorableObject {
      static let typeName = "Item"
      static let primaryKey = "id"
      var id = 0
      var rank = 3
      mutating func visitMembers<Visitor: MemberVisitor>(
        _ visitor: inout Visitor
      ) throws(StoreError) {
        try visitor.member("id", &id)
        try visitor.member("rank", &rank)
      }
    }
    struct Later: StorableObject {
      static let typeName = "Item"
      static let primaryKey = "id"
      var id = 0
      var rank = 4
      mutating func visitMembers<Visitor: MemberVisitor>(
        _ visitor: inout Visitor
      ) throws(StoreError) {
        try visitor.member("id", &id)
        try visitor.member("rank", &rank)
      }
    }
    let fileSystem = InMemoryFileSystem()
    try Self.fill(fileSystem)
    let block: Store.Configuration.MigrationClosure = { migration, _ in
      migration.enumerateObjects(ofType: "Item") { _, _ in }
    }
    var store = try Self.open(fileSystem, Required.self, 1, block)
    try store.write { try $0.put(Required(id: 9)) }
    try store.close()
    store = try Self.open(fileSystem, Later.self, 1, block)
    #expect(try store.snapshot().get(Later.self, 0)?.rank == 3)
    try store.close()
  }

  @Test("R37, H6: a mended block with a raised revision makes indexes of what it gave outdated")
  func revision() throws {
    let fileSystem = InMemoryFileSystem()
    try Self.fill(fileSystem)
    func block(_ factor: Int) -> Store.Configuration.MigrationClosure {
      { migration, _ in
        migration.enumerateObjects(ofType: "Item") { old, new in
          new?["score"] = (old?["id"] as? Int ?? 0) * factor
        }
      }
    }
    var store = try Self.open(fileSystem, First.self, 1, block(1))
    try store.write { try $0.put(First(id: 9, score: 1)) }
    try store.buildIndexes()
    #expect(try Self.ids(store, First.self, score: 1) == [1, 9])
    try store.close()
    store = try Self.open(fileSystem, First.self, 1, block(1))
    #expect(store.incompleteIndexes == [])
    try store.close()
    store = try Self.open(fileSystem, First.self, 1, revision: 2, block(10))
    #expect(store.incompleteIndexes == ["Item.score"])
    #expect(try Self.ids(store, First.self, score: 1) == [9])
    #expect(try Self.ids(store, First.self, score: 10) == [1])
    // Compaction makes for good what the new code gives; the old index must not come back.
    try store.compact()
    try store.close()
    store = try Self.open(fileSystem, First.self, 1, revision: 2, block(10))
    #expect(try Self.ids(store, First.self, score: 10) == [1])
    try store.buildIndexes()
    #expect(try Self.ids(store, First.self, score: 10) == [1])
    try store.close()
  }

  @Test("The catalog's record never changes")
  func golden() throws {
    let fileSystem = InMemoryFileSystem()
    let store = try Self.open(fileSystem, First.self, 1)
    try store.write { try $0.put(First(id: 9)) }
    try store.close()
    let log = try Log.open(at: "/items", fileSystem: fileSystem)
    let key: [UInt8] = [4, 0, 0, 0, 0, 0, 0, 0, 1]
    let payload = try #require(try log.snapshot().record(for: key, in: .catalog)).payload
    try log.close()
    #expect(
      GoldenIndexTests.hex(payload)
        == "0301" + "01044974656d" + "02" + "010472616e6b" + "010573636f7265" + "02000a" + "00"
        + "00" + "01" + "01044974656d" + "00" + "00")
  }

  @Test("P14: a damaged record of models is refused with a typed error, at every length")
  func hostile() throws {
    let fileSystem = InMemoryFileSystem()
    try Self.fill(fileSystem)
    let store = try Self.open(fileSystem, First.self, 1)
    try store.write { try $0.put(First(id: 9)) }
    try store.close()
    let key: [UInt8] = [4, 0, 0, 0, 0, 0, 0, 0, 1]
    var log = try Log.open(at: "/items", fileSystem: fileSystem)
    let payload = try #require(try log.snapshot().record(for: key, in: .catalog)).payload
    try log.close()
    var accepted: [Int] = []
    for count in 0...payload.count {
      log = try Log.open(at: "/items", fileSystem: fileSystem)
      let wrong = count == payload.count ? payload + [0] : Array(payload[..<count])
      try log.transact { try $0.put(key, in: .catalog, schemaVersion: 0, payload: wrong) }
      try log.close()
      do {
        try Self.open(fileSystem, First.self, 1).close()
        accepted.append(count)
      } catch let error as StoreError {
        guard case .malformedCatalog = error else {
          accepted.append(count)
          continue
        }
      }
    }
    #expect(accepted == [])
  }
}
