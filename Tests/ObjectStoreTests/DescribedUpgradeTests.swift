import FileIO
import StorageTestSupport
import Testing

@testable import ObjectStore

/// Nothing is written under a version that the store does not describe, whatever it is rewritten
/// for.
@Suite("Whatever a compaction is for, what it upgrades is described")
struct DescribedUpgradeTests {
  private static let third = SchemaHistory {
    AutomaticCompactionTests.base
    Version(1) { On("Note") { Add("starred", .bool, default: .bool(false)) } }
    Version(2) { On("Note") { Add("pinned", .bool, default: .bool(true)) } }
  }

  private static let texts: [String?] = (0..<100).map { "note \($0)" }

  private static func open(
    _ history: SchemaHistory, _ fileSystem: any FileSystem, reserve: UInt64 = 0
  ) throws -> Store {
    var configuration = StoreConfiguration()
    configuration.log.segmentByteCountMinimum = 4 << 10
    configuration.log.segmentByteCountMaximum = 4 << 10
    configuration.log.compression = .none
    configuration.log.maintenance = .inline
    configuration.log.timeSource = ManualTimeSource()
    configuration.log.diskReserveByteCountMaximum = reserve
    configuration.compaction.mode = .manual
    return try Store.open(
      at: "/store", history: history, configuration: configuration, fileSystem: fileSystem)
  }

  /// A store of version 0 of which half is dead.
  private static func fill(_ fileSystem: any FileSystem, reserve: UInt64 = 0) throws {
    let store = try open(AutomaticCompactionTests.first, fileSystem, reserve: reserve)
    for _ in 0..<2 {
      for (id, text) in texts.enumerated() {
        try store.write(durability: .process) { transaction in
          try transaction.put(
            transaction.makeObject(
              ofType: "Note", ["id": .int(Int64(id)), "text": .string(text ?? "")]))
        }
      }
    }
    try store.close()
  }

  private static func objects(_ store: Store) throws -> [DynamicObject] {
    let cursor = try store.snapshot().objects(ofType: "Note")
    var found: [DynamicObject] = []
    while let object = try cursor.next() { found.append(object) }
    return found
  }

  @Test("After a compaction to a size, a later version reads every object")
  func toSize() throws {
    let fileSystem = InMemoryFileSystem()
    try Self.fill(fileSystem)
    var store = try Self.open(AutomaticCompactionTests.second, fileSystem)
    #expect(try store.compact(.toSize(1)).upgradedCount > 0)
    #expect(store.storedSchemas[1] != nil)
    try store.close()
    store = try Self.open(Self.third, fileSystem)
    let objects = try Self.objects(store)
    #expect(objects.map { $0["text"] } == Self.texts.map { .string($0 ?? "") })
    #expect(objects.allSatisfy { $0["starred"] == .bool(false) && $0["pinned"] == .bool(true) })
    try store.close()
  }

  @Test("R23: a tool compacts to a size in the history's order, and the model reads it in its own")
  func memberOrder() throws {
    let fileSystem = InMemoryFileSystem()
    var store = try Store.open(
      at: "/people", models: [LazyMigrationTests.PersonV0.self],
      history: LazyMigrationTests.first, configuration: .quiet, fileSystem: fileSystem)
    for _ in 0..<2 {
      try store.write { transaction in
        for id in 0..<100 {
          try transaction.put(
            LazyMigrationTests.PersonV0(
              id: id, firstName: "First \(id)", lastName: "Last", email: nil))
        }
      }
    }
    try store.close()
    store = try Store.open(
      at: "/people", history: LazyMigrationTests.latest, configuration: .quiet,
      fileSystem: fileSystem)
    #expect(try store.compact(.toSize(1)).upgradedCount == 100)
    try store.close()
    store = try LazyMigrationTests.openLatest(fileSystem)
    for id in 0..<100 {
      #expect(
        try store.snapshot().get(LazyMigrationTests.PersonV3.self, id)
          == LazyMigrationTests.PersonV3(id: id, fullName: "First \(id) Last", email: nil, age: 18))
    }
    try store.close()
  }

  @Test(
    "P11: on a full disk the reserve has room to describe a version, and all is upgraded to it",
    arguments: [false, true])
  func fullDisk(isAutomatic: Bool) throws {
    let fileSystem = SimulatedFileSystem()
    fileSystem.setByteCountLimit(1 << 30)
    try Self.fill(fileSystem, reserve: 16 << 20)
    fileSystem.setByteCountLimit(fileSystem.usedByteCount)
    let store = try Self.open(
      AutomaticCompactionTests.second, fileSystem, reserve: 16 << 20)
    let before = try store.statistics().log.byteCount
    if isAutomatic {
      #expect(store.compaction.step())
    } else {
      #expect(try store.compact().upgradedCount == 100)
    }
    #expect(try store.statistics().log.byteCount < before)
    #expect(store.storedSchemas[1] != nil)
    #expect(try store.statistics().oldestVersion == 1)
    #expect(try Self.objects(store).count == 100)
    try store.close()
  }

  @Test("P11: without room to describe a version nothing is upgraded until there is some")
  func noRoom() throws {
    let fileSystem = SimulatedFileSystem()
    fileSystem.setByteCountLimit(1 << 30)
    try Self.fill(fileSystem, reserve: 0)
    fileSystem.setByteCountLimit(fileSystem.usedByteCount)
    let store = try Self.open(AutomaticCompactionTests.second, fileSystem, reserve: 0)
    #expect(throws: StoreError.self) { try store.compact() }
    #expect(store.storedSchemas[1] == nil)
    #expect(try store.statistics().oldestVersion == 0)
    fileSystem.setByteCountLimit(1 << 30)
    #expect(try store.compact().upgradedCount == 100)
    #expect(store.storedSchemas[1] != nil)
    #expect(try Self.objects(store).count == 100)
    try store.close()
  }
}
