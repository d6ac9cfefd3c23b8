import FileIO
import Foundation
import ObjectStore
import StorageTestSupport
import Testing

@Suite("Configurations")
struct ConfigurationTests {
  let directory: TemporaryDirectory
  var path: String { directory.path + "/people.logstore" }

  init() throws { directory = try TemporaryDirectory() }

  func configuration(_ version: UInt64 = 0) -> Store.Configuration {
    Store.Configuration(path: path, models: [SeedModels.Names.self], schemaVersion: version)
  }

  @Test("R10: settings that cannot be had together are refused when the configuration is made")
  func conflicts() {
    let models: [any StorableObject.Type] = [SeedModels.Names.self]
    let make: [() throws -> Store.Configuration] = [
      { try .init(path: "", models: models, readOnly: false) },
      { try .init(path: "a", models: models, readOnly: true, archiveIfMigrationNeeded: true) },
      { try .init(path: "a", models: models, readOnly: true, seedFilePath: "b") },
      {
        try .init(
          path: "a", models: models, readOnly: true, shouldCompactOnLaunch: { _, _ in true })
      },
      { try .init(path: "a", models: models, migrationTiming: .atOpen, readOnly: true) },
    ]
    for (number, make) in make.enumerated() {
      #expect("number \(number)") {
        _ = try make()
      } throws: { error in
        if case .conflictingSettings? = error as? StoreError { true } else { false }
      }
    }
    #expect(throws: StoreError.self) {
      try Store(configuration: Store.Configuration(path: "", models: []))
    }
    #expect(throws: StoreError.schema(.reservedVersion)) {
      try Store(configuration: configuration(.max))
    }
  }

  @Test("R9: opening twice gives the same store, or an error that names the setting that differs")
  func twice() throws {
    let first = try Store(configuration: configuration())
    let second = try Store(configuration: configuration())
    try first.write { try $0.put(SeedModels.Names(id: 1, firstName: "a")) }
    #expect(try second.snapshot().get(SeedModels.Names.self, 1)?.firstName == "a")
    func setting(_ configuration: Store.Configuration) -> String? {
      do {
        _ = try Store(configuration: configuration)
        return nil
      } catch .openWithOtherSettings(_, let setting) { return setting } catch { return "\(error)" }
    }
    var durable = configuration()
    durable.durability = .process
    #expect(setting(durable) == "durability")
    #expect(setting(configuration(1)) == "schemaVersion")
    let models = [SeedModels.Names.self]
    #expect(setting(try .init(path: path, models: models, readOnly: true)) == "readOnly")
    #expect(setting(Store.Configuration(path: path, models: [])) == "models")
    #expect(setting(Store.Configuration(path: path, models: [Other.Names.self])) == "models")
    #expect(setting(Store.Configuration(path: path + "/", models: [SeedModels.Names.self])) == nil)
    try first.close()
    let third = try Store(configuration: configuration(1))
    #expect(third.schemaVersion == 1)
    try third.close()
  }

  /// Another app's module, with a model of the same name.
  enum Other {
    struct Names: StorableObject {
      static let typeName = "Person"
      static let primaryKey = "id"
      var id = 0
      mutating func visitMembers<Visitor: MemberVisitor>(
        _ visitor: inout Visitor
      ) throws(StoreError) { try visitor.member("id", &id) }
    }
  }

  @Test("R11: a block that opens its own store gets an error, no deadlock")
  func reentry() throws {
    var store = try Store(configuration: configuration())
    try store.write { try $0.put(SeedModels.Names(id: 1)) }
    try store.close()
    var later = configuration(1)
    let inner = later
    later.migrationBlock = { _, _ in _ = try Store(configuration: inner) }
    #expect {
      _ = try Store(configuration: later)
    } throws: { error in
      if case .openedByItsOwnMigration? = error as? StoreError { true } else { false }
    }
    store = try Store(configuration: configuration())
    try store.close()
  }

  private func makeStore() throws {
    let store = try Store(configuration: configuration())
    try store.write { try $0.put(SeedModels.Names(id: 1)) }
    try store.close()
  }

  @Test("R11: a task that a block started opens its store once the opening is over")
  func taskOfABlock() async throws {
    try makeStore()
    let (gate, opener) = AsyncStream<Void>.makeStream()
    let task = Lock<Task<Int?, any Error>?>(nil)
    var later = configuration(1)
    later.migrationBlock = { _, _ in }
    let (inner, other) = (
      later, Store.Configuration(path: path + "-other", models: [SeedModels.Names.self])
    )
    later.migrationBlock = { _, _ in
      task.withLock { task in
        if task != nil { return }
        task = Task {
          for await _ in gate {}
          try Store(configuration: other).close()
          return try Store(configuration: inner).snapshot().get(SeedModels.Names.self, 1)?.id
        }
      }
    }
    let store = try Store(configuration: later)
    let started = try #require(task.withLock { $0 })
    opener.finish()
    #expect(try await started.value == 1)
    try store.close()
  }

  @Test("Stores in memory are shared by their identifier, and go with the last one")
  func inMemory() throws {
    let identifier = "test-\(UUID())"
    func open() throws -> Store {
      try Store(
        configuration: Store.Configuration(
          inMemoryIdentifier: identifier, models: [SeedModels.Names.self]))
    }
    do {
      let first = try open()
      try first.write { try $0.put(SeedModels.Names(id: 1)) }
      #expect(try open().snapshot().get(SeedModels.Names.self, 1) != nil)
      try first.close()
    }
    let second = try open()
    #expect(try second.snapshot().get(SeedModels.Names.self, 1) == nil)
    try second.close()
  }

  @Test("A read-only store reads through the block and refuses writes")
  func readOnly() throws {
    let store = try Store(configuration: configuration())
    try store.write { try $0.put(SeedModels.Names(id: 1, firstName: "a", lastName: "b")) }
    try store.close()
    let reading = try Store(
      configuration: try .init(
        path: path, models: [SeedModels.FullName.self], schemaVersion: 1,
        migrationBlock: { migration, _ in
          migration.enumerateObjects(ofType: "Person") { old, new in
            new?["fullName"] = old?["firstName"]
          }
        }, readOnly: true))
    #expect(try reading.snapshot().get(SeedModels.FullName.self, 1)?.fullName == "a")
    #expect(throws: StoreError.self) {
      try reading.write { try $0.put(SeedModels.FullName(id: 2)) }
    }
    try reading.close()
    #expect(try Store.schemaVersion(at: path) == 0)
  }

  @Test("A store that needs a migration is set aside, and can still be opened")
  func archive() throws {
    let store = try Store(configuration: configuration())
    try store.write { try $0.put(SeedModels.Names(id: 1, firstName: "a")) }
    try store.close()
    let new = try Store(
      configuration: try .init(
        path: path, models: [SeedModels.FullName.self], schemaVersion: 1,
        archiveIfMigrationNeeded: true))
    #expect(try new.snapshot().objects(SeedModels.FullName.self).next() == nil)
    try new.close()
    let old = try Store(
      configuration: Store.Configuration(
        path: path + ".archived1", models: [SeedModels.Names.self]))
    #expect(try old.snapshot().get(SeedModels.Names.self, 1)?.firstName == "a")
    try old.close()
  }

  @Test("A seed is copied where there is no store, and only there")
  func seed() throws {
    let seed = try Store(configuration: configuration())
    try seed.write { try $0.put(SeedModels.Names(id: 1, firstName: "seed")) }
    try seed.close()
    let copy = directory.path + "/copy.logstore"
    for round in 0..<2 {
      let store = try Store(
        configuration: try .init(path: copy, models: [SeedModels.Names.self], seedFilePath: path))
      let found = try store.snapshot().get(SeedModels.Names.self, 1)
      #expect(found?.firstName == (round == 0 ? "seed" : "changed"))
      try store.write { try $0.put(SeedModels.Names(id: 1, firstName: "changed")) }
      try store.close()
    }
  }

  @Test("A store is compacted at open when the closure says so")
  func compactOnLaunch() throws {
    let store = try Store(configuration: configuration())
    for id in 0..<50 { try store.write { try $0.put(SeedModels.Names(id: 1, age: id)) } }
    try store.close()
    let before = try bytes()
    let compacted = try Store(
      configuration: try .init(
        path: path, models: [SeedModels.Names.self],
        shouldCompactOnLaunch: { total, used in total > used * 2 }))
    try compacted.close()
    #expect(try bytes() < before)
  }

  private func bytes() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: path)
      .filter { $0.hasSuffix(".log") }
      .reduce(0) { sum, name in
        let attributes = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
        return sum + (attributes[.size] as? Int ?? 0)
      }
  }
}
