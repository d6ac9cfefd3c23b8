import StorageTestSupport
import Testing

@testable import LogStore

/// Runs of ranges: what they cover together, against every key of a small space one by one.
@Suite struct RunBoundsTests {
  /// Cuts before these; keys lie between them, and are these.
  private static let cuts = (0..<6).map { KeyCut(collection: UInt32($0 / 3), key: [UInt8($0 % 3)]) }

  private static func bounds(_ generator: inout SeededGenerator) -> RunBounds {
    let lower = Int.random(in: -2..<5, using: &generator)
    let upper = Int.random(in: (max(lower, -1) + 1)..<9, using: &generator)
    return RunBounds(
      lower: lower < 0 ? nil : cuts[lower], upper: upper > 5 ? nil : cuts[upper])
  }

  /// Every cell between two cuts, those at the ends too, that lies in `bounds`.
  private static func cells(_ bounds: RunBounds) -> Set<Int> {
    let first = bounds.lower.flatMap { cuts.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
    let end = bounds.upper.flatMap { cuts.firstIndex(of: $0) }.map { $0 + 1 } ?? cuts.count + 1
    return Set(first..<max(first, end))
  }

  @Test("Bounds hold the keys from the lower cut up to the upper one")
  func containsIsHalfOpen() {
    let bounds = RunBounds(lower: Self.cuts[1], upper: Self.cuts[4])
    let held = Self.cuts.indices.filter { number in
      Self.cuts[number].withIndexKey { bounds.contains($0) }
    }
    #expect(held == [1, 2, 3])
    let behind = KeyCut(collection: 1, key: [0, 0])
    #expect(behind.withIndexKey { bounds.contains($0) })
    #expect(Self.cuts.allSatisfy { $0.withIndexKey { RunBounds.all.contains($0) } })
    #expect(KeyCut(collection: 0, key: [9]) < KeyCut(collection: 1, key: [0]))
    #expect(KeyCut(collection: 1, key: [0]) < KeyCut(collection: 1, key: [0, 0]))
  }

  @Test("Bounds are covered when each cell of them is, counted cell by cell")
  func coverIsCounted() {
    for seed in UInt64(1)...2000 {
      var generator = SeededGenerator(seed: seed)
      let whole = Self.bounds(&generator)
      let others = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
        Self.bounds(&generator)
      }
      let covered = others.reduce(into: Set()) { $0.formUnion(Self.cells($1)) }
      let expected = Self.cells(whole).isSubset(of: covered)
      if whole.isCovered(by: others) != expected { Issue.record("seed \(seed)") }
    }
  }

  private static func runs(_ generator: inout SeededGenerator) -> [RunDescriptor] {
    (0..<Int.random(in: 0...7, using: &generator)).map { number in
      let segments = (1...5).filter { _ in Int.random(in: 0..<3, using: &generator) > 0 }
      let isAll = Int.random(in: 0..<4, using: &generator) == 0
      return RunDescriptor(
        identifier: RunIdentifier(UInt32(10 + number)), salt: 1, byteCount: 1, keyCount: 1,
        segments: segments.map { SegmentIdentifier(UInt32($0)) },
        bounds: isAll ? .all : bounds(&generator))
    }
  }

  /// For each segment the cells in which a run has its keys.
  private static func cells(_ runs: [RunDescriptor]) -> [SegmentIdentifier: Set<Int>] {
    var cells: [SegmentIdentifier: Set<Int>] = [:]
    for run in runs {
      for segment in run.segments {
        cells[segment, default: []].formUnion(Self.cells(run.bounds))
      }
    }
    return cells
  }

  @Test("A segment is covered when its runs have every cell, counted cell by cell")
  func coveredSegmentsAreCounted() {
    for seed in UInt64(1)...2000 {
      var generator = SeededGenerator(seed: seed)
      let runs = Self.runs(&generator)
      let expected = Self.cells(runs).filter { $0.value.count == Self.cuts.count + 1 }
      let listed = SegmentTable((1...5).map { SegmentIdentifier($0) }) { $0 }
      let found = RunDescriptor.covered(by: runs, of: listed).entries
      #expect(found.map(\.identifier) == listed.values)
      if found.filter(\.value).map(\.identifier) != expected.keys.sorted() {
        Issue.record("seed \(seed)")
      }
    }
  }

  @Test("Listing a run takes out damaged ones and what the others have, and no cell of a segment")
  func listingLosesNothing() {
    var dropped = 0
    for seed in UInt64(1)...2000 {
      var generator = SeededGenerator(seed: seed)
      var manifest = ManifestTests.sample
      manifest.runs = []
      let listed = Set(
        (1...5).map { SegmentIdentifier(UInt32($0)) }.filter { _ in
          Int.random(in: 0..<4, using: &generator) > 0
        })
      manifest.segments = listed.sorted().map { SegmentDescriptor(active: $0, salt: 0) }
      var runs = Self.runs(&generator)
      let last = RunDescriptor(
        identifier: RunIdentifier(50), salt: 1, byteCount: 1, keyCount: 1,
        segments: listed.sorted(), bounds: Self.bounds(&generator))
      manifest.runs = runs
      let damaged = Set(
        runs.filter { _ in Int.random(in: 0..<6, using: &generator) == 0 }
          .map(\.identifier))
      manifest.list(last, damaged: damaged)
      runs = runs.filter { !damaged.contains($0.identifier) } + [last]
      let before = Self.cells(runs).filter { listed.contains($0.key) }
      let after = Self.cells(manifest.runs).filter { listed.contains($0.key) }
      if before != after { Issue.record("seed \(seed): a cell is gone") }
      if manifest.runs.last != last { Issue.record("seed \(seed): the new run is gone") }
      if manifest.runs.contains(where: { damaged.contains($0.identifier) }) {
        Issue.record("seed \(seed): a damaged run stays")
      }
      // What the new run has alone must go.
      for run in manifest.runs.dropLast()
      where Self.cells(run.bounds).isSubset(of: Self.cells(last.bounds)) {
        Issue.record("seed \(seed): run \(run.identifier) is needless")
      }
      dropped += runs.count - manifest.runs.count
    }
    #expect(dropped > 1000)
  }
}
