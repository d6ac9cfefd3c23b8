import FileIO
import Foundation
import StorageTestSupport
import Testing

@testable import ObjectStore

@Suite("A store is set aside when it needs a migration, and for nothing else")
struct ArchivingTests {
  let directory: TemporaryDirectory
  var path: String { directory.path + "/people.logstore" }

  init() throws { directory = try TemporaryDirectory() }

  func open(
    _ model: any StorableObject.Type, _ version: UInt64, archives: Bool = true,
    _ block: Store.Configuration.MigrationClosure? = nil
  ) throws -> Store {
    var configuration = try Store.Configuration(
      path: path, models: [model], schemaVersion: version, migrationBlock: block,
      archiveIfMigrationNeeded: archives)
    configuration.compaction = .off
    return try Store(configuration: configuration)
  }

  var isArchived: Bool { FileManager.default.fileExists(atPath: path + ".archived1") }

  struct Keyless: StorableObject {
    static let typeName = "Person"
    static let primaryKey = "none"
    var id = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) { try visitor.member("id", &id) }
  }

  struct Misindexed: CodableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let indexes = [IndexDeclaration("none")]
    var id = 0
  }

  @Test(
    "A mistake in the models is an error, and the store stays where it is",
    arguments: [Keyless.self, Misindexed.self] as [any StorableObject.Type], [0, 1] as [UInt64])
  func mistake(model: any StorableObject.Type, version: UInt64) throws {
    var store = try open(SeedModels.Names.self, 0)
    try store.write { try $0.put(SeedModels.Names(id: 1)) }
    try store.close()
    #expect(throws: StoreError.self) { try open(model, version).close() }
    #expect(!isArchived)
    store = try open(SeedModels.Names.self, 0)
    #expect(try store.snapshot().get(SeedModels.Names.self, 1) != nil)
    try store.close()
  }

  @Test("Older objects of which only code knows what they are now need a migration")
  func olderObjects() throws {
    var store = try open(SeedModels.Names.self, 0)
    try store.write { try $0.put(SeedModels.Names(id: 1)) }
    try store.close()
    store = try open(UnsetMemberTests.Typed.self, 1, archives: false) { migration, _ in
      migration.enumerateObjects(ofType: "Person") { _, new in new?["age"] = "a" }
    }
    try store.write { try $0.put(UnsetMemberTests.Typed(id: 2)) }
    try store.close()
    store = try open(UnsetMemberTests.Typed.self, 1)
    #expect(try store.snapshot().count(UnsetMemberTests.Typed.self) == 0)
    #expect(isArchived)
    try store.close()
  }

  @Test("Where a store is set aside its seed takes its place, unless that needs a migration, too")
  func seeded() throws {
    let seed = directory.path + "/seed"
    func open(_ path: String, _ version: UInt64, seed: String?) throws -> Store {
      var configuration = try Store.Configuration(
        path: path, models: [UnsetMemberTests.Typed.self], schemaVersion: version,
        migrationBlock: { _, _ in }, archiveIfMigrationNeeded: seed != nil, seedFilePath: seed)
      configuration.compaction = .off
      return try Store(configuration: configuration)
    }
    var store = try open(seed, 1, seed: nil)
    try store.write { try $0.put(UnsetMemberTests.Typed(id: 7)) }
    try store.close()
    for number in 1...2 {
      store = try open(path, UInt64(number), seed: seed)
      #expect(
        try store.snapshot().get(UnsetMemberTests.Typed.self, 7)?.id == (number == 1 ? 7 : nil))
      try store.close()
      #expect(isArchived == (number == 2))
    }
    let older = directory.path + "/older"
    store = try open(older, 0, seed: nil)
    try store.write { try $0.put(UnsetMemberTests.Typed(id: 1)) }
    try store.close()
    store = try open(older, 1, seed: seed)
    #expect(try store.snapshot().get(UnsetMemberTests.Typed.self, 7) != nil)
    #expect(try store.snapshot().get(UnsetMemberTests.Typed.self, 1) == nil)
    try store.close()
    #expect(FileManager.default.fileExists(atPath: older + ".archived1"))
    #expect(!FileManager.default.fileExists(atPath: older + ".archived2"))
  }

  @Test("A reader of a store that another process sets aside is told, and not given out again")
  func readBeside() throws {
    func open(_ path: String, isReadOnly: Bool = false) throws -> Store {
      var configuration = try Store.Configuration(
        path: path, models: [SeedModels.Names.self], readOnly: isReadOnly)
      configuration.compaction = .off
      return try Store(configuration: configuration)
    }
    for (path, id) in [(path, 1), (path + "2", 2)] {
      let store = try open(path)
      try store.write { try $0.put(SeedModels.Names(id: id)) }
      try store.close()
    }
    let reader = try open(path, isReadOnly: true)
    let same = try open(path, isReadOnly: true)
    #expect(try same.snapshot().get(SeedModels.Names.self, 1) != nil)
    try POSIXFileSystem().moveDirectory(at: path, to: path + ".archived1")
    try POSIXFileSystem().moveDirectory(at: path + "2", to: path)
    #expect {
      try reader.refresh()
    } throws: { error in
      guard case .log(.fileIO(let cause)) = error as? StoreError else { return false }
      return cause.reason == .moved
    }
    #expect(try reader.snapshot().get(SeedModels.Names.self, 1) != nil)
    let again = try open(path, isReadOnly: true)
    try again.refresh()
    #expect(try again.snapshot().get(SeedModels.Names.self, 1) == nil)
    try reader.close()
    #expect(try again.snapshot().get(SeedModels.Names.self, 2) != nil)
    try again.close()
  }

  @Test("Older objects that become current ones by themselves do not")
  func olderObjectsAlone() throws {
    var store = try open(SeedModels.Names.self, 0)
    try store.write { try $0.put(SeedModels.Names(id: 1)) }
    try store.close()
    store = try open(SeedModels.Names.self, 1, archives: false)
    try store.write { try $0.put(SeedModels.Names(id: 2)) }
    try store.close()
    store = try open(SeedModels.Names.self, 1)
    #expect(try store.snapshot().count(SeedModels.Names.self) == 2)
    #expect(!isArchived)
    try store.close()
  }

  @Test("A store that a newer release wrote is refused as it is: going back loses sight of nothing")
  func newerStore() throws {
    var store = try open(SeedModels.Names.self, 1)
    try store.write { try $0.put(SeedModels.Names(id: 1)) }
    try store.close()
    #expect(throws: StoreError.schema(.storeIsNewer(stored: 1, requested: 0))) {
      try open(SeedModels.Names.self, 0).close()
    }
    #expect(!isArchived)
    store = try open(SeedModels.Names.self, 1)
    #expect(try store.snapshot().count(SeedModels.Names.self) == 1)
    try store.close()
  }
}
