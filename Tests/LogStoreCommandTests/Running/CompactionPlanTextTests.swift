import ObjectStore
import Testing

@testable import LogStoreCommands

@Suite("What a dry run says would be left is what planning goes by")
struct CompactionPlanTextTests {
  /// Two segments of 1000 bytes, one with 400 live ones and 300 of tombstones; files have half as
  /// much again.
  private static let segments = [(live: 4, tombstones: 3), (live: 10, tombstones: 0)].enumerated()
    .map { number, segment in
      SegmentStatistics(
        identifier: UInt32(number + 1), byteCount: 1000, recordCount: 10,
        tombstoneCount: UInt64(segment.tombstones),
        liveByVersion: [
          CollectionVersion(collection: CollectionIdentifier(20), schemaVersion: 1): RecordTotals(
            recordCount: UInt64(segment.live), byteCount: UInt64(segment.live * 100))
        ])
    }

  private static func bytesAfter(_ policy: CompactionPolicy) -> ImportValue? {
    let plan = policy.plan(segments, targetByteCount: 1000, fileByteCount: 3000) { _ in false }
    return CompactionPlanText(
      plan: plan, byteCount: 3000, segmentByteCount: 2000,
      keepsTombstones: policy.goal != .everything, seconds: nil, typesNeedingCode: []
    ).report["bytesAfter"]
  }

  @Test("Indexes shrink with the records, and tombstones stay unless everything is compacted")
  func bytesAfter() {
    #expect(Self.bytesAfter(.everything) == .integer(2100))
    #expect(Self.bytesAfter(.toSize(2999)) == .integer(2550))
    #expect(Self.bytesAfter(.toSize(3000)) == .integer(3000))
  }
}
