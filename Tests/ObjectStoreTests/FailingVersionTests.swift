import FileIO
import StorageTestSupport
import Testing

@testable import Compaction
@testable import LogStore
@testable import ObjectStore

@Suite("A version is left for the session where its code always fails, and for nothing else")
struct FailingVersionTests {
  private struct Refusal: Error {}

  private static let base = Base(0) {
    Type("Note", key: "id") {
      Field("id", .int64)
      Field("text", .string)
    }
    Type("Pet", key: "id") {
      Field("id", .int64)
      Field("name", .string)
    }
  }

  /// A version whose step fails for the pets whose names `refuses` tells.
  private static func refusing(
    _ refuses: @escaping @Sendable (String) -> Bool
  ) -> SchemaHistory {
    SchemaHistory {
      Self.base
      Version(1) {
        On("Pet") {
          Convert("name", to: .string) { (name: String) throws(Refusal) -> String in
            if refuses(name) { throw Refusal() }
            return name
          }
        }
      }
    }
  }

  /// Puts pets with names of such letters.
  private static func putPets(
    _ ids: Range<Int>, _ letter: Character = "x", in store: Store
  ) throws {
    let name = String(repeating: letter, count: 100)
    for start in stride(from: ids.lowerBound, to: ids.upperBound, by: 10) {
      try store.write(durability: .process) { transaction in
        for id in start..<min(start + 10, ids.upperBound) {
          try transaction.put(
            transaction.makeObject(ofType: "Pet", ["id": .int(Int64(id)), "name": .string(name)]))
        }
      }
    }
  }

  @Test("P19: code that always fails is called for a step or two, though others are upgraded")
  func oneOfTwoTypes() throws {
    let tests = AutomaticCompactionTests()
    var store = try tests.open(SchemaHistory { Self.base })
    for start in stride(from: 0, to: 1000, by: 10) {
      try Self.putPets(start..<(start + 10), in: store)
      try tests.put(start..<(start + 10), in: store)
    }
    try store.close()
    let calls = Lock(0)
    store = try tests.open(
      Self.refusing { _ in
        calls.withLock { $0 += 1 }
        return true
      })
    while store.compaction.step() {}
    #expect(store.compaction.statistics.upgradedCount == 1000)
    #expect(calls.withLock { $0 } > 0)
    #expect(calls.withLock { $0 } < 300)
    try store.close()
  }

  @Test("P19: one record that fails, alone of its type where it lies, keeps no others back")
  func oneOfItsType() throws {
    let tests = AutomaticCompactionTests()
    var store = try tests.open(SchemaHistory { Self.base })
    try Self.putPets(0..<1, "y", in: store)
    try tests.put(0..<1000, in: store)
    try Self.putPets(1..<501, in: store)
    try store.close()
    store = try tests.open(Self.refusing { $0.hasPrefix("y") })
    while store.compaction.step() {}
    #expect(store.compaction.statistics.upgradedCount == 1500)
    #expect(store.compaction.statistics.failedCount > 0)
    try store.close()
  }

  @Test("P19: what a migration could upgrade of a version counts where a step can upgrade nothing")
  func upgradedByHand() throws {
    let tests = AutomaticCompactionTests()
    var store = try tests.open(SchemaHistory { Self.base })
    try Self.putPets(0..<50, in: store)
    try Self.putPets(50..<1050, "y", in: store)
    try Self.putPets(1050..<1550, in: store)
    try store.close()
    store = try tests.open(Self.refusing { $0.hasPrefix("y") })
    let byHand = try store.migrate(MigrationBudget(recordCountMaximum: 1)).upgradedCount
    try #require((50..<550).contains(byHand))
    while store.compaction.step() {}
    #expect(store.compaction.statistics.upgradedCount + byHand == 550)
    try store.close()
  }

  private static func person(_ number: Int) -> String {
    let names = [
      "Ada Lovelace", "Grace Hopper", "Edsger Dijkstra", "Barbara Liskov", "Alan Turing",
    ]
    return "name: \(names[number % 5]), born in 19\(number % 90 + 10), no. \(number)"
  }

  private static func thing(_ number: Int) -> String {
    "quite another text, with other words in it: item \(number * 7919) of \(number)"
  }

  private static func put(
    _ ids: Range<Int>, in store: Store, _ text: (Int) -> String
  ) throws {
    for start in stride(from: ids.lowerBound, to: ids.upperBound, by: 20) {
      try store.write(durability: .process) { transaction in
        for id in start..<min(start + 20, ids.upperBound) {
          try transaction.put(
            transaction.makeObject(
              ofType: "Note", ["id": .int(Int64(id)), "text": .string(text(id))]))
        }
      }
    }
  }

  /// Makes a dictionary for such texts, whose copies lie alone, and puts notes that need it.
  private static func put(
    _ ids: Range<Int>, in store: Store, against version: CollectionVersion,
    _ text: (Int) -> String
  ) throws {
    let sample = (0..<600).map { [UInt8](text($0).utf8) }
    #expect(try store.log.makeDictionary(for: version, sample: sample, recordCount: 5000))
    try store.log.sealActiveSegment()
    try put(ids, in: store, text)
  }

  /// Damages both copies of a dictionary, of which the store is closed for it.
  private static func lose(
    _ identifier: DictionaryIdentifier, of store: Store, on fileSystem: SimulatedFileSystem
  ) throws {
    var places: [(file: String, offset: Int)] = []
    for copy in UInt8(0)...1 {
      let key = CompressionDictionary.key(identifier, copy: copy)
      let found = try key.withUnsafeBytes {
        try store.log.pipeline.view.find(IndexKey(.catalog, $0))
      }
      let hit = try #require(found)
      places.append((hit.segment.name.description, Int(hit.value.offset) + 100))
    }
    try store.close()
    for place in places { fileSystem.flipBit(3, of: place.file, in: "/store", at: place.offset) }
  }

  @Test("P14: records whose dictionary is lost keep no others from being upgraded")
  func lostDictionary() throws {
    let fileSystem = SimulatedFileSystem()
    func open(_ history: SchemaHistory) throws -> Store {
      try AutomaticCompactionTests().open(history, on: fileSystem) {
        $0.log.compression = .automatic
      }
    }
    var store = try open(AutomaticCompactionTests.first)
    // It is put again; the store knows its collection from now on.
    try Self.put(0..<1, in: store, Self.person)
    try store.log.sealActiveSegment()
    let version = try #require(
      store.log.liveByVersion.keys.first { !$0.collection.isReserved })
    try Self.put(0..<1000, in: store, against: version, Self.person)
    try Self.put(1000..<2000, in: store, against: version, Self.thing)
    let dictionaries = try store.statistics().log.dictionaries
    try #require(dictionaries.count == 2)
    #expect(dictionaries.allSatisfy { $0.recordCount > 900 })
    try Self.lose(dictionaries[0].identifier, of: store, on: fileSystem)
    store = try open(AutomaticCompactionTests.second)
    for _ in 0..<200 where store.compaction.step() {}
    #expect(!store.compaction.step())
    let statistics = store.compaction.statistics
    #expect(statistics.upgradedCount == 2000 - dictionaries[0].recordCount)
    #expect(statistics.damages.contains { $0.lostDictionary != nil })
    try store.close()
  }

  @Test("A version is left for many failures, of several steps, of which nobody upgrades a record")
  func singleFailures() {
    func version(_ number: UInt32) -> CollectionVersion {
      CollectionVersion(collection: CollectionIdentifier(number), schemaVersion: 0)
    }
    let step = CompactionPlan.Step(
      inputs: [], inputByteCount: 0, liveByteCount: 0, liveRecordCount: 3, staleRecordCount: 3,
      tombstoneCount: 0, tombstoneByteCount: 0)
    let count = FailingVersions.recordCountMinimum
    var versions = FailingVersions()
    var report = CompactionReport()
    report.changedVersions = [version(1)]
    report.failedCounts = [version(1): count, version(2): count - 1]
    versions.note(report, of: step)
    #expect(versions.all.isEmpty)
    report.changedVersions = []
    report.failedCounts = [version(1): count, version(2): 1, version(3): count]
    versions.note(report, of: step)
    #expect(versions.all == [version(2), version(3)])
    // Who did not go through may have missed others.
    report.failedCounts = [version(4): count]
    report.wasCancelled = true
    versions.note(report, of: step)
    #expect(versions.all == [version(2), version(3)])
    versions.note(changed: [version(3)])
    #expect(versions.all == [version(2)])
  }

  @Test("A version is left for a few steps that each rewrote a segment for failures alone")
  func fewInEachStep() {
    let version = CollectionVersion(collection: CollectionIdentifier(1), schemaVersion: 0)
    let step = CompactionPlan.Step(
      inputs: [], inputByteCount: 0, liveByteCount: 0, liveRecordCount: 3, staleRecordCount: 1,
      tombstoneCount: 0, tombstoneByteCount: 0)
    var report = CompactionReport()
    report.failedCounts = [version: 1]
    var versions = FailingVersions()
    for _ in 1..<FailingVersions.stepCountMinimum { versions.note(report, of: step) }
    #expect(versions.all.isEmpty)
    versions.note(report, of: step)
    #expect(versions.all == [version])
  }
}
