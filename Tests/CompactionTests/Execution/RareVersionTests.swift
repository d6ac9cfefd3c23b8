import FileIO
import LogStore
import StorageTestSupport
import Testing

@testable import Compaction

@Suite("A type with few of a store's records has its dictionary too")
struct RareVersionTests {
  private typealias Base = DictionaryCompactionTests

  private static let common = CollectionIdentifier(2)

  /// Records of which one in thirty is of a type that is to be upgraded.
  private static func fill(_ log: Log) throws {
    var rare = 0
    for start in stride(from: 0, to: 66_000, by: 1000) {
      let batch = log.makeBatch()
      for number in start..<(start + 1000) {
        try batch.put(
          Base.key(number), in: common, schemaVersion: 1, payload: Base.key(66_000 - number))
        guard number % 30 == 0 else { continue }
        try batch.put(
          Base.key(rare), in: Base.people, schemaVersion: 0, payload: Base.payload(rare))
        rare += 1
      }
      try log.commit(batch)
    }
    #expect(rare >= Int(Log.dictionaryRecordCountMinimum))
  }

  @Test("What an upgrade makes of three records in a hundred is compressed against one")
  func upgraded() throws {
    let log = try Base.open(InMemoryFileSystem(), segmentByteCount: 16 << 20)
    try Self.fill(log)
    let report = try Compactor(log, upgrader: Base.AddingUpgrader()).run()
    #expect(report.upgradedCount == 2200)
    let dictionaries = try log.statistics().dictionaries
    #expect(
      dictionaries.contains {
        $0.version == CollectionVersion(collection: Base.people, schemaVersion: 1)
          && $0.recordCount > 2000
      })
  }

  @Test("A version whose upgrade fails is looked at once, not with each step")
  func failing() throws {
    let log = try Base.open(InMemoryFileSystem(), segmentByteCount: 16 << 20)
    try Base.put(0..<3000, log, version: 0)
    try log.sealActiveSegment()
    let segments = Set(try log.statistics().segments.map(\.identifier))
    let version = CollectionVersion(collection: Base.people, schemaVersion: 0)
    var making = DictionaryMaking(
      log: log, upgrader: Base.AddingUpgrader(failsFor: { _ in true }),
      reviews: DictionaryReviews())
    let rewrite = try log.beginRewrite(of: segments)
    try making.prepare(rewrite)
    rewrite.cancel()
    var reviews = making.reviews
    let isDue = reviews.meet(1, of: version, among: 3000, mayReview: true)
    #expect(!isDue)
  }

  @Test("As many more records are asked for as others of a collection are passed over")
  func counts() {
    func version(_ collection: UInt32, _ version: UInt64) -> CollectionVersion {
      CollectionVersion(collection: CollectionIdentifier(collection), schemaVersion: version)
    }
    let live: [(version: CollectionVersion, totals: RecordTotals)] = [
      (version(1, 0), RecordTotals(recordCount: 1000, byteCount: 1)),
      (version(1, 1), RecordTotals(recordCount: 3000, byteCount: 1)),
      (version(2, 0), RecordTotals(recordCount: 300, byteCount: 1)),
      (version(2, 1), RecordTotals(recordCount: 299_700, byteCount: 1)),
      (version(3, 0), RecordTotals(recordCount: 9, byteCount: 1)),
    ]
    let counts = PayloadSample.recordCounts(of: [version(1, 0), version(2, 0)], among: live)
    // Not without end: all of it is read in one go.
    #expect(counts == [CollectionIdentifier(1): 4 * 4096, CollectionIdentifier(2): 16 * 4096])
  }
}
