/// Decides which indexes are merged next, from what was copied of a log under its lock.
///
/// Deciding compares the bounds of all indexes, which commits need not wait for. What changes
/// meanwhile is harmless: a merge works from the view that is kept here, and whatever it makes of
/// segments that compaction replaced since is not listed.
struct IndexMergePlanner {
  let view: View
  var sources: [SealedIndex.Source]
  /// How many keys are left, about, when all indexes of the store are merged.
  let neededKeyCount: UInt64
  /// Files that come later have this number or a higher one.
  let firstNewFile: UInt32
  /// Fewer keys are not merged as ranges.
  var rangeKeyCountMinimum: UInt64

  /// What is merged.
  struct Choice {
    let sources: [SealedIndex.Source]
    /// Which keys, where not all are.
    var range: RangedMerge?
  }

  /// What `goal` asks for, or the next range of `range`; nothing when there is nothing to do.
  ///
  /// Indexes whose files have the numbers `spared` are left out. Where a run of a range has keys of
  /// their segments, what is merged with it would claim to have all of these: then runs of ranges
  /// are left out with them, and none are made.
  func choice(
    _ goal: IndexMergePolicy.Goal, keyCountMaximum: UInt64, range: RangedMerge?,
    sparing spared: Set<UInt32>
  ) -> Choice? {
    guard sources.contains(where: { spared.contains($0.fileNumber) }) else {
      return choice(goal, keyCountMaximum: keyCountMaximum, range: range)
    }
    var others = self
    others.sources.removeAll { spared.contains($0.fileNumber) }
    guard hasRange(ofSegmentsOf: spared) else {
      return others.choice(goal, keyCountMaximum: keyCountMaximum, range: range)
    }
    others.sources.removeAll(where: \.isRanged)
    others.rangeKeyCountMinimum = .max
    return others.choice(goal, keyCountMaximum: keyCountMaximum, range: nil)
  }

  /// Whether a run of a range claims to have keys of a segment of those with the numbers `spared`.
  func hasRange(ofSegmentsOf spared: Set<UInt32>) -> Bool {
    if spared.isEmpty { return false }
    let segments = Set(
      sources.filter { spared.contains($0.fileNumber) }
        .flatMap { $0.segments.map(\.identifier) })
    return sources.contains { source in
      source.isRanged && source.segments.contains { segments.contains($0.identifier) }
    }
  }

  /// The same of all indexes.
  func choice(
    _ goal: IndexMergePolicy.Goal, keyCountMaximum: UInt64, range: RangedMerge?
  ) -> Choice? {
    let extents = IndexExtent.extents(of: sources)
    if let range {
      // What came since may be merged meanwhile; what was there goes with the last range.
      let new = sources.indices.filter {
        sources[$0].fileNumber >= range.firstNewFile && !sources[$0].isRanged
      }
      let plan = IndexMergePolicy.fullTiers(new.map { extents[$0] }, keyCountMaximum)
      if !plan.isEmpty { return Choice(sources: plan.map { sources[new[$0]] }) }
      // One more could not be listed, where ranges turned out to be smaller than planned.
      guard extents.count(where: \.isRanged) < LogLimits.rangedRunCount else { return nil }
      return Choice(sources: sources, range: next(range, extents))
    }
    switch IndexMergePolicy.plan(
      extents, goal: goal, neededKeyCount: neededKeyCount, keyCountMaximum: keyCountMaximum)
    {
    case .nothing: return nil
    case .some(let positions): return Choice(sources: positions.map { sources[$0] })
    case .everything:
      if let range = beginRange(extents) { return Choice(sources: sources, range: range) }
      return IndexMergePolicy.together(extents, keyCountMaximum)
        .map { positions in Choice(sources: positions.map { sources[$0] }) }
    }
  }

  /// How all of `extents` are merged range by range; nothing where they are too small for that.
  private func beginRange(_ extents: [IndexExtent]) -> RangedMerge? {
    guard neededKeyCount(of: extents) / 2 >= rangeKeyCountMinimum,
      extents.count(where: \.isRanged) <= RangedMerge.runCountMaximum
    else { return nil }
    return next(RangedMerge(lower: nil, firstNewFile: firstNewFile, keyCount: 0), extents)
  }

  /// The range with as many keys as there are reasons for now: more may have come. With too many
  /// ranges already it is the last one, if it can be.
  private func next(_ range: RangedMerge, _ extents: [IndexExtent]) -> RangedMerge {
    var range = range
    range.wholeKeyCount = neededKeyCount(of: extents)
    let share = max(
      rangeKeyCountMinimum, range.keyCount, range.wholeKeyCount / RangedMerge.rangeCount + 1)
    let isLast = extents.count(where: \.isRanged) > RangedMerge.runCountMaximum
    range.keyCount = min(isLast ? .max : share, IndexMergePolicy.keyCountMaximum)
    return range
  }

  /// How many keys are left, about, when all of `extents` are merged.
  private func neededKeyCount(of extents: [IndexExtent]) -> UInt64 {
    min(neededKeyCount, IndexMergePolicy.keyCount(of: extents))
  }
}
