import FileIO
import StorageTestSupport
import Testing

@testable import ObjectStore

@Suite("What a block passes to enumerateObjects is pure")
struct StepPurityTests {
  final class Counter: Sendable {
    private let count = Lock(0)
    func next() -> Int {
      count.withLock {
        $0 += 1
        return $0
      }
    }
  }

  static func open(
    _ fileSystem: any FileSystem, _ timing: Store.Configuration.MigrationTiming, checks: Bool,
    _ block: @escaping Store.Configuration.MigrationClosure
  ) throws -> Store {
    var configuration = Store.Configuration(
      path: "/people", models: [SeedModels.FullName.self], schemaVersion: 1,
      migrationBlock: block, migrationTiming: timing)
    configuration.compaction = .off
    var settings = MigrationOnceTests.settings
    settings.checksPurity = checks
    return try Store.open(
      configuration, path: "/people", fileSystem: fileSystem, settings: settings)
  }

  @Test("R14, H2: a value that is another one each time fails the object, and says what to do")
  func impure() throws {
    let fileSystem = try MigrationNameTests.fill()
    let counter = Counter()
    let block: Store.Configuration.MigrationClosure = { migration, _ in
      migration.enumerateObjects(ofType: "Person") { old, new in
        new?["fullName"] = "\(old?["firstName"] ?? "") \(counter.next())"
      }
    }
    var store = try Self.open(fileSystem, .onRead, checks: true, block)
    #expect {
      try store.snapshot().get(SeedModels.FullName.self, 1)
    } throws: { error in
      "\(error)".contains(
        "two runs of the migration block set Person.fullName to different values; set a value "
          + "that follows from the old object, or use migrationTiming: .atOpen")
    }
    try store.close()
    // As in apps that were built for users.
    store = try Self.open(fileSystem, .onRead, checks: false, block)
    #expect(try store.snapshot().get(SeedModels.FullName.self, 1) != nil)
    try store.close()
    // There it runs once for each object.
    store = try Self.open(fileSystem, .atOpen, checks: true, block)
    #expect(try store.snapshot().get(SeedModels.FullName.self, 1)?.fullName.hasPrefix("f ") == true)
    try store.close()
  }

  @Test("R14, H2: a value that is set in one run alone is another one, too")
  func sometimes() throws {
    let fileSystem = try MigrationNameTests.fill()
    let counter = Counter()
    let store = try Self.open(fileSystem, .onRead, checks: true) { migration, _ in
      migration.enumerateObjects(ofType: "Person") { _, new in
        if counter.next() == 2 { new?["age"] = 77 }
      }
    }
    #expect {
      try store.snapshot().get(SeedModels.FullName.self, 1)
    } throws: { "\($0)".contains("set Person.age to different values") }
    try store.close()
  }
}
