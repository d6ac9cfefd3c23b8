/// Decides which indexes are merged: extents in, a plan out.
///
/// Indexes are sorted by size into tiers, each four times the one below. Four of one tier that may
/// hold the same key are merged, and with them what is smaller. So a key is written once a tier,
/// and a look-up asks at most three indexes a tier. Indexes that lie side by side, as those of
/// records written in the order of numbers do, answer together like one: a look-up passes over all
/// but one by the first bytes of their bounds. So there may be more of them before they are merged,
/// and keys are written less often. Runs of ranges lie side by side, too, and count as one index.
/// When keys of the same records stand in so many indexes that a quarter of all could go, all are
/// merged. When nothing is being written there is time for more: all become one, or two while what
/// is new is an eighth of the rest or less, so that a store that grows slowly is not written anew
/// for each segment.
enum IndexMergePolicy {
  /// Indexes of one tier that are merged when they overlap, and the ratio of the tiers.
  static let fanIn = 4
  /// Indexes of one tier that are merged in any case: bounds have to be looked at, too.
  static let fanInSideBySide = 16
  /// Keys of the largest index in the lowest tier.
  static let smallestTierKeyCount: UInt64 = 1024
  /// How many times smaller the new indexes are that an idle store leaves beside the large one.
  static let idleRatio: UInt64 = 8
  /// Keys of a merged run: at some 20 bytes each they stay far below what its places can reach.
  static let keyCountMaximum: UInt64 = 64 << 20

  /// What a plan is made for.
  enum Goal {
    /// Keep look-ups short while segments come, and indexes small.
    case steady
    /// Use the time in which nothing is written.
    case idle
    /// One index, whatever it costs.
    case single
  }

  /// What is to be merged.
  enum Plan: Equatable {
    case nothing
    /// Those at these positions, to one.
    case some([Int])
    /// All there are; as one, or a range of keys at a time.
    case everything
  }

  /// What of `extents` to merge, where `neededKeyCount` keys would do for all that they hold.
  static func plan(
    _ extents: [IndexExtent], goal: Goal, neededKeyCount: UInt64 = .max,
    keyCountMaximum: UInt64 = keyCountMaximum
  ) -> Plan {
    let ranged = extents.filter(\.isRanged)
    let single = extents.indices.filter { !extents[$0].isRanged }
    let candidates = single.map { extents[$0] } + (ranged.isEmpty ? [] : [together(ranged)])
    let sizes = candidates.map(\.keyCount)
    let ascending = ascending(sizes)
    let chosen =
      switch goal {
      case .steady: steady(candidates, ascending, neededKeyCount)
      case .idle: idle(sizes, ascending)
      case .single: ascending
      }
    guard chosen.count > 1 else { return .nothing }
    if chosen.contains(single.count) || chosen.count == candidates.count { return .everything }
    return fitting(chosen, sizes, keyCountMaximum).map { .some($0.map { single[$0] }) } ?? .nothing
  }

  /// The positions of those that fill a tier, and of what is smaller.
  static func fullTiers(_ extents: [IndexExtent], _ keyCountMaximum: UInt64) -> [Int] {
    let sizes = extents.map(\.keyCount)
    return fitting(steady(extents, ascending(sizes), .max), sizes, keyCountMaximum) ?? []
  }

  /// The tier of an index with `keyCount` keys.
  static func tier(_ keyCount: UInt64) -> Int {
    let units = keyCount / smallestTierKeyCount
    return units == 0 ? 0 : (UInt64.bitWidth - units.leadingZeroBitCount + 1) / 2
  }

  /// The positions of what one run can hold of all: runs of ranges are among them together, or
  /// not at all, because a run that has only some of them has not all keys of their segments.
  static func together(_ extents: [IndexExtent], _ keyCountMaximum: UInt64) -> [Int]? {
    if keyCount(of: extents) <= keyCountMaximum { return Array(extents.indices) }
    let single = extents.indices.filter { !extents[$0].isRanged }
    let sizes = single.map { extents[$0].keyCount }
    return fitting(ascending(sizes), sizes, keyCountMaximum).map { $0.map { single[$0] } }
  }

  /// The keys of all, those that stand in several counted more than once.
  static func keyCount(of extents: [IndexExtent]) -> UInt64 {
    extents.reduce(0) { sum($0, $1.keyCount) }
  }

  /// Those of `chosen`, which ascend by size, that one run can hold; nothing when that is one.
  static func fitting(_ chosen: [Int], _ sizes: [UInt64], _ keyCountMaximum: UInt64) -> [Int]? {
    var total: UInt64 = 0
    let fitting = chosen.prefix { position in
      total = sum(total, sizes[position])
      return total <= keyCountMaximum
    }
    return fitting.count > 1 ? Array(fitting) : nil
  }

  /// The positions of `sizes`, the smallest first.
  private static func ascending(_ sizes: [UInt64]) -> [Int] {
    sizes.indices.sorted { (sizes[$0], $0) < (sizes[$1], $1) }
  }

  /// Runs of ranges as the one index that they are together.
  private static func together(_ extents: [IndexExtent]) -> IndexExtent {
    let spans = extents.compactMap(\.span)
    let span = spans.dropFirst().reduce(spans.first) { whole, span in
      whole.map { min($0.lowerBound, span.lowerBound)...max($0.upperBound, span.upperBound) }
    }
    return IndexExtent(
      keyCount: keyCount(of: extents),
      span: spans.count == extents.count ? span : nil, isRanged: true)
  }

  private static func steady(
    _ extents: [IndexExtent], _ ascending: [Int], _ neededKeyCount: UInt64
  ) -> [Int] {
    // What is left of nothing has no keys: merging such alone makes no run, for ever.
    let tiers = Dictionary(grouping: extents.filter { $0.keyCount > 0 }) { tier($0.keyCount) }
    if let full = tiers.filter({ isFull($0.value) }).keys.min() {
      return ascending.filter { tier(extents[$0].keyCount) <= full }
    }
    return isMostlyNeeded(extents, neededKeyCount) ? [] : ascending
  }

  private static func isFull(_ extents: [IndexExtent]) -> Bool {
    guard extents.count >= fanIn else { return false }
    return extents.count >= fanInSideBySide || IndexExtent.depth(of: extents) >= fanIn
  }

  /// False where merging all of them would leave three quarters of their keys or less, as far as
  /// can be told, and what came since the largest was written is a quarter of it.
  private static func isMostlyNeeded(_ extents: [IndexExtent], _ neededKeyCount: UInt64) -> Bool {
    let total = keyCount(of: extents)
    let largest = extents.reduce(0) { max($0, $1.keyCount) }
    return total / 4 * 3 < neededKeyCount || total - largest < largest / 4
  }

  private static func idle(_ sizes: [UInt64], _ ascending: [Int]) -> [Int] {
    guard let largest = ascending.last else { return [] }
    let rest = ascending.dropLast()
    let total = rest.reduce(UInt64(0)) { sum($0, sizes[$1]) }
    return total >= sizes[largest] / idleRatio ? ascending : Array(rest)
  }

  private static func sum(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let (sum, overflow) = left.addingReportingOverflow(right)
    return overflow ? .max : sum
  }
}
