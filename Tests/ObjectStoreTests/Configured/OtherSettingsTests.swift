import FileIO
import LogStore
import StorageTestSupport
import Testing

@testable import ObjectStore

@Suite("R9: a store that is open is never given to who asks for other settings")
struct OtherSettingsTests {
  let directory: TemporaryDirectory
  var path: String { directory.path + "/people.logstore" }

  init() throws { directory = try TemporaryDirectory() }

  func configuration() -> Store.Configuration {
    Store.Configuration(path: path, models: [SeedModels.Names.self])
  }

  @Test("How it compacts, migrates and reports is compared, and the setting named")
  func named() throws {
    let store = try Store(configuration: configuration())
    let changes: [(String, (inout Store.Configuration) -> Void)] = [
      ("compaction", { $0.compaction = .off }),
      ("compaction", { $0.compaction.urgentDeadFraction = 0.5 }),
      ("migrationTiming", { $0.migrationTiming = .atOpen }),
      ("migrationRevision", { $0.migrationRevision = 7 }),
      ("settings.slowMigrationBudget", { $0.settings.slowMigrationBudget = nil }),
    ]
    for (name, change) in changes {
      var other = configuration()
      change(&other)
      #expect(
        throws: StoreError.openWithOtherSettings(path: Store.place(of: path), setting: name)
      ) { try Store(configuration: other).close() }
    }
    _ = try Store(configuration: configuration())
    try store.close()
  }

  @Test("Errors name the path, or the identifier of a store in memory, and nothing of the code")
  func paths() throws {
    let identifier = "settings-\(path)"
    let store = try Store(
      configuration: .init(inMemoryIdentifier: identifier, models: [SeedModels.Names.self]))
    #expect(
      throws: StoreError.openWithOtherSettings(
        path: "\(identifier), in memory", setting: "schemaVersion")
    ) {
      try Store(
        configuration: .init(
          inMemoryIdentifier: identifier, models: [SeedModels.Names.self], schemaVersion: 1)
      ).close()
    }
    try store.close()
  }
}
