import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// A quick rewrite believes the totals when they say that all records of its inputs are live.
@Suite struct LiveInputTests {
  private static func looksUp(
    _ log: Log, _ inputs: Set<SegmentIdentifier>, _ effort: CompressionEffort
  ) throws -> Bool? {
    let rewrite = try log.beginRewrite(of: inputs, effort: effort)
    defer { rewrite.cancel() }
    return rewrite.reading?.walk.looksUp
  }

  /// Live records in sealed segments.
  private static func fill() throws -> (log: Log, segments: Set<SegmentIdentifier>) {
    let log = try TestLog.open(InMemoryFileSystem())
    try TestLog.put(0..<400, log)
    try log.sealActiveSegment()
    return (log, Set(try log.statistics().segments.map(\.identifier)))
  }

  @Test("It looks nothing up where all are live, and everything where one is not")
  func believesTotals() throws {
    let (log, first) = try Self.fill()
    #expect(try Self.looksUp(log, first, .quick) == false)
    #expect(try Self.looksUp(log, first, .thorough) == true)
    try TestLog.delete([1000], log)
    try log.sealActiveSegment()
    let second = Set(try log.statistics().segments.map(\.identifier)).subtracting(first)
    #expect(try Self.looksUp(log, first, .quick) == false)
    // A tombstone is no live record.
    #expect(try Self.looksUp(log, second, .quick) == true)
    #expect(try Self.looksUp(log, first.union(second), .quick) == true)
    // What was replaced counts at once, also where it is in no sealed segment.
    try TestLog.put([7], log)
    #expect(try Self.looksUp(log, first, .quick) == true)
    let rewrite = try log.beginRewrite(of: first, effort: .quick)
    while try rewrite.carryOver(atMost: 50) {}
    #expect(rewrite.carriedCount == 399)
    try rewrite.publish()
    try TestLog.compare(log, TestLog.expected(0..<400))
  }

  @Test("What is replaced while such a rewrite runs stays replaced, and is not counted")
  func replacedMeanwhile() throws {
    let (log, inputs) = try Self.fill()
    let rewrite = try log.beginRewrite(of: inputs, effort: .quick)
    #expect(rewrite.reading?.walk.looksUp == false)
    _ = try rewrite.carryOver(atMost: 100)
    try TestLog.delete(stride(from: 0, to: 400, by: 3), log)
    while try rewrite.carryOver(atMost: 100) {}
    try rewrite.publish()
    let left = TestLog.expected((0..<400).filter { $0 % 3 != 0 })
    try TestLog.compare(log, left)
    try Compaction.all(log)
    try TestLog.compare(log, left)
  }

  /// Rewrites everything with little effort, and with more.
  private enum Compaction {
    static func all(_ log: Log) throws {
      for effort in [CompressionEffort.quick, .thorough] {
        try log.sealActiveSegment()
        let all = Set(try log.statistics().segments.map(\.identifier))
        let rewrite = try log.beginRewrite(of: all, effort: effort)
        while try rewrite.carryOver(atMost: 100) {}
        try rewrite.publish()
      }
    }
  }

  private static let collections = [CollectionIdentifier(1), CollectionIdentifier(2)]

  private static func contents(_ log: Log) throws -> [[[UInt8]: [UInt8]]] {
    try collections.map { try TestLog.contents(log.snapshot().records(in: $0)) }
  }

  @Test(
    "P2: totals that claim too much bring nothing back, and a thorough rewrite corrects them",
    arguments: 0..<12 as Range<UInt64>)
  func totalsThatClaimTooMuch(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let log = try AscendingLookupTests.fill(.numbers, seed: seed)
    try log.sealActiveSegment()
    let expected = try Self.contents(log)
    for _ in 0..<3 {
      let view = try log.snapshot().view()
      let count = Int.random(in: 1...view.sealed.count, using: &generator)
      let inputs = Array(view.sealed.shuffled(using: &generator).prefix(count))
      try Self.rewrite(inputs, claimingAllOf: view, log)
      #expect(try Self.contents(log) == expected, "seed \(seed)")
    }
    try Compaction.all(log)
    #expect(try Self.contents(log) == expected, "seed \(seed)")
    let live = try log.statistics().live.recordCount
    #expect(live == expected.reduce(0) { $0 + UInt64($1.count) }, "seed \(seed)")
  }

  /// A quick rewrite of `inputs` that is told that all their records are live.
  private static func rewrite(
    _ inputs: [Segment], claimingAllOf view: View, _ log: Log
  ) throws {
    var claimed = LiveTotals()
    let version = CollectionVersion(collection: .init(1), schemaVersion: 0)
    for _ in 0..<inputs.reduce(0, { $0 + $1.recordCount }) { claimed.add(version, byteCount: 1) }
    let watch = RewriteWatch(inputs: Set(inputs.map(\.identifier)))
    log.pipeline.enter("a test")
    log.pipeline.watch = watch
    log.pipeline.leave()
    let rewrite = try SegmentRewrite(
      log.pipeline, view: view, inputs: inputs, live: claimed, areAllLive: true, watch: watch,
      effort: .quick, transformer: nil, threadCount: 0)
    #expect(rewrite.reading?.walk.looksUp == false)
    while try rewrite.carryOver(atMost: 100) {}
    try rewrite.publish()
  }
}
