/// An index as the planning of merges sees it.
struct IndexExtent {
  let keyCount: UInt64
  /// Between which of all extents' first and last keys, by their rank, its keys lie; nothing when
  /// that is not known, as if it had them all.
  let span: ClosedRange<Int>?
  /// Whether it is a run of a range: all of these are merged together, or none.
  let isRanged: Bool

  init(keyCount: UInt64, span: ClosedRange<Int>? = nil, isRanged: Bool = false) {
    self.keyCount = keyCount
    self.span = span
    self.isRanged = isRanged
  }

  /// How many of `extents` may at most hold the same key.
  static func depth(of extents: [IndexExtent]) -> Int {
    let spans = extents.compactMap(\.span)
    let changes = (spans.map { ($0.lowerBound, 1) } + spans.map { ($0.upperBound + 1, -1) })
      .sorted { $0 < $1 }
    var depth = extents.count - spans.count
    var deepest = depth
    for (_, change) in changes {
      depth += change
      deepest = max(deepest, depth)
    }
    return deepest
  }

  /// The extents of `sources`, in their order, as far as look-ups can tell keys apart without
  /// opening pages: by their heads. Touches no file: nothing is known of an index that is not open
  /// and of which the manifest does not tell them, nor of one without keys.
  static func extents(of sources: [SealedIndex.Source]) -> [IndexExtent] {
    let heads = sources.map { source in source.heads.flatMap { $0.isEmpty ? nil : $0 } }
    var bounds: [(head: KeyHeads.Head, source: Int)] = []
    for (number, heads) in heads.enumerated() {
      if let heads { bounds += [(heads.first, number), (heads.last, number)] }
    }
    bounds.sort { $0.head < $1.head }
    var spans = [ClosedRange<Int>?](repeating: nil, count: sources.count)
    var rank = 0
    for (position, bound) in bounds.enumerated() {
      if position > 0, bounds[position - 1].head < bound.head { rank += 1 }
      spans[bound.source] = (spans[bound.source]?.lowerBound ?? rank)...rank
    }
    return zip(sources, spans).map {
      IndexExtent(keyCount: $0.keyCount, span: $1, isRanged: $0.isRanged)
    }
  }
}
