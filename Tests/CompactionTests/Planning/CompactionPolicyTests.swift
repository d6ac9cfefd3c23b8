import LogStore
import Testing

@testable import Compaction

/// Planning needs no directory: statistics in, plan out.
@Suite struct CompactionPolicyTests {
  static let people = CollectionIdentifier(1)

  static func segment(
    _ number: UInt32, byteCount: UInt64, live: UInt64, of records: UInt64, tombstones: UInt64 = 0,
    version: UInt64 = 1, isActive: Bool = false
  ) -> SegmentStatistics {
    let bytes = records == 0 ? 0 : byteCount * live / records
    let totals = RecordTotals(recordCount: live, byteCount: bytes)
    return SegmentStatistics(
      identifier: number, isActive: isActive, byteCount: byteCount, recordCount: records,
      tombstoneCount: tombstones, minimumSequence: UInt64(number) * 1000,
      maximumSequence: UInt64(number) * 1000 + 999,
      liveByVersion: live == 0
        ? [:] : [CollectionVersion(collection: people, schemaVersion: version): totals])
  }

  static func inputs(
    _ segments: [SegmentStatistics], target: UInt64 = 1000,
    isStale: (CollectionVersion) -> Bool = { _ in false }
  ) -> [[UInt32]] {
    CompactionPolicy.everything.plan(segments, targetByteCount: target, isStale: isStale)
      .steps.map { $0.inputs.map(\.rawValue) }
  }

  @Test("A policy of fewer than no steps plans none", arguments: [0, -1, Int.min])
  func noSteps(count: Int) {
    var policy = CompactionPolicy.everything
    policy.stepCountMaximum = count
    let dead = Self.segment(1, byteCount: 1000, live: 1, of: 10)
    #expect(policy.plan([dead], targetByteCount: 1000) { _ in false }.steps.isEmpty)
  }

  @Test func nothingIsPlannedForAStoreThatIsAllLiveAndCurrent() {
    #expect(
      Self.inputs([
        Self.segment(1, byteCount: 1000, live: 10, of: 10),
        Self.segment(2, byteCount: 1000, live: 10, of: 10),
      ]).isEmpty)
  }

  @Test func deadRecordsAndTombstonesAreWorthIt() {
    #expect(
      Self.inputs([
        Self.segment(1, byteCount: 1000, live: 9, of: 10),
        Self.segment(2, byteCount: 1000, live: 10, of: 10),
        Self.segment(3, byteCount: 1000, live: 9, of: 10, tombstones: 1),
      ]) == [[1], [3]])
  }

  /// Large records of which `dead` are dead, among `small` live ones of 100 bytes.
  private static func mixed(
    dead: UInt64, small: UInt64, tombstones: UInt64 = 0
  ) -> SegmentStatistics {
    let totals = RecordTotals(recordCount: small, byteCount: small * 100)
    return SegmentStatistics(
      identifier: 1, byteCount: dead << 20 + (small + tombstones) * 100,
      recordCount: dead + small + tombstones, tombstoneCount: tombstones,
      liveByVersion: [CollectionVersion(collection: people, schemaVersion: 1): totals])
  }

  @Test("A few dead records that are most of the bytes are worth it, live ones and tombstones not")
  func bytesCountToo() {
    func isWorthIt(_ segment: SegmentStatistics) -> Bool {
      var policy = CompactionPolicy.automatic
      policy.tombstoneFractionMinimum = 2
      return !policy.plan([segment], targetByteCount: 64 << 20) { _ in false }.isEmpty
    }
    #expect(isWorthIt(Self.mixed(dead: 64, small: 1280)))
    #expect(isWorthIt(Self.mixed(dead: 1, small: 12_800)))
    #expect(isWorthIt(Self.mixed(dead: 64, small: 1280, tombstones: 1280)))
    #expect(!isWorthIt(Self.mixed(dead: 0, small: 1280, tombstones: 64)))
    #expect(!isWorthIt(Self.mixed(dead: 1, small: 128_000)))
  }

  @Test("Tombstones are taken for no larger than they can be, however large what died with them")
  func tombstonesBesideLargeRecords() {
    let live = [
      CollectionVersion(collection: Self.people, schemaVersion: 1): RecordTotals(
        recordCount: 10, byteCount: 10 << 20)
    ]
    let segment = SegmentStatistics(
      identifier: 1, byteCount: 15 << 20, recordCount: 215, tombstoneCount: 200,
      liveByVersion: live)
    #expect(segment.tombstoneByteCount <= 1 << 20)
    #expect(
      !CompactionPolicy.automatic.plan([segment], targetByteCount: 64 << 20) { _ in false }.isEmpty)
    // Those that are needed still may all be as long as keys can be.
    #expect(segment.largeDeadByteCount(holdsNeededTombstones: true) >= 4 << 20)
    let emptied = SegmentStatistics(
      identifier: 1, byteCount: 1 << 20, recordCount: 1000, tombstoneCount: 1000,
      liveByVersion: [:])
    #expect(emptied.largeDeadByteCount(holdsNeededTombstones: true) == 0)
    let impossible = SegmentStatistics(
      identifier: 1, byteCount: .max, recordCount: .max, tombstoneCount: .max, liveByVersion: live)
    #expect(impossible.largeDeadByteCount(holdsNeededTombstones: true) == 0)
  }

  @Test("What frames and sequences take beside small records is no debt that comes back for ever")
  func smallRecordsAreCounted() {
    func segment(dead: UInt64) -> SegmentStatistics {
      let count: UInt64 = 100_000
      let live = RecordTotals(recordCount: count - dead, byteCount: (count - dead) * 27)
      return SegmentStatistics(
        identifier: 1, byteCount: count * 31, recordCount: count, tombstoneCount: 0,
        liveByVersion: [CollectionVersion(collection: Self.people, schemaVersion: 1): live])
    }
    func isWorthIt(_ segment: SegmentStatistics) -> Bool {
      var policy = CompactionPolicy.automatic
      policy.goal = .deadFraction(0)
      return !policy.plan([segment], targetByteCount: 64 << 20) { _ in false }.isEmpty
    }
    #expect(!isWorthIt(segment(dead: 1)))
    #expect(!isWorthIt(segment(dead: 5_000)))
    #expect(isWorthIt(segment(dead: 20_000)))
  }

  @Test func aFewTombstonesAloneAreNot() {
    #expect(
      Self.inputs([Self.segment(1, byteCount: 1000, live: 999, of: 1000, tombstones: 1)]).isEmpty)
  }

  @Test func oldVersionsAreWorthIt() {
    let segments = [
      Self.segment(1, byteCount: 1000, live: 10, of: 10, version: 0),
      Self.segment(2, byteCount: 1000, live: 10, of: 10, version: 1),
    ]
    #expect(Self.inputs(segments) { $0.schemaVersion == 0 } == [[1]])
    let plan = CompactionPolicy.everything.plan(segments, targetByteCount: 1000) {
      $0.schemaVersion == 0
    }
    #expect(plan.staleRecordCount == 10)
    #expect(plan.liveRecordCount == 10)
  }

  @Test func theActiveSegmentIsNeverRewritten() {
    #expect(
      Self.inputs([Self.segment(1, byteCount: 1000, live: 1, of: 10, isActive: true)]).isEmpty)
  }

  @Test func smallSegmentsAreMergedUnlessThereIsOne() {
    let small = (UInt32(1)...5).map { Self.segment($0, byteCount: 200, live: 10, of: 10) }
    #expect(Self.inputs(small) == [[1, 2, 3, 4, 5]])
    #expect(Self.inputs([small[0]]).isEmpty)
  }

  @Test func aStepsOutputIsAboutOneSegmentSoThatExtraDiskIsBounded() {
    let half = (UInt32(1)...6).map { Self.segment($0, byteCount: 1000, live: 5, of: 10) }
    #expect(Self.inputs(half) == [[1, 2], [3, 4], [5, 6]])
  }

  @Test func olderSegmentsComeFirstWhateverTheirNumbers() {
    let old = SegmentStatistics(
      identifier: 9, stream: .compaction, byteCount: 1000, recordCount: 10, minimumSequence: 1,
      maximumSequence: 50,
      liveByVersion: [
        CollectionVersion(collection: Self.people, schemaVersion: 1): RecordTotals(
          recordCount: 5, byteCount: 900)
      ])
    let new = Self.segment(3, byteCount: 1000, live: 5, of: 10)
    #expect(Self.inputs([new, old]) == [[9], [3]])
  }

  @Test("Small segments that hold tombstones alone are merged like others, once there are enough")
  func smallTombstones() {
    let base = Self.segment(1, byteCount: 1_000_000, live: 9_984, of: 10_000)
    let small = (UInt32(2)...17).map {
      Self.segment($0, byteCount: 100, live: 0, of: 1, tombstones: 1)
    }
    func inputs(_ segments: [SegmentStatistics]) -> [Int] {
      CompactionPolicy.automatic.plan(segments, targetByteCount: 1_000_000) { _ in false }
        .steps.map(\.inputs.count)
    }
    #expect(inputs([base] + small) == [16])
    #expect(inputs([base] + small.dropLast()) == [])
    // What they became waits for others.
    #expect(
      inputs([base, Self.segment(18, byteCount: 1600, live: 0, of: 16, tombstones: 16)]) == [])
  }

  @Test("A segment whose index was found damaged is written anew, whatever is dead in it")
  func rebuiltIndex() {
    let segments = [false, true, false].enumerated().map { number, isRebuilt in
      SegmentStatistics(
        identifier: UInt32(number + 1), byteCount: 1000, recordCount: 10,
        liveByVersion: [
          CollectionVersion(collection: Self.people, schemaVersion: 1): RecordTotals(
            recordCount: 10, byteCount: 1000)
        ], hasRebuiltIndex: isRebuilt)
    }
    for policy in [CompactionPolicy.automatic, .everything] {
      let plan = policy.plan(segments, targetByteCount: 1000) { _ in false }
      #expect(plan.steps.flatMap(\.inputs).map(\.rawValue) == [2])
    }
  }
}
