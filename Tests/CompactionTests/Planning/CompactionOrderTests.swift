import Foundation
import LogStore
import Testing

@testable import Compaction

/// What the policies prefer, and when they have enough.
@Suite("Policies differ in what they take first and in when they stop")
struct CompactionOrderTests {
  private static let people = CollectionIdentifier(1)

  /// Ten records of 100 bytes, of which `live` are live, written at about `time`.
  private static func segment(
    _ number: UInt32, live: UInt64, time: UInt64, tombstones: UInt64 = 0, version: UInt64 = 1
  ) -> SegmentStatistics {
    let totals = RecordTotals(recordCount: live, byteCount: live * 100)
    return SegmentStatistics(
      identifier: number, byteCount: 1000, recordCount: 10, tombstoneCount: tombstones,
      minimumSequence: time, maximumSequence: time + 9,
      liveByVersion: live == 0
        ? [:] : [CollectionVersion(collection: people, schemaVersion: version): totals])
  }

  private static func inputs(
    _ policy: CompactionPolicy, _ segments: [SegmentStatistics],
    isStale: (CollectionVersion) -> Bool = { _ in false }
  ) -> [UInt32] {
    policy.plan(segments, targetByteCount: 1, isStale: isStale)
      .steps.flatMap { $0.inputs.map(\.rawValue) }
  }

  @Test("Greedy takes the emptiest, age the oldest, cost-benefit the cold one before the hot")
  func orders() {
    let segments = [
      Self.segment(1, live: 8, time: 100), Self.segment(2, live: 2, time: 9000),
      Self.segment(3, live: 6, time: 5000), Self.segment(4, live: 10, time: 9990),
    ]
    #expect(Self.inputs(.greedy, segments) == [2, 3, 1])
    #expect(Self.inputs(.everything, segments) == [1, 3, 2])
    // 0.4 · 4981 / 1.6 for segment 3 beats 0.2 · 9891 / 1.8, and both the hot 0.8 · 991 / 1.2.
    #expect(Self.inputs(.costBenefit, segments) == [3, 1, 2])
  }

  @Test("A segment without live records comes first whatever its age")
  func empty() {
    let segments = [
      Self.segment(1, live: 1, time: 1), Self.segment(2, live: 0, time: 9000),
      Self.segment(3, live: 10, time: 9990),
    ]
    #expect(Self.inputs(.costBenefit, segments) == [2, 1])
    let step = CompactionPolicy.costBenefit.plan(segments, targetByteCount: 1) { _ in false }
      .steps[0]
    #expect(step.liveByteCount == 0)
  }

  @Test("Old schema versions are a bonus: of two that are alike, the stale one comes first")
  func staleBonus() {
    let segments = [
      Self.segment(1, live: 5, time: 100), Self.segment(2, live: 5, time: 100, version: 0),
    ]
    #expect(Self.inputs(.costBenefit, segments) { $0.schemaVersion == 0 } == [2, 1])
    #expect(Self.inputs(.greedy, segments) { $0.schemaVersion == 0 } == [2, 1])
    #expect(Self.inputs(.costBenefit, segments) == [1, 2])
  }

  @Test("Upgrading only leaves dead records alone where nothing is old")
  func upgradesOnly() {
    let segments = [
      Self.segment(1, live: 1, time: 1), Self.segment(2, live: 9, time: 100, version: 0),
    ]
    #expect(Self.inputs(.upgradesOnly, segments) { $0.schemaVersion == 0 } == [2])
    #expect(Self.inputs(.upgradesOnly, segments).isEmpty)
  }

  @Test("A goal of size takes the emptiest segments, and no more than are needed")
  func size() {
    let segments = (1...5).map { Self.segment($0, live: UInt64(2 * $0 - 1), time: 100) }
    // 5000 bytes; the segments give back 900, 700, 500, 300, 100.
    #expect(Self.inputs(.toSize(5000), segments).isEmpty)
    #expect(Self.inputs(.toSize(4999), segments) == [1])
    #expect(Self.inputs(.toSize(4100), segments) == [1])
    #expect(Self.inputs(.toSize(4099), segments) == [1, 2])
    #expect(Self.inputs(.toSize(0), segments) == [1, 2, 3, 4, 5])
    let files = CompactionPolicy.toSize(8200).plan(
      segments, targetByteCount: 1, fileByteCount: 10_000
    ) { _ in false }
    #expect(files.segmentCount == 1, "indexes shrink with the records")
  }

  @Test("The automatic policy rests while a fifth is dead, and takes one step at a time")
  func automatic() {
    let good = (UInt32(1)...6).map { Self.segment($0, live: 8, time: UInt64($0) * 100) }
    #expect(Self.inputs(.automatic, good).isEmpty)
    let bad = (UInt32(1)...6).map { Self.segment($0, live: 7, time: UInt64($0) * 100) }
    #expect(Self.inputs(.automatic, bad) == [1])
    let dead = good + [Self.segment(7, live: 0, time: 2)]
    #expect(Self.inputs(.automatic, dead) == [7])
  }

  @Test("Tombstones that are needed are not moved around for ever")
  func tombstones() {
    // Segment 1 is half tombstones; the dead records of segment 2 may be what they hide.
    let needed = [
      Self.segment(1, live: 5, time: 500, tombstones: 5), Self.segment(2, live: 9, time: 100),
      Self.segment(3, live: 5, time: 700, tombstones: 1),
    ]
    var policy = CompactionPolicy.automatic
    policy.deadFractionMinimum = 2
    #expect(Self.inputs(policy, needed).isEmpty)
    let useless = [
      Self.segment(4, live: 5, time: 500, tombstones: 5), Self.segment(2, live: 9, time: 100),
      Self.segment(3, live: 5, time: 700, tombstones: 5),
    ]
    policy.goal = .deadFraction(0)
    #expect(Self.inputs(policy, useless) == [3])
  }

  @Test("A goal of size does not count on tombstones going, which may be needed still")
  func sizeWithTombstones() {
    let segments = [
      Self.segment(1, live: 1, time: 100, tombstones: 6), Self.segment(2, live: 4, time: 100),
    ]
    // 2000 bytes; the first gives back 300 for certain, 600 more if nothing needs its tombstones.
    #expect(Self.inputs(.toSize(1700), segments) == [1])
    #expect(Self.inputs(.toSize(1600), segments) == [1, 2])
  }

  @Test("A full disk has whatever is dead taken, the emptiest first")
  func fullDisk() {
    let segments = [
      CompactionPolicyTests.segment(1, byteCount: 1000, live: 91, of: 100),
      CompactionPolicyTests.segment(2, byteCount: 1000, live: 90, of: 100),
    ]
    let policy = CompactionPolicy.automatic.forFullDisk
    #expect(Self.inputs(.automatic, segments).isEmpty)
    #expect(Self.inputs(policy, segments) == [2])
    #expect(Self.inputs(policy, [segments[0]]) == [1])
    #expect(CompactionPolicy.upgradesOnly.forFullDisk.deadFractionMinimum == 2)
    // Whatever size is small enough else; but not for next to nothing.
    let bySize = CompactionPolicy.toSize(10_000)
    #expect(Self.inputs(bySize, segments).isEmpty)
    #expect(Self.inputs(bySize.forFullDisk, segments) == [2, 1])
    let nearlyLive = CompactionPolicyTests.segment(3, byteCount: 1000, live: 995, of: 1000)
    #expect(Self.inputs(bySize.forFullDisk, [nearlyLive]).isEmpty)
  }

  @Test("The active segment takes part when it is about to be sealed")
  func active() {
    let active = SegmentStatistics(
      identifier: 1, isActive: true, byteCount: 1000, recordCount: 10, liveByVersion: [:])
    let policy = CompactionPolicy.everything
    #expect(policy.plan([active], targetByteCount: 1) { _ in false }.isEmpty)
    #expect(!policy.plan([active], targetByteCount: 1, includesActive: true) { _ in false }.isEmpty)
  }

  @Test("Plans and policies can be printed, written as JSON and read back")
  func serialised() throws {
    let segments = [Self.segment(1, live: 5, time: 1), Self.segment(2, live: 9, time: 50)]
    let plan = CompactionPolicy.everything.plan(segments, targetByteCount: 10_000) { _ in false }
    #expect(
      plan.description == "1. segments 1, 2: 2000 bytes, 1400 live in 14 records, 0 to upgrade")
    let bytes = try JSONEncoder().encode(plan)
    #expect(try JSONDecoder().decode(CompactionPlan.self, from: bytes) == plan)
    for policy in [
      CompactionPolicy.everything, .costBenefit, .greedy, .upgradesOnly, .toSize(7), .automatic,
    ] {
      let bytes = try JSONEncoder().encode(policy)
      #expect(try JSONDecoder().decode(CompactionPolicy.self, from: bytes) == policy)
    }
  }
}
