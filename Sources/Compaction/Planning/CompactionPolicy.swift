public import LogStore

/// Decides which segments are worth rewriting; pure arithmetic on statistics, without I/O.
public struct CompactionPolicy: Sendable, Equatable {
  /// The part of a segment's records that must be dead before it is rewritten for space, 0 to 1.
  public var deadFractionMinimum: Double
  /// The part of a segment's records that must be tombstones before it is rewritten for them.
  ///
  /// Above zero, so that the few which a filter's false answer keeps do not cost a rewrite each
  /// time.
  public var tombstoneFractionMinimum: Double
  /// Whether a segment is rewritten because it holds records of old schema versions.
  public var upgrades: Bool
  /// Whether segments below a quarter of the target size are merged.
  public var mergesSmallSegments: Bool

  /// Everything that dead records, tombstones or old versions make worth it; for `compact`.
  public static let everything = CompactionPolicy(
    deadFractionMinimum: 0, tombstoneFractionMinimum: 0.02, upgrades: true,
    mergesSmallSegments: true)

  /// A policy made of its thresholds.
  public init(
    deadFractionMinimum: Double, tombstoneFractionMinimum: Double, upgrades: Bool,
    mergesSmallSegments: Bool
  ) {
    self.deadFractionMinimum = deadFractionMinimum
    self.tombstoneFractionMinimum = tombstoneFractionMinimum
    self.upgrades = upgrades
    self.mergesSmallSegments = mergesSmallSegments
  }

  /// The plan for a store; `isStale` says of which collections and versions records are upgraded.
  ///
  /// Segments are taken oldest first, so that a tombstone's turn comes after what it hides is gone,
  /// and grouped so that each step's output is about one segment: that bounds the extra disk.
  public func plan(
    _ statistics: LogStatistics, isStale: (CollectionVersion) -> Bool
  ) -> CompactionPlan {
    plan(
      statistics.segments, targetByteCount: statistics.segmentByteCountTarget, isStale: isStale)
  }

  /// The plan for segments of which those written out have about `targetByteCount` bytes.
  public func plan(
    _ segments: [SegmentStatistics], targetByteCount: UInt64,
    isStale: (CollectionVersion) -> Bool
  ) -> CompactionPlan {
    let sealed = segments.filter { !$0.isActive }
    // What holds the catalog alone is left: the copies of dictionaries lie apart, and would be
    // merged for ever.
    let small = sealed.filter { segment in
      segment.byteCount < targetByteCount / 4
        && !segment.liveByVersion.keys.allSatisfy(\.collection.isReserved)
    }
    let merged = mergesSmallSegments && small.count > 1 ? Set(small.map(\.identifier)) : []
    let chosen = sealed.filter {
      merged.contains($0.identifier) || isWorthRewriting($0, isStale: isStale)
    }
    let ordered = chosen.sorted {
      ($0.minimumSequence, $0.identifier) < ($1.minimumSequence, $1.identifier)
    }
    var steps: [CompactionPlan.Step] = []
    var group: [SegmentStatistics] = []
    var size: UInt64 = 0
    for segment in ordered {
      if !group.isEmpty, size + segment.live.byteCount > targetByteCount {
        steps.append(Self.step(group, isStale: isStale))
        group = []
        size = 0
      }
      group.append(segment)
      size += segment.live.byteCount
    }
    if !group.isEmpty { steps.append(Self.step(group, isStale: isStale)) }
    return CompactionPlan(steps: steps)
  }

  private func isWorthRewriting(
    _ segment: SegmentStatistics, isStale: (CollectionVersion) -> Bool
  ) -> Bool {
    let records = Double(segment.recordCount)
    let deadCount = segment.deadRecordCount
    if deadCount > 0, Double(deadCount) >= records * deadFractionMinimum { return true }
    if segment.tombstoneCount > 0,
      Double(segment.tombstoneCount) >= records * tombstoneFractionMinimum
    {
      return true
    }
    return upgrades && segment.liveByVersion.contains { isStale($0.key) }
  }

  private static func step(
    _ group: [SegmentStatistics], isStale: (CollectionVersion) -> Bool
  ) -> CompactionPlan.Step {
    var staleCount: UInt64 = 0
    for segment in group {
      for (version, totals) in segment.liveByVersion where isStale(version) {
        staleCount += totals.recordCount
      }
    }
    return CompactionPlan.Step(
      inputs: group.map(\.identifier), inputByteCount: group.reduce(0) { $0 + $1.byteCount },
      liveByteCount: group.reduce(0) { $0 + $1.live.byteCount },
      liveRecordCount: group.reduce(0) { $0 + $1.live.recordCount }, staleRecordCount: staleCount)
  }
}
