import FileIO
import LogStore
import StorageTestSupport
import Testing

@testable import Compaction

/// What a compaction that plans step after step leaves alone, and what still counts of it.
@Suite struct SparedSegmentsTests {
  private static func segment(
    _ number: UInt32, live: UInt64, of records: UInt64, tombstones: UInt64 = 0
  ) -> SegmentStatistics {
    CompactionPolicyTests.segment(
      number, byteCount: 1000, live: live, of: records, tombstones: tombstones)
  }

  private static func inputs(
    _ segments: [SegmentStatistics], sparing spared: SparedSegments
  ) -> [[UInt32]] {
    var policy = CompactionPolicy.automatic
    policy.goal = .deadFraction(0)
    return policy.plan(segments, targetByteCount: 1000, sparing: spared) { _ in false }
      .steps.map { $0.inputs.map(\.rawValue) }
  }

  private static func unreadable(_ number: UInt32) -> SparedSegments {
    var report = CompactionReport()
    report.leftSegments = [Self.segment(number, live: 0, of: 0).identifier]
    var spared = SparedSegments()
    spared.note(report)
    return spared
  }

  @Test("What is dead in a segment that cannot be read still needs its tombstones")
  func deadOfUnreadable() {
    let segments = [
      Self.segment(1, live: 1, of: 10), Self.segment(2, live: 5, of: 10, tombstones: 5),
    ]
    #expect(Self.inputs(segments, sparing: SparedSegments()) == [[1]])
    #expect(Self.inputs(segments, sparing: Self.unreadable(1)).isEmpty)
    let other = [
      Self.segment(1, live: 9, of: 10), Self.segment(2, live: 5, of: 10, tombstones: 5),
    ]
    #expect(Self.inputs(other, sparing: Self.unreadable(1)) == [[2]])
  }

  @Test("A goal is reached when what can be read is good enough")
  func goal() {
    let segments =
      [Self.segment(1, live: 0, of: 10)] + (2...6).map { Self.segment($0, live: 9, of: 10) }
    let plan = CompactionPolicy.automatic.plan(
      segments, targetByteCount: 1000, sparing: Self.unreadable(1)
    ) { _ in false }
    #expect(plan.isEmpty)
  }

  @Test("What found no room waits until nothing else is left to try")
  func withoutRoom() {
    let segments = [Self.segment(1, live: 1, of: 10), Self.segment(2, live: 5, of: 10)]
    var report = CompactionReport()
    report.segmentsWithoutRoom = [segments[0].identifier]
    var spared = SparedSegments()
    spared.note(report)
    #expect(Self.inputs(segments, sparing: spared) == [[2]])
    let hadSome = spared.forgetWithoutRoom()
    #expect(hadSome)
    #expect(Self.inputs(segments, sparing: spared) == [[1, 2]])
    let hasSome = spared.forgetWithoutRoom()
    #expect(!hasSome)
  }

  @Test("What is gone is forgotten")
  func forgetting() {
    var spared = Self.unreadable(1)
    spared.update([Self.segment(1, live: 1, of: 10)])
    #expect(spared.unreadable.count == 1)
    spared.update([Self.segment(2, live: 1, of: 10)])
    #expect(spared.unreadable.isEmpty)
  }

  @Test("Tombstones that were needed are tried again when half of what they waited for is gone")
  func waiting() throws {
    let log = try CompactorTests.open(InMemoryFileSystem())
    // Four segments hold what the tombstones of a fifth hide.
    for key in [0, 1, 2, 3] {
      try CompactorTests.put([key, 100 + key], log)
      try log.sealActiveSegment()
    }
    let batch = log.makeBatch()
    for key in UInt8(0)..<4 { try batch.delete([key], in: CompactorTests.people) }
    try log.commit(batch)
    try log.sealActiveSegment()
    var policy = CompactionPolicy.automatic
    policy.deadFractionMinimum = 2
    policy.goal = .everything
    func plan(_ spared: inout SparedSegments) throws -> CompactionPlan {
      let statistics = try log.statistics()
      spared.update(statistics.segments)
      return policy.plan(
        statistics.segments, targetByteCount: 1 << 20, sparing: spared
      ) { _ in false }
    }
    var spared = SparedSegments()
    let first = try plan(&spared)
    #expect(first.tombstoneCount == 4)
    spared.note(try Compactor(log).carryOut(first))
    #expect(try plan(&spared).isEmpty)
    let dead = try log.statistics().segments.filter { $0.deadRecordCount > 0 }.map(\.identifier)
    #expect(dead.count == 4)
    func rewrite(_ segment: SegmentIdentifier) throws {
      let rewrite = try log.beginRewrite(of: [segment])
      while try rewrite.carryOver() {}
      try rewrite.publish()
    }
    try rewrite(dead[0])
    #expect(try plan(&spared).isEmpty)
    try rewrite(dead[1])
    #expect(try plan(&spared).tombstoneCount == 4)
    let report = try Compactor(log).carryOut(try plan(&spared))
    #expect(report.removedTombstoneCount == 2)
  }

  @Test("Tombstones take room in an output: a step has no more of them than fit")
  func tombstonesOfAStep() {
    func inputs(
      _ segments: [SegmentStatistics], target: UInt64, goal: CompactionGoal = .deadFraction(0)
    ) -> [[UInt32]] {
      var policy = CompactionPolicy.everything
      policy.goal = goal
      return policy.plan(segments, targetByteCount: target, isStale: { _ in false })
        .steps.map { $0.inputs.map(\.rawValue).sorted() }.sorted { $0[0] < $1[0] }
    }
    let segments = (UInt32(1)...6).map { Self.segment($0, live: 0, of: 10, tombstones: 10) }
    #expect(inputs(segments, target: 2000) == [[1, 2], [3, 4], [5, 6]])
    let mixed = (UInt32(1)...4).map { Self.segment($0, live: 2, of: 10, tombstones: 3) }
    // 200 bytes are live in each, and three of eight parts of the rest are tombstones'.
    #expect(inputs(mixed, target: 1000) == [[1, 2], [3, 4]])
    // Of everything next to none are left.
    #expect(inputs(mixed, target: 1000, goal: .everything) == [[1, 2, 3, 4]])
  }
}
