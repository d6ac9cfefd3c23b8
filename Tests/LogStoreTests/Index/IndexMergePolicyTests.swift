import StorageTestSupport
import Testing

@testable import LogStore

/// The plan of index merges, without any index.
@Suite struct IndexMergePolicyTests {
  @Test("Tiers begin at 1024 keys and grow fourfold")
  func tiersGrowFourfold() {
    let tiers = [0, 1023, 1024, 4095, 4096, 16_383, 16_384, 1 << 20].map {
      IndexMergePolicy.tier($0)
    }
    #expect(tiers == [0, 0, 1, 1, 2, 2, 3, 6])
    #expect(IndexMergePolicy.tier(.max) > 20)
  }

  @Test("Nothing is merged below four of a tier, and with four what is smaller too")
  func fourOfATierAreMerged() {
    #expect(IndexMergePolicy.plan(sizes: [9000, 9000, 9000, 500], goal: .steady).isEmpty)
    let plan = IndexMergePolicy.plan(sizes: [90_000, 9000, 500, 8000, 7000, 6000], goal: .steady)
    #expect(plan.sorted() == [1, 2, 3, 4, 5])
  }

  @Test("Indexes without keys keep nobody else from being merged")
  func emptyIndexes() {
    let sizes: [UInt64] = [0, 0, 0, 0, 9000, 9000, 9000, 9000]
    #expect(IndexMergePolicy.plan(sizes: sizes, goal: .steady).sorted() == Array(0..<8))
    #expect(IndexMergePolicy.plan(sizes: [0, 0, 0, 0, 9000], goal: .steady).isEmpty)
  }

  @Test("Four of a tier that lie side by side are left, until there are sixteen")
  func indexesSideBySideAreLeft() {
    let sideBySide = (0..<15).map { IndexExtent(keyCount: 9000, span: 2 * $0...2 * $0 + 1) }
    #expect(IndexMergePolicy.plan(sideBySide, goal: .steady) == .nothing)
    let next = IndexExtent(keyCount: 9000, span: 30...31)
    #expect(IndexMergePolicy.plan(sideBySide + [next], goal: .steady) == .everything)
    // Three that lie over all of these, and three that do.
    let over = IndexExtent(keyCount: 9000, span: 0...40)
    let six = Array(sideBySide.prefix(3))
    #expect(IndexMergePolicy.plan(six + [over, over], goal: .steady) == .nothing)
    #expect(IndexMergePolicy.plan(six + [over, over, over], goal: .steady) == .everything)
    // One of which nothing is known may hold any key.
    let unknown = IndexExtent(keyCount: 9000)
    #expect(IndexMergePolicy.plan(six + [over, over, unknown], goal: .steady) == .everything)
  }

  @Test("The depth of extents is how many may hold the same key, counted key by key")
  func depthIsCounted() {
    for seed in UInt64(1)...200 {
      var generator = SeededGenerator(seed: seed)
      let extents = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
        let first = Int.random(in: 0...20, using: &generator)
        let last = Int.random(in: first...20, using: &generator)
        let isKnown = Int.random(in: 0..<6, using: &generator) > 0
        return IndexExtent(keyCount: 1, span: isKnown ? first...last : nil)
      }
      let counted = (0...20).map { key in
        extents.count { $0.span?.contains(key) ?? true }
      }
      if IndexExtent.depth(of: extents) != counted.max() { Issue.record("seed \(seed)") }
    }
  }

  @Test("An idle store ends in one index, or in two while the new part is small")
  func idleStoresEndInFew() {
    #expect(IndexMergePolicy.plan(sizes: [80_000, 9000, 1001], goal: .idle).sorted() == [0, 1, 2])
    #expect(IndexMergePolicy.plan(sizes: [80_000, 11_000], goal: .idle).sorted() == [0, 1])
    #expect(IndexMergePolicy.plan(sizes: [80_000, 900, 1001], goal: .idle).sorted() == [1, 2])
    #expect(IndexMergePolicy.plan(sizes: [80_000, 900], goal: .idle).isEmpty)
    #expect(IndexMergePolicy.plan(sizes: [80_000], goal: .idle).isEmpty)
    #expect(IndexMergePolicy.plan(sizes: [], goal: .idle).isEmpty)
  }

  @Test("On demand all become one, whatever that costs")
  func singleMeansOne() {
    #expect(IndexMergePolicy.plan(sizes: [80_000, 1], goal: .single).count == 2)
    #expect(IndexMergePolicy.plan(sizes: [80_000], goal: .single).isEmpty)
  }

  @Test("What would not fit one run is left out, and no size overflows")
  func tooLargeIsLeftOut() {
    #expect(IndexMergePolicy.fitting([1, 2, 0], [100, 40, 50], 95) == [1, 2])
    #expect(IndexMergePolicy.fitting([1, 0], [100, 40], 95) == nil)
    #expect(IndexMergePolicy.fitting([0, 1], [.max, .max], 95) == nil)
    let large = [UInt64](repeating: 100, count: 5).map { IndexExtent(keyCount: $0) }
    let larger = large + [IndexExtent(keyCount: 90_000)]
    #expect(
      IndexMergePolicy.plan(larger, goal: .steady, keyCountMaximum: 250) == .some([0, 1]))
    for goal in [IndexMergePolicy.Goal.steady, .idle, .single] {
      let sizes = [UInt64](repeating: .max, count: 9)
      // Which is nothing to merge where all do not fit: see `fitting`.
      #expect(IndexMergePolicy.plan(sizes: sizes, goal: goal).count == sizes.count)
    }
  }

  @Test("Runs of ranges count as one index, and are merged with all others or not at all")
  func rangesAreMergedTogether() {
    let ranges = (0..<8).map {
      IndexExtent(keyCount: 9000, span: 2 * $0...2 * $0 + 1, isRanged: true)
    }
    let small = IndexExtent(keyCount: 500)
    #expect(IndexMergePolicy.plan(ranges, goal: .single) == .nothing)
    #expect(IndexMergePolicy.plan(ranges, goal: .idle) == .nothing)
    #expect(IndexMergePolicy.plan(ranges + [small], goal: .single) == .everything)
    #expect(IndexMergePolicy.plan(ranges + [small, small], goal: .idle) == .some([8, 9]))
    let four = [UInt64](repeating: 500, count: 4).map { IndexExtent(keyCount: $0) }
    #expect(IndexMergePolicy.plan(four + ranges, goal: .steady) == .some([0, 1, 2, 3]))
    // Of the same tier as all ranges together.
    let large = [UInt64](repeating: 70_000, count: 3).map { IndexExtent(keyCount: $0) }
    #expect(IndexMergePolicy.plan(ranges + large, goal: .steady) == .everything)
    #expect(IndexMergePolicy.plan(ranges + large.dropLast(), goal: .steady) == .nothing)
  }

  @Test("Of runs of ranges none goes without the others where all do not fit one run")
  func rangesAreNeverDivided() {
    let ranges = [40, 50, 60].map { IndexExtent(keyCount: $0, isRanged: true) }
    let others = [30, 1, 2].map { IndexExtent(keyCount: UInt64($0)) }
    #expect(IndexMergePolicy.together(ranges + others, 183) == [0, 1, 2, 3, 4, 5])
    #expect(IndexMergePolicy.together(ranges + others, 182) == [4, 5, 3])
    #expect(IndexMergePolicy.together(ranges + others, 32) == [4, 5])
    #expect(IndexMergePolicy.together(ranges + others.prefix(1), 150) == nil)
  }

  @Test("All are merged when a quarter of their keys could go, unless hardly any came since")
  func needlessKeysGo() {
    func plan(_ sizes: [UInt64], _ needed: UInt64) -> IndexMergePolicy.Plan {
      IndexMergePolicy.plan(
        sizes.map { IndexExtent(keyCount: $0) }, goal: .steady, neededKeyCount: needed)
    }
    #expect(plan([80_000, 20_000, 20_000], 90_000) == .everything)
    #expect(plan([80_000, 20_000, 20_000], 90_001) == .nothing)
    #expect(plan([100_000, 20_000], 60_000) == .nothing)
    #expect(plan([100_000, 25_000], 60_000) == .everything)
    #expect(plan([100_000], 0) == .nothing)
    #expect(plan([], 0) == .nothing)
  }

  /// Sizes of segments as they come, and how much of each run is new keys.
  private static func simulate(
    _ generator: inout SeededGenerator, segmentCount: Int, share: Double
  ) -> (worstCount: Int, written: UInt64, total: UInt64, largestTier: Int) {
    var sizes: [UInt64] = []
    var worstCount = 0
    var written: UInt64 = 0
    var total: UInt64 = 0
    var largestTier = 0
    for _ in 0..<segmentCount {
      let size = UInt64.random(in: 10...20_000, using: &generator)
      total += size
      sizes.append(size)
      while true {
        let plan = Set(IndexMergePolicy.plan(sizes: sizes, goal: .steady))
        if plan.isEmpty { break }
        let merged = plan.reduce(UInt64(0)) { $0 + sizes[$1] }
        written += merged
        let largest = plan.map { sizes[$0] }.max() ?? 0
        sizes = sizes.indices.filter { !plan.contains($0) }.map { sizes[$0] }
        sizes.append(max(largest, UInt64(Double(merged) * share)))
      }
      worstCount = max(worstCount, sizes.count)
      largestTier = max(largestTier, sizes.map(IndexMergePolicy.tier).max() ?? 0)
    }
    return (worstCount, written, total, largestTier)
  }

  @Test(
    "A look-up asks at most three indexes a tier, and a key is written about once a tier",
    arguments: [1.0, 0.5, 0.1])
  func amplificationIsBounded(share: Double) {
    for seed in UInt64(1)...20 {
      var generator = SeededGenerator(seed: seed)
      let outcome = Self.simulate(&generator, segmentCount: 400, share: share)
      let tiers = outcome.largestTier + 1
      if outcome.worstCount > 3 * tiers { Issue.record("seed \(seed): \(outcome)") }
      if outcome.written > UInt64(tiers + 1) * outcome.total {
        Issue.record("seed \(seed): \(outcome)")
      }
    }
  }
}

extension IndexMergePolicy {
  /// The plan for indexes of which any may hold any key.
  fileprivate static func plan(sizes: [UInt64], goal: Goal) -> [Int] {
    positions(sizes.map { IndexExtent(keyCount: $0) }, goal: goal)
  }

  /// The positions of what is to be merged.
  fileprivate static func positions(_ extents: [IndexExtent], goal: Goal) -> [Int] {
    switch plan(extents, goal: goal) {
    case .nothing: []
    case .some(let positions): positions
    case .everything: Array(extents.indices)
    }
  }
}
