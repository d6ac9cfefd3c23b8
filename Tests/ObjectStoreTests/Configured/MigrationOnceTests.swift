import FileIO
import Foundation
import StorageTestSupport
import Testing

@testable import ObjectStore

/// A block that runs at open does so once, whatever versions the objects have (decision 0040).
@Suite("Migration blocks at open run once")
struct MigrationOnceTests {
  static let settings: StoreConfiguration = {
    var settings = BarrierCrashTests.configuration
    settings.compaction = .off
    return settings
  }()

  static func open(
    _ fileSystem: any FileSystem, _ models: [any StorableObject.Type], _ version: UInt64,
    _ timing: Store.Configuration.MigrationTiming = .atOpen, checksPurity: Bool = true,
    _ block: Store.Configuration.MigrationClosure? = nil
  ) throws -> Store {
    var configuration = Store.Configuration(
      path: "/people", models: models, schemaVersion: version, migrationBlock: block,
      migrationTiming: timing)
    configuration.compaction = .off
    var settings = settings
    settings.checksPurity = checksPurity
    return try Store.open(
      configuration, path: "/people", fileSystem: fileSystem, settings: settings)
  }

  /// Objects 0 and 1 of version 0, and 5 and 6 of version 1.
  static func fill(_ fileSystem: any FileSystem) throws {
    for (version, ids) in [(0, 0..<2), (1, 5..<7)] as [(UInt64, Range<Int>)] {
      let store = try open(fileSystem, [SeedModels.Names.self], version, .onRead)
      try store.write { transaction in
        for id in ids { try transaction.put(SeedModels.Names(id: id, firstName: "f", age: id)) }
      }
      try store.close()
    }
  }

  static func all(_ store: Store) throws -> [SeedModels.FullName] {
    let cursor = try store.snapshot().objects(SeedModels.FullName.self)
    var found: [SeedModels.FullName] = []
    while let object = try cursor.next() { found.append(object) }
    return found
  }

  static let block: Store.Configuration.MigrationClosure = { migration, old in
    migration.enumerateObjects(ofType: "Person") { object, new in
      new?["fullName"] = "\(object?["firstName"] ?? "") from \(old)"
    }
    migration.create("Person", value: ["id": 100, "fullName": "made from \(old)"])
  }

  @Test("R32, R36: what a block creates is there once, and every object goes through it once")
  func creates() throws {
    let fileSystem = SimulatedFileSystem()
    try Self.fill(fileSystem)
    let store = try Self.open(fileSystem, [SeedModels.FullName.self], 2, .atOpen, Self.block)
    let found = try Self.all(store)
    #expect(found.map(\.id) == [0, 1, 5, 6, 100])
    #expect(
      found.map(\.fullName) == ["f from 0", "f from 0", "f from 1", "f from 1", "made from 0"])
    #expect(try store.statistics().oldestVersion == 2)
    try store.close()
    let again = try Self.open(fileSystem, [SeedModels.FullName.self], 2) { _, _ in
      throw CaseFailure("the block was called again")
    }
    #expect(try Self.all(again) == found)
    try again.close()
  }

  @Test("R32: a block that deletes all objects and creates others keeps those that it created")
  func replaces() throws {
    let fileSystem = SimulatedFileSystem()
    try Self.fill(fileSystem)
    let store = try Self.open(fileSystem, [SeedModels.FullName.self], 2) { migration, old in
      if old == 0 { migration.create("Person", value: ["id": 200, "fullName": "kept"]) }
      if old == 1 { migration.deleteData(forType: "Person") }
    }
    #expect(try Self.all(store).map(\.id) == [0, 1, 5, 6, 200])
    try store.close()
  }

  @Test("R32: what is kept of a block changes nothing when the store is open")
  func keptBlocks() throws {
    final class Kept: @unchecked Sendable {
      // Sendable: the block runs on the thread of the test.
      var migration: Migration?
      var object: MigrationObject?
    }
    let fileSystem = SimulatedFileSystem()
    try Self.fill(fileSystem)
    let kept = Kept()
    let store = try Self.open(fileSystem, [SeedModels.FullName.self], 2) { migration, old in
      guard old == 0 else { return }
      kept.migration = migration
      kept.object = migration.create("Person", value: ["id": 200, "fullName": "kept"])
    }
    let before = try Self.all(store)
    let object = try #require(kept.object)
    object["fullName"] = "changed later"
    kept.migration?.create("Person", value: ["id": 201, "fullName": "too late"])
    kept.migration?.deleteData(forType: "Person")
    kept.migration?.delete(object)
    #expect(try Self.all(store) == before)
    #expect(before.count == 5)
    try store.close()
  }

  @Test("R28: objects of types that the models do not have make no block run again")
  func otherTypes() throws {
    struct Pet: StorableObject {
      static let primaryKey = "id"
      var id = 0
      mutating func visitMembers<Visitor: MemberVisitor>(
        _ visitor: inout Visitor
      ) throws(StoreError) { try visitor.member("id", &id) }
    }
    let fileSystem = SimulatedFileSystem()
    let store = try Self.open(fileSystem, [SeedModels.Names.self, Pet.self], 0)
    try store.write { try $0.put(Pet(id: 1)) }
    try store.close()
    for version in [1, 1, 2, 2] as [UInt64] {
      let calls = Calls()
      let store = try Self.open(fileSystem, [SeedModels.FullName.self], version) { _, old in
        calls.note(old)
      }
      #expect(try store.snapshot().object(ofType: "Pet", key: 1) != nil)
      try store.close()
      if version == 1 { #expect(calls.versions.isEmpty || calls.versions == [0, 0]) }
    }
    let calls = Calls()
    try Self.open(fileSystem, [SeedModels.FullName.self], 2) { _, old in calls.note(old) }.close()
    #expect(calls.versions == [])
  }

  final class Calls: @unchecked Sendable {
    // Sendable: blocks run on the thread that opens the store.
    private(set) var versions: [UInt64] = []
    func note(_ version: UInt64) { versions.append(version) }
  }

  @Test("R36, P1: killed at any write, all of the block has happened or nothing")
  func everyCrash() throws {
    let original = SimulatedFileSystem()
    try Self.fill(original)
    let fileSystem = SimulatedFileSystem(
      files: original.snapshotOfFiles(in: "/people"), in: "/people")
    fileSystem.recordCrashPoints()
    try Self.open(fileSystem, [SeedModels.FullName.self], 2, .atOpen, Self.block).close()
    var (states, done) = (0, 0)
    for point in fileSystem.crashPoints {
      for choice in point.choices(exhaustiveUnitCount: 3, randomCount: 2) {
        states += 1
        do { if try Self.check(point.afterCrash(choice)) { done += 1 } } catch {
          Issue.record("\(point), \(choice): \(error)")
          return
        }
      }
    }
    #expect(states > 20 && done > 0 && done < states)
  }

  /// Whether the block has happened; the app before it, or after it, reads everything.
  private static func check(_ fileSystem: SimulatedFileSystem) throws -> Bool {
    let stored = try Store.open(
      at: "/people", configuration: settings, fileSystem: fileSystem)
    let isDone = stored.schemaVersion == 2
    try stored.close()
    if !isDone {
      let old = try open(fileSystem, [SeedModels.Names.self], 1, .onRead)
      for id in [0, 1, 5, 6] {
        guard try old.snapshot().get(SeedModels.Names.self, id)?.firstName == "f" else {
          throw CaseFailure("the old app lost \(id)")
        }
      }
      try old.close()
    }
    let new = try open(fileSystem, [SeedModels.FullName.self], 2, .atOpen, block)
    let names = try all(new).map(\.fullName)
    try new.close()
    guard names == ["f from 0", "f from 0", "f from 1", "f from 1", "made from 0"] else {
      throw CaseFailure("\(names)")
    }
    return isDone
  }

  /// The store is asked to compact itself in the block, as a disk without room has it asked.
  @Test("P11, R36: while a block at open may fail nobody makes the new version without it")
  func failsBesideCompaction() throws {
    let fileSystem = SimulatedFileSystem()
    try Self.fill(fileSystem)
    for isFailing in [true, false] {
      let configuration = Store.Configuration(
        path: "/people", models: [SeedModels.FullName.self], schemaVersion: 2,
        migrationBlock: { migration, old in
          try Self.block(migration, old)
          // What the block only notes it does before there is a store.
          guard let compaction = OpenStores.notedHere?.compaction else { return }
          compaction.schedule()
          // Where it may work it has begun to before the block fails, and waits for the log.
          while ![.paused, .running].contains(compaction.statistics.activity) { usleep(1000) }
          if isFailing { throw CaseFailure("no room") }
        }, migrationTiming: .atOpen)
      var settings = Self.settings
      settings.compaction = configuration.compaction
      settings.log.maintenance = .background
      let fixed = settings
      let open = { () throws(StoreError) -> Store in
        try OpenStores().store(at: .path("/people"), .any) { () throws(StoreError) in
          try Store.open(
            configuration, path: "/people", fileSystem: fileSystem, settings: fixed)
        }
      }
      if isFailing {
        #expect(throws: StoreError.self) { try open() }
        #expect(try Store.schemaVersion(at: "/people", fileSystem: fileSystem) == 1)
      } else {
        let store = try open()
        #expect(try Self.all(store).map(\.id) == [0, 1, 5, 6, 100])
        #expect(store.compaction.statistics.activity != .paused)
        try store.close()
      }
    }
  }
}
