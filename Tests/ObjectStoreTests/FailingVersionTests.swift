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

  @Test("P19: code that always fails is called for one step, though others of it are upgraded")
  func oneOfTwoTypes() throws {
    let tests = AutomaticCompactionTests()
    var store = try tests.open(SchemaHistory { Self.base })
    let name = String(repeating: "x", count: 100)
    for start in stride(from: 0, to: 1000, by: 10) {
      try store.write(durability: .process) { transaction in
        for id in start..<(start + 10) {
          try transaction.put(
            transaction.makeObject(ofType: "Pet", ["id": .int(Int64(id)), "name": .string(name)]))
        }
      }
      try tests.put(start..<(start + 10), in: store)
    }
    try store.close()
    let calls = Lock(0)
    store = try tests.open(
      SchemaHistory {
        Self.base
        Version(1) {
          On("Pet") {
            Convert("name", to: .string) { (_: String) throws(Refusal) -> String in
              calls.withLock { $0 += 1 }
              throw Refusal()
            }
          }
        }
      })
    while store.compaction.step() {}
    #expect(store.compaction.statistics.upgradedCount == 1000)
    #expect(calls.withLock { $0 } > 0)
    #expect(calls.withLock { $0 } < 300)
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

  @Test("A version of which some records were upgraded is not left for those that fail in a step")
  func singleFailures() {
    func version(_ number: UInt32) -> CollectionVersion {
      CollectionVersion(collection: CollectionIdentifier(number), schemaVersion: 0)
    }
    let step = CompactionPlan.Step(
      inputs: [], inputByteCount: 0, liveByteCount: 0, liveRecordCount: 3, staleRecordCount: 3,
      tombstoneCount: 0, tombstoneByteCount: 0)
    var versions = FailingVersions()
    var report = CompactionReport()
    report.changedVersions = [version(1)]
    report.failedVersions = [version(1), version(2)]
    versions.note(report, of: step)
    #expect(versions.all == [version(2)])
    report.changedVersions = []
    versions.note(report, of: step)
    #expect(versions.all == [version(2)])
    // Who did not go through may have missed others.
    report.failedVersions = [version(3)]
    report.wasCancelled = true
    versions.note(report, of: step)
    #expect(versions.all == [version(2)])
  }
}
