/// Decides which segments are worth rewriting, in which order, and how far: a value.
///
/// Planning is pure arithmetic on statistics, without I/O: see ``plan(_:includesActive:isStale:)``.
/// Output never goes to the segments that commits fill: fresh records and those that survived a
/// compaction die at different times, and mixing them doubles what is written where a part of the
/// keys is hot.
public struct CompactionPolicy: Sendable, Hashable, Codable {
  /// What comes first.
  public var order = CompactionOrder.costBenefit
  /// When it is enough.
  public var goal = CompactionGoal.everything
  /// The part of a segment's records, or of their bytes, that must be dead before it is rewritten
  /// for space, 0 to 1; above 1 for never.
  public var deadFractionMinimum = 0.0
  /// The part of a segment's records that must be tombstones before it is rewritten for them; above
  /// 1 for never.
  ///
  /// Above zero, so that a few, which may be needed still, do not cost a rewrite each time.
  public var tombstoneFractionMinimum = 0.02
  /// Whether a segment is rewritten because it holds records of old schema versions.
  ///
  /// Records of old versions in segments that are rewritten for another reason are upgraded anyway.
  public var upgrades = true
  /// How many segments below a quarter of the target size are needed before they are merged.
  public var smallSegmentCountMinimum = 2
  /// The most steps of one plan.
  public var stepCountMaximum = Int.max

  /// The policy that rewrites whatever is not wholly live and current, best first.
  public init() {}

  /// Everything that dead records, tombstones or old versions make worth it, oldest first; for
  /// `compact`.
  public static var everything: CompactionPolicy {
    var policy = CompactionPolicy()
    policy.order = .age
    return policy
  }

  /// The same, but the best first: what is stopped early has given most for its time.
  public static var costBenefit: CompactionPolicy { CompactionPolicy() }

  /// The same, but the segments with the least to copy first.
  public static var greedy: CompactionPolicy {
    var policy = CompactionPolicy()
    policy.order = .greedy
    return policy
  }

  /// Only what holds records of old schema versions; dead records beside them go too.
  public static var upgradesOnly: CompactionPolicy {
    var policy = CompactionPolicy()
    policy.order = .age
    policy.deadFractionMinimum = 2
    policy.tombstoneFractionMinimum = 2
    policy.smallSegmentCountMinimum = .max
    return policy
  }

  /// The least writing that brings the files of the store down to about `byteCount` bytes.
  public static func toSize(_ byteCount: UInt64) -> CompactionPolicy {
    var policy = CompactionPolicy.greedy
    policy.goal = .byteCount(byteCount)
    policy.upgrades = false
    policy.smallSegmentCountMinimum = .max
    return policy
  }

  /// The same for a full disk: whatever is dead goes, what needs the least room first; but no
  /// segment for less than a sixty-fourth of it, or each deletion would cost one.
  package var forFullDisk: CompactionPolicy {
    var policy = self
    if goal != .everything { policy.goal = .deadFraction(0) }
    if deadFractionMinimum <= 1 {
      policy.deadFractionMinimum = min(deadFractionMinimum, 1.0 / 64)
      // Its goal of size is what kept it from taking segments for a single record.
      if case .byteCount = goal { policy.deadFractionMinimum = 1.0 / 64 }
    }
    policy.order = .greedy
    return policy
  }

  /// What an open store does by itself: a step at a time, until at most a fifth of it is dead, and
  /// nothing is of an older version.
  public static var automatic: CompactionPolicy {
    var policy = CompactionPolicy()
    policy.goal = .deadFraction(0.2)
    policy.deadFractionMinimum = 0.1
    policy.tombstoneFractionMinimum = 0.1
    policy.smallSegmentCountMinimum = 16
    policy.stepCountMaximum = 1
    return policy
  }
}
