import FileIO
import LogStore
import StorageTestSupport
import Testing

@testable import ObjectStore

@Suite("Settings of the store in a configuration")
struct ConfiguredSettingsTests {
  let directory: TemporaryDirectory
  var path: String { directory.path + "/people.logstore" }

  init() throws { directory = try TemporaryDirectory() }

  final class Observer: StoreObserver {
    private let count = Lock(0)
    var eventCount: Int { count.withLock { $0 } }
    func observe(_ event: StoreEvent) { count.withLock { $0 += 1 } }
  }

  func configuration(version: UInt64 = 0) -> Store.Configuration {
    Store.Configuration(path: path, models: [SeedModels.Names.self], schemaVersion: version)
  }

  @Test("An observer is told, and a snapshot expires")
  func observer() throws {
    let observer = Observer()
    let time = ManualTimeSource()
    var configuration = configuration()
    configuration.settings.log.observer = observer
    configuration.settings.log.timeSource = time
    configuration.settings.log.snapshotMaximumAge = 60
    configuration.settings.log.readMode = .buffered
    configuration.settings.log.writeMode = .buffered
    let store = try Store(configuration: configuration)
    try store.write { try $0.put(SeedModels.Names(id: 1)) }
    #expect(observer.eventCount > 0)
    let snapshot = store.snapshot()
    time.set(secondsSince1970: 1_000_000_100)
    #expect(throws: StoreError.self) { try snapshot.get(SeedModels.Names.self, 1) }
    try store.close()
  }

  @Test("Failure policies hold for objects that a block fails")
  func failurePolicies() throws {
    var store = try Store(configuration: configuration())
    try store.write { transaction in
      for id in 0..<4 { try transaction.put(SeedModels.Names(id: id)) }
    }
    try store.close()
    struct StopError: Error {}
    var later = configuration(version: 1)
    later.settings.failurePolicies["Person"] = .skipped
    later.migrationBlock = { migration, _ in
      migration.enumerateObjects(ofType: "Person") { old, _ in
        if old?["id"] as? Int == 2 { throw StopError() }
      }
    }
    store = try Store(configuration: later)
    #expect(try ChangedKeyTests.all(store, SeedModels.Names.self).map(\.id) == [0, 1, 3])
    try store.close()
  }

  @Test("durability and compaction are those of the settings, whichever was said last")
  func same() {
    var configuration = configuration()
    configuration.durability = .process
    configuration.compaction = .off
    #expect(configuration.settings.log.durability == .process)
    #expect(configuration.settings.compaction.mode == .off)
    configuration.settings = StoreConfiguration()
    #expect(configuration.durability == .full)
    #expect(configuration.compaction.mode == .automatic)
  }

  @Test("R10: settings that a configuration says otherwise, or that need a history, are refused")
  func conflicts() throws {
    let changes: [(inout Store.Configuration) -> Void] = [
      { $0.settings.log.access = .readOnly },
      { $0.settings.newerStore = .projected },
    ]
    for change in changes {
      var configuration = configuration()
      change(&configuration)
      #expect {
        try Store(configuration: configuration).close()
      } throws: { error in
        if case .conflictingSettings? = error as? StoreError { true } else { false }
      }
    }
  }

  @Test("A configuration that is read only stays so, whatever the settings say")
  func readOnly() throws {
    try Store(configuration: configuration()).close()
    var reading = try Store.Configuration(
      path: path, models: [SeedModels.Names.self], readOnly: true)
    reading.settings.log.readMode = .buffered
    let store = try Store(configuration: reading)
    #expect(throws: StoreError.self) { try store.write { try $0.put(SeedModels.Names(id: 1)) } }
    try store.close()
    let missing = try Store.Configuration(
      path: path + "none", models: [SeedModels.Names.self], readOnly: true)
    #expect(throws: StoreError.self) { try Store(configuration: missing) }
  }

  @Test("R9: a store that is open with other settings of its log is refused, and the setting named")
  func twice() throws {
    let store = try Store(configuration: configuration())
    let changes: [(String, (inout Store.Configuration) -> Void)] = [
      ("settings.log.readMode", { $0.settings.log.readMode = .buffered }),
      ("settings.log.writeMode", { $0.settings.log.writeMode = .buffered }),
      ("settings.log.snapshotMaximumAge", { $0.settings.log.snapshotMaximumAge = 5 }),
      ("settings.log.compression", { $0.settings.log.compression = .none }),
      ("settings.log.maintenance", { $0.settings.log.maintenance = .inline }),
    ]
    for (name, change) in changes {
      var other = configuration()
      change(&other)
      #expect {
        try Store(configuration: other).close()
      } throws: { error in
        guard case .openWithOtherSettings(_, let setting)? = error as? StoreError else {
          return false
        }
        return setting == name
      }
    }
    try store.close()
  }
}
