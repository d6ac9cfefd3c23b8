import FileIO
import StorageTestSupport
import Testing

@testable import ObjectStore

/// A limit of the age of snapshots, and work of the store that takes longer.
@Suite("The limit of a snapshot's age ends no work of the store itself")
struct SnapshotAgeWorkTests {
  typealias Account = UniqueMemberTests.Account

  /// A clock on which every look takes longer than a snapshot may be used.
  private final class HastyTimeSource: TimeSource {
    private let seconds = Lock<UInt64>(1_000_000_000)
    func secondsSince1970() -> UInt64 {
      seconds.withLock { seconds in
        seconds += 100
        return seconds
      }
    }
  }

  private static let settings: StoreConfiguration = {
    var settings = StoreConfiguration.quiet
    settings.log.timeSource = HastyTimeSource()
    settings.log.snapshotMaximumAge = 60
    return settings
  }()

  /// Accounts of version 0, of which two share a mail in another case.
  private static func accounts() throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    let store = try Store.open(
      at: "/store", models: [UniqueMemberTests.OldAccount.self], history: UniqueMemberTests.first,
      configuration: .quiet, fileSystem: fileSystem)
    try store.write { transaction in
      for (id, mail) in [(1, "ada"), (2, "ADA"), (3, "bea")] {
        try transaction.put(UniqueMemberTests.OldAccount(id: id, mail: mail))
      }
    }
    try store.close()
    return fileSystem
  }

  private static func open(_ fileSystem: InMemoryFileSystem) throws -> Store {
    try Store.open(
      at: "/store", models: [Account.self], history: UniqueMemberTests.second,
      configuration: settings, fileSystem: fileSystem)
  }

  /// Else these tests would prove nothing.
  private static func expectExpired(_ store: Store) {
    let snapshot = store.snapshot()
    #expect(throws: StoreError.self) { try snapshot.get(Account.self, 1) }
  }

  @Test("P14: a dry run of upgrades goes on")
  func validation() throws {
    let store = try Self.open(Self.accounts())
    Self.expectExpired(store)
    let report = try store.validate()
    #expect(report.checkedCount == 3)
    #expect(report.failures.isEmpty)
    try store.close()
  }

  @Test("R38: building indexes tells what objects share")
  func indexes() throws {
    let store = try Self.open(Self.accounts())
    Self.expectExpired(store)
    let report = try store.buildIndexes()
    #expect(report.conflicts.map(\.keys) == [[1, 2]])
    try store.close()
  }

  @Test("R11: a block at open goes on, whatever it takes")
  func migrationAtOpen() throws {
    let fileSystem = InMemoryFileSystem()
    func open(_ version: UInt64, _ settings: StoreConfiguration) throws -> Store {
      var configuration = Store.Configuration(
        path: "/store", models: [SeedModels.Names.self], schemaVersion: version,
        migrationBlock: { migration, _ in
          migration.enumerateObjects(ofType: "Person") { old, new in
            new?["lastName"] = "of " + (old?["firstName"] as? String ?? "")
          }
        }, migrationTiming: .atOpen)
      configuration.compaction = .off
      return try Store.open(
        configuration, path: "/store", fileSystem: fileSystem, settings: settings)
    }
    var store = try open(0, .quiet)
    try store.write { transaction in
      for id in 0..<3 { try transaction.put(SeedModels.Names(id: id, firstName: "Ada")) }
    }
    try store.close()
    try open(1, Self.settings).close()
    store = try open(1, .quiet)
    #expect(try store.snapshot().get(SeedModels.Names.self, 2)?.lastName == "of Ada")
    try store.close()
  }
}
