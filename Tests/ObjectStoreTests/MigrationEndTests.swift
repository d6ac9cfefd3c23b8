import FileIO
import LogStore
import ObjectStore
import StorageTestSupport
import Testing

/// A migration says that it is finished when no object is left that could be upgraded.
@Suite("When a migration is finished") struct MigrationEndTests {
  typealias Base = MigrationTests

  static func oldCount(_ store: Store) throws -> UInt64 {
    try store.statistics().types.filter { $0.version < store.schemaVersion }
      .reduce(0) { $0 + $1.totals.recordCount }
  }

  @Test("H13: what is held back is left by a migration too, which is not finished then")
  func heldBack() throws {
    let clock = ManualTimeSource()
    let day: UInt64 = 86_400
    clock.set(secondsSince1970: 4_000_000_000)
    let fileSystem = try Base.makeStore()
    for horizon in [.shipped(1), .olderThan(days: 14)] as [CompactionConfiguration.UpgradeHorizon] {
      var configuration = Base.configuration
      configuration.log.timeSource = clock
      configuration.compaction.upgradeThrough = horizon
      let store = try Base.open(fileSystem, Base.latest, configuration)
      let report = try store.migrate()
      #expect(!report.isFinished)
      #expect(report.upgradedCount == 0)
      #expect(try Self.oldCount(store) == 1000)
      if horizon != .shipped(1) {
        clock.set(secondsSince1970: 4_000_000_000 + 14 * day)
        let later = try store.migrate()
        #expect(later.isFinished)
        #expect(later.upgradedCount == 1000)
      }
      try store.close()
    }
  }

  @Test("R19: records whose upgrade fails do not keep a migration from being finished")
  func failing() throws {
    let store = try Base.open(try Base.makeStore(broken: [7, 500]), Base.latest)
    for upgradedCount in [998, 0] as [UInt64] {
      let report = try store.migrate()
      #expect(report.isFinished)
      #expect(report.upgradedCount == upgradedCount)
      #expect(report.failedCount == 2)
    }
    #expect(try Self.oldCount(store) == 2)
    try store.close()
  }

  @Test(
    "R19, R39: a migration in budgets ends, wherever there are records whose upgrade fails",
    arguments: [[0], [999], Array(stride(from: 0, to: 1000, by: 7)), Array(0..<500)] as [[Int]])
  func failingInBudgets(broken: [Int]) throws {
    let store = try Base.open(try Base.makeStore(broken: Set(broken)), Base.latest)
    var upgraded: UInt64 = 0
    var failed: UInt64 = 0
    var calls = 0
    while true {
      let report = try store.migrate(MigrationBudget(recordCountMaximum: 100))
      calls += 1
      upgraded += report.upgradedCount
      failed += report.failedCount
      if report.isFinished { break }
      try #require(calls < 50, "\(upgraded) upgraded, \(failed) failed")
    }
    #expect(calls > 3)
    #expect(upgraded == UInt64(1000 - broken.count))
    #expect(failed == UInt64(broken.count))
    let again = try store.migrate(MigrationBudget(recordCountMaximum: 100))
    #expect(again.isFinished && again.failedCount == 0)
    // Without a budget each is tried again.
    let all = try store.migrate()
    #expect(all.isFinished && all.upgradedCount == 0)
    #expect(all.failedCount == UInt64(broken.count))
    try store.close()
  }

  /// Readings of which the first thousand are broken, then more of them, beside pets of which one
  /// is.
  private static func makeStoreOfTwoTypes() throws -> (SchemaHistory, InMemoryFileSystem) {
    let base = ObjectStore.Base(0) {
      Type("Reading", key: "id") {
        Field("id", .int64)
        Field("text", .string)
      }
      Type("Pet", key: "id") {
        Field("id", .int64)
        Field("text", .string)
      }
    }
    let fileSystem = InMemoryFileSystem()
    let store = try Base.open(fileSystem, SchemaHistory { base })
    for id in 0..<1400 as Range<Int64> {
      try store.write { transaction in
        for type in id < 1000 ? ["Reading"] : ["Reading", "Pet"] {
          let isBroken = id < 1000 || (type == "Pet" && id == 1200)
          try transaction.put(
            transaction.makeObject(
              ofType: type, ["id": .int(id), "text": isBroken ? "broken" : "1"]))
        }
      }
    }
    try store.close()
    func convert() -> Convert { Convert("text", to: .int64, .member("text").parseInteger) }
    let latest = SchemaHistory {
      base
      Version(1) {
        On("Reading") { convert() }
        On("Pet") { convert() }
      }
    }
    return (latest, fileSystem)
  }

  @Test("R19: what a compaction held back, as others of its version failed, a migration tries")
  func heldBackAsFailing() throws {
    let (latest, fileSystem) = try Self.makeStoreOfTwoTypes()
    var configuration = Base.configuration
    configuration.compaction.mode = .manual
    let store = try Base.open(fileSystem, latest, configuration)
    while store.compaction.step() {}
    // It gave the readings up, and upgraded the pets beside them.
    #expect(store.compaction.statistics.upgradedCount < 700)
    #expect(try Self.oldCount(store) > 1001 + 100)
    for call in 1... {
      try #require(call < 100)
      if try store.migrate(MigrationBudget(recordCountMaximum: 100)).isFinished { break }
    }
    #expect(try Self.oldCount(store) == 1001)
    try store.close()
  }

  @Test("A migration that is cancelled again and again comes further each time")
  func failingAndCancelled() throws {
    let store = try Base.open(try Base.makeStore(broken: Set(0..<40)), Base.latest)
    var calls = 0
    while true {
      var steps = 0
      let report = try store.migrate { _ in
        steps += 1
        return steps < 3
      }
      calls += 1
      if report.isFinished { break }
      try #require(calls < 100)
    }
    #expect(try Self.oldCount(store) == 40)
    try store.close()
  }

  @Test("A migration that leaves a segment which does not verify is not finished")
  func damage() throws {
    let fileSystem = try Base.makeStore()
    var configuration = Base.configuration
    configuration.log.readMode = .buffered
    let store = try Base.open(fileSystem, Base.latest, configuration)
    let victim = try #require(
      try store.statistics().log.segments.first { $0.live.recordCount > 10 && !$0.isActive })
    let directory = try fileSystem.openDirectory(at: "/store", create: false)
    let digits = "0000000" + String(victim.identifier.rawValue, radix: 16)
    let name = try #require(FileName("segment-\(digits.suffix(8)).log"))
    let file = try directory.open(name, .readWrite)
    var bytes = [UInt8](repeating: 0, count: Int(victim.byteCount))
    _ = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
    for index in bytes.indices.dropFirst(200) where index % 200 == 0 { bytes[index] ^= 0xFF }
    try bytes.withUnsafeBytes { try file.write([$0], at: 0) }
    let report = try store.migrate()
    #expect(report.upgradedCount > 0)
    #expect(!report.isFinished)
    #expect(try Self.oldCount(store) > 0)
    try? store.close()
  }

  @Test("A migration that was ended behind its last object is finished")
  func endedBehindAll() throws {
    let store = try Base.open(try Base.makeStore(), Base.latest)
    let report = try store.migrate { $0.recordCount < $0.recordCountTotal }
    #expect(report.isFinished == (try Self.oldCount(store) == 0))
    #expect(try store.migrate().isFinished)
    try store.close()
  }

  @Test("R19: a trial of an app that is older than the store counts older objects, not newer ones")
  func validatesOlder() throws {
    let middle = SchemaHistory {
      Base.base
      Version(1) { On("Reading") { Add("unit", .string, default: "m") } }
    }
    let newest = SchemaHistory {
      Base.base
      Version(1) { On("Reading") { Add("unit", .string, default: "m") } }
      Version(2) { On("Reading") { Add("note", .optional(.string)) } }
    }
    let fileSystem = try Base.makeStore()
    var store = try Base.open(fileSystem, newest)
    try store.write { transaction in
      for id in 0..<10 {
        try transaction.put(
          transaction.makeObject(
            ofType: "Reading",
            ["id": .int(Int64(id)), "text": "t", "unit": "s", "note": .null]))
      }
    }
    try store.close()
    var configuration = Base.configuration
    configuration.newerStore = .projected
    store = try Base.open(fileSystem, middle, configuration)
    let report = try store.validate()
    #expect(report.checkedCount == 990)
    #expect(report.upgradedCount == 990)
    try store.close()
  }
}
