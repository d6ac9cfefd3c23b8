/// An index as the planning of merges sees it.
struct IndexExtent {
  let keyCount: UInt64
  /// Between which of all extents' first and last keys, by their rank, its keys lie; nothing when
  /// that is not known, as if it had them all.
  let span: ClosedRange<Int>?

  init(keyCount: UInt64, span: ClosedRange<Int>? = nil) {
    self.keyCount = keyCount
    self.span = span
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

  /// The extents of `sources`, in their order. Opens their indexes; one that cannot be opened
  /// counts as one that may hold any key.
  static func extents(of sources: [SealedIndex.Source]) -> [IndexExtent] {
    var bounds: [(key: IndexKey, source: Int)] = []
    for (number, source) in sources.enumerated() {
      guard case .keys(let first, let last)? = try? source.keySpan() else { continue }
      bounds += [(first, number), (last, number)]
    }
    bounds.sort { $0.key < $1.key }
    var spans = [ClosedRange<Int>?](repeating: nil, count: sources.count)
    var rank = 0
    for (position, bound) in bounds.enumerated() {
      if position > 0, bounds[position - 1].key < bound.key { rank += 1 }
      spans[bound.source] = (spans[bound.source]?.lowerBound ?? rank)...rank
    }
    return zip(sources, spans).map { IndexExtent(keyCount: $0.keyCount, span: $1) }
  }
}
