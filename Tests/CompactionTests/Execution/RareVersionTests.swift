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
    #expect(try making.prepare(rewrite) { true })
    rewrite.cancel()
    var reviews = making.reviews
    let isDue = reviews.meet(1, of: version, among: 3000, mayReview: true)
    #expect(!isDue)
  }

  @Test("Making dictionaries is given up when it is asked to, and due again")
  func givingUp() throws {
    let log = try Base.open(InMemoryFileSystem(), segmentByteCount: 16 << 20)
    try Base.put(0..<3000, log, version: 0)
    try log.sealActiveSegment()
    let segments = Set(try log.statistics().segments.map(\.identifier))
    let version = CollectionVersion(collection: Base.people, schemaVersion: 0)
    var making = DictionaryMaking(
      log: log, upgrader: Base.AddingUpgrader(), reviews: DictionaryReviews())
    let rewrite = try log.beginRewrite(of: segments)
    var askedCount = 0
    let isThrough = try making.prepare(rewrite) {
      askedCount += 1
      return askedCount < 3
    }
    rewrite.cancel()
    #expect(!isThrough && askedCount == 3)
    #expect(try log.statistics().dictionaries.isEmpty)
    var reviews = making.reviews
    let isDue = reviews.meet(1, of: version, among: 3000, mayReview: true)
    #expect(isDue)
  }

  @Test("It is asked to be given up between two dictionaries, too, and those left are due again")
  func givingUpBetweenTwo() throws {
    let log = try Base.open(InMemoryFileSystem(), segmentByteCount: 16 << 20)
    for number in UInt32(1)...3 {
      try Base.put(0..<3000, log, in: CollectionIdentifier(number))
    }
    try log.sealActiveSegment()
    let segments = Set(try log.statistics().segments.map(\.identifier))
    var making = DictionaryMaking(
      log: log, upgrader: NoUpgrade(), reviews: DictionaryReviews())
    let rewrite = try log.beginRewrite(of: segments)
    let isThrough = try making.prepare(rewrite) {
      (try? log.statistics().dictionaries.isEmpty) ?? false
    }
    rewrite.cancel()
    #expect(!isThrough)
    #expect(try log.statistics().dictionaries.count == 1)
    // The first is not, or nothing would come behind it where each time is given up so early.
    var reviews = making.reviews
    var due: [UInt32] = []
    for number in UInt32(1)...3
    where reviews.meet(1, of: Self.version(number, 1), among: 3000, mayReview: true) {
      due.append(number)
    }
    #expect(due == [2, 3])
  }

  private static func version(_ collection: UInt32, _ version: UInt64) -> CollectionVersion {
    CollectionVersion(collection: CollectionIdentifier(collection), schemaVersion: version)
  }

  private static let live: [(version: CollectionVersion, totals: RecordTotals)] = [
    (version(1, 0), RecordTotals(recordCount: 1000, byteCount: 1)),
    (version(1, 1), RecordTotals(recordCount: 3000, byteCount: 1)),
    (version(2, 0), RecordTotals(recordCount: 2000, byteCount: 1)),
    (version(2, 1), RecordTotals(recordCount: 298_000, byteCount: 1)),
    (version(3, 0), RecordTotals(recordCount: 9, byteCount: 1)),
    (version(4, 0), RecordTotals(recordCount: 3000, byteCount: 1)),
    (version(4, 1), RecordTotals(recordCount: 997_000, byteCount: 1)),
  ]

  @Test("As many more records are asked for as others of a collection are passed over")
  func counts() {
    let sampled = SampledVersions([Self.version(1, 0), Self.version(2, 0)], among: Self.live)
    // Not without end: all of it is looked up.
    #expect(
      sampled.counts == [CollectionIdentifier(1): 4 * 4096, CollectionIdentifier(2): 16 * 4096])
  }

  @Test("Of a common version no more are taken than a sample needs, for the sake of a rare one")
  func commonVersions() {
    let common = Self.version(2, 1)
    var sampled = SampledVersions([common, Self.version(2, 0)], among: Self.live)
    let taken = (0..<74_500).count { _ in sampled.takes(common) }
    #expect((4096..<8192).contains(taken))
    // The rare one is taken whenever it is met.
    let rareCount = (0..<400).count { _ in sampled.takes(Self.version(2, 0)) }
    #expect(rareCount == 400)
    let takesOther = sampled.takes(Self.version(3, 0))
    #expect(!takesOther)
  }

  @Test("A version that a sample would miss is not looked for with each step")
  func missed() {
    let findable = SampledVersions.findable(among: Self.live)
    #expect(
      findable == [
        Self.version(1, 0), Self.version(1, 1), Self.version(2, 1), Self.version(4, 1),
      ])
  }
}
