public import LogStore

extension CompactionPolicy {
  /// The plan for a store; `isStale` says of which collections and versions records are upgraded.
  ///
  /// Each step's output is about one segment: that bounds the extra disk. With `includesActive` the
  /// active segment is taken as sealed already, as it will be when the plan is carried out.
  public func plan(
    _ statistics: LogStatistics, includesActive: Bool = false,
    isStale: (CollectionVersion) -> Bool
  ) -> CompactionPlan {
    plan(
      statistics.segments, targetByteCount: statistics.segmentByteCountTarget,
      fileByteCount: statistics.fileByteCount, includesActive: includesActive, isStale: isStale)
  }

  /// The plan for segments of which those written out have about `targetByteCount` bytes.
  ///
  /// `fileByteCount` is what all files of the store take, with their indexes; the segments' bytes
  /// when it is not given.
  public func plan(
    _ segments: [SegmentStatistics], targetByteCount: UInt64, fileByteCount: UInt64? = nil,
    includesActive: Bool = false, isStale: (CollectionVersion) -> Bool
  ) -> CompactionPlan {
    plan(
      segments, targetByteCount: targetByteCount, fileByteCount: fileByteCount,
      includesActive: includesActive, sparing: SparedSegments(), isStale: isStale)
  }

  /// The same for all segments of a log of which some are `spared`: what is dead in those that
  /// cannot be read still needs its tombstones, but nothing can be gained there, nor by upgrading
  /// records that were tried.
  package func plan(
    _ segments: [SegmentStatistics], targetByteCount: UInt64, fileByteCount: UInt64? = nil,
    includesActive: Bool = false, sparing spared: SparedSegments,
    isStale: (CollectionVersion) -> Bool
  ) -> CompactionPlan {
    let readable = segments.filter { !spared.unreadable.contains($0.identifier) }
    let sealed = readable.filter { includesActive ? $0.recordCount > 0 : !$0.isActive }
    let small = sealed.filter { $0.byteCount < targetByteCount / 4 && Self.mayBeMerged($0) }
    let merges = small.count > 1 && small.count >= smallSegmentCountMinimum
    let merged = merges ? Set(small.map(\.identifier)) : []
    let newest = segments.reduce(CommitSequence.zero) { max($0, $1.maximumSequence) }
    let dropsTombstones = mayDropTombstones(of: sealed, all: segments)
    let candidates =
      sealed
      .compactMap { segment -> Candidate? in
        if spared.withoutRoom.contains(segment.identifier) { return nil }
        let isTried = spared.tried.contains(segment.identifier)
        var candidate = Candidate(segment, order: order, newest: newest) { version in
          (!isTried || spared.triesAgain) && isStale(version)
        }
        let holdsNeeded = spared.needsTombstones(segment.identifier)
        if isWorthRewriting(candidate, holdsNeededTombstones: holdsNeeded) {
          if isTried, spared.triesAgain { candidate.waits() }
          return candidate
        }
        if dropsTombstones, hasManyTombstones(segment), !holdsNeeded {
          if goal != .everything { candidate.waits() }
          return candidate
        }
        candidate.isOnlySmall = true
        return merged.contains(segment.identifier) ? candidate : nil
      }
      .sorted { $0.precedes($1) }
    let chosen = enough(
      of: candidates, merged: merged, segments: readable, fileByteCount: fileByteCount)
    return CompactionPlan(steps: steps(chosen, targetByteCount: targetByteCount))
  }

  /// Whether merging a small segment with others makes fewer.
  ///
  /// Not where the catalog alone is left: copies of dictionaries lie apart, and would be merged for
  /// ever. Nor what nothing is left of. Tombstones alone are merged: each run of an app that
  /// deletes something leaves some.
  private static func mayBeMerged(_ segment: SegmentStatistics) -> Bool {
    if segment.recordCount == 0 || segment.tombstoneCount > 0 && segment.live.recordCount == 0 {
      return true
    }
    return !segment.liveVersions.allSatisfy(\.version.collection.isReserved)
  }

  /// A segment that may be rewritten, with what the choice depends on.
  private struct Candidate {
    let segment: SegmentStatistics
    let staleRecordCount: UInt64
    private(set) var score: Double
    /// Whether it is to be rewritten for nothing but to be merged with others.
    var isOnlySmall = false

    init(
      _ segment: SegmentStatistics, order: CompactionOrder, newest: CommitSequence,
      isStale: (CollectionVersion) -> Bool
    ) {
      self.segment = segment
      var stale = RecordTotals()
      for (version, totals) in segment.liveVersions where isStale(version) { stale.add(totals) }
      staleRecordCount = stale.recordCount
      let fraction =
        segment.byteCount == 0 ? 0 : Double(stale.byteCount) / Double(segment.byteCount)
      score = order.score(segment, newest: newest, staleFraction: min(1, fraction))
    }

    /// Comes after all others, those first that were written longest ago.
    mutating func waits() { score = -.infinity }

    /// Equal scores go by age, so that the same statistics give the same plan.
    func precedes(_ other: Candidate) -> Bool {
      if score != other.score { return score > other.score }
      if score == -.infinity { return segment.identifier < other.segment.identifier }
      return (segment.minimumSequence, segment.identifier)
        < (other.segment.minimumSequence, other.segment.identifier)
    }
  }

  /// The candidates that the goal asks for.
  private func enough(
    of candidates: [Candidate], merged: Set<SegmentIdentifier>, segments: [SegmentStatistics],
    fileByteCount: UInt64?
  ) -> [Candidate] {
    let total = segments.reduce(0) { $0 + $1.byteCount }
    let live = segments.reduce(0) { $0 + $1.live.byteCount }
    // Indexes shrink with the records that they are of.
    let scale = total == 0 ? 1 : Double(fileByteCount ?? total) / Double(total)
    var left = total
    return candidates.filter { candidate in
      let segment = candidate.segment
      let size = UInt64(Double(left) * scale)
      let isEnough = goal.isReached(
        byteCount: size, liveByteCount: UInt64(Double(min(live, left)) * scale))
      let isFree = segment.live.recordCount == 0 && segment.tombstoneCount == 0
      guard
        !isEnough || isFree || segment.hasRebuiltIndex || merged.contains(segment.identifier)
          || (upgrades && candidate.staleRecordCount > 0)
      else { return false }
      // Tombstones may be needed still.
      left -= min(left, segment.deadByteCount)
      return true
    }
  }

  private func steps(_ chosen: [Candidate], targetByteCount: UInt64) -> [CompactionPlan.Step] {
    var groups: [[Candidate]] = []
    var size: UInt64 = 0
    for candidate in chosen {
      // Who rewrites everything, the oldest first, is left with next to no tombstones.
      let tombstones = goal == .everything ? 0 : candidate.segment.tombstoneByteCount
      let byteCount = candidate.segment.live.byteCount + tombstones
      if !groups.isEmpty, size + byteCount <= targetByteCount {
        groups[groups.count - 1].append(candidate)
        size += byteCount
      } else {
        groups.append([candidate])
        size = byteCount
      }
    }
    // Rewriting a small segment alone would give a small segment.
    let useful = groups.filter { $0.count > 1 || !$0[0].isOnlySmall }
    return useful.prefix(max(0, stepCountMaximum)).map { Self.step($0) }
  }

  private func isWorthRewriting(
    _ candidate: Candidate, holdsNeededTombstones: Bool
  ) -> Bool {
    let segment = candidate.segment
    if segment.hasRebuiltIndex { return true }
    if segment.deadRecordCount > 0 {
      // Whichever is more: a few records may be most of the bytes.
      let records = Double(segment.deadRecordCount) / Double(segment.recordCount)
      if records >= deadFractionMinimum { return true }
      let dead = segment.largeDeadByteCount(holdsNeededTombstones: holdsNeededTombstones)
      let bytes = Double(dead) / Double(max(segment.byteCount, 1))
      if bytes >= deadFractionMinimum { return true }
    }
    return upgrades && candidate.staleRecordCount > 0
  }

  private func hasManyTombstones(_ segment: SegmentStatistics) -> Bool {
    segment.tombstoneCount > 0
      && Double(segment.tombstoneCount) >= Double(segment.recordCount) * tombstoneFractionMinimum
  }

  /// Whether rewriting segments for their tombstones alone can make headway.
  ///
  /// A tombstone is needed while a dead record of its key lies somewhere, so of T tombstones in
  /// segments with many, over D dead records, at least T − D are not. A policy that is asked again
  /// and again must not move the needed ones around for ever: it waits until half of them can go,
  /// and takes segments in turn.
  private func mayDropTombstones(
    of sealed: [SegmentStatistics], all segments: [SegmentStatistics]
  ) -> Bool {
    if goal == .everything { return true }
    let tombstones = sealed.filter(hasManyTombstones).reduce(0) { $0 + $1.tombstoneCount }
    let dead = segments.reduce(0) { $0 + $1.deadRecordCount }
    return tombstones / 2 >= dead
  }

  private static func step(_ group: [Candidate]) -> CompactionPlan.Step {
    let segments = group.map(\.segment)
    return CompactionPlan.Step(
      inputs: segments.map(\.identifier), inputByteCount: segments.reduce(0) { $0 + $1.byteCount },
      liveByteCount: segments.reduce(0) { $0 + $1.live.byteCount },
      liveRecordCount: segments.reduce(0) { $0 + $1.live.recordCount },
      staleRecordCount: group.reduce(0) { $0 + $1.staleRecordCount },
      tombstoneCount: segments.reduce(0) { $0 + $1.tombstoneCount },
      tombstoneByteCount: segments.reduce(0) { $0 + $1.tombstoneByteCount })
  }
}
