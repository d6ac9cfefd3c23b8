/// Decides which indexes are merged: extents in, a plan out.
///
/// Indexes are sorted by size into tiers, each four times the one below. Four of one tier that may
/// hold the same key are merged, and with them what is smaller. So a key is written once a tier,
/// and a look-up asks at most three indexes a tier. Indexes that lie side by side, as those of
/// records written in the order of numbers do, answer together like one: a look-up passes over all
/// but one by the first bytes of their bounds. So there may be more of them before they are merged,
/// and keys are written less often. When nothing is being written there is time for more: all
/// become one, or two while what is new is an eighth of the rest or less, so that a store that
/// grows slowly is not written anew for each segment.
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
    /// Keep look-ups short while segments come.
    case steady
    /// Use the time in which nothing is written.
    case idle
    /// One index, whatever it costs.
    case single
  }

  /// The positions in `extents` of the indexes to merge; empty when there is nothing to do.
  static func plan(
    _ extents: [IndexExtent], goal: Goal, keyCountMaximum: UInt64 = keyCountMaximum
  ) -> [Int] {
    let sizes = extents.map(\.keyCount)
    let ascending = sizes.indices.sorted { (sizes[$0], $0) < (sizes[$1], $1) }
    let chosen =
      switch goal {
      case .steady: steady(extents, ascending)
      case .idle: idle(sizes, ascending)
      case .single: ascending
      }
    // What is too large for one run stays as it is.
    var total: UInt64 = 0
    let fitting = chosen.prefix { position in
      let (sum, overflow) = total.addingReportingOverflow(sizes[position])
      total = sum
      return !overflow && sum <= keyCountMaximum
    }
    return fitting.count > 1 ? Array(fitting) : []
  }

  /// The tier of an index with `keyCount` keys.
  static func tier(_ keyCount: UInt64) -> Int {
    let units = keyCount / smallestTierKeyCount
    return units == 0 ? 0 : (UInt64.bitWidth - units.leadingZeroBitCount + 1) / 2
  }

  private static func steady(_ extents: [IndexExtent], _ ascending: [Int]) -> [Int] {
    let tiers = Dictionary(grouping: extents) { tier($0.keyCount) }
    guard let full = tiers.filter({ isFull($0.value) }).keys.min() else { return [] }
    return ascending.filter { tier(extents[$0].keyCount) <= full }
  }

  private static func isFull(_ extents: [IndexExtent]) -> Bool {
    guard extents.count >= fanIn else { return false }
    return extents.count >= fanInSideBySide || IndexExtent.depth(of: extents) >= fanIn
  }

  private static func idle(_ sizes: [UInt64], _ ascending: [Int]) -> [Int] {
    guard let largest = ascending.last else { return [] }
    let rest = ascending.dropLast()
    let total = rest.reduce(UInt64(0)) { $0.addingReportingOverflow(sizes[$1]).partialValue }
    return total >= sizes[largest] / idleRatio ? ascending : Array(rest)
  }
}
