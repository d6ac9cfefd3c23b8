/// Places of a file, in order and apart from each other: neighbours are one.
struct ByteRanges: Equatable {
  private(set) var ranges: [Range<UInt64>] = []

  var isEmpty: Bool { ranges.isEmpty }

  /// The first range that ends behind `offset`.
  private func index(behind offset: UInt64) -> Int {
    var lower = 0
    var upper = ranges.count
    while lower < upper {
      let middle = (lower + upper) / 2
      if ranges[middle].upperBound > offset { upper = middle } else { lower = middle + 1 }
    }
    return lower
  }

  func contains(_ offset: UInt64) -> Bool {
    let index = index(behind: offset)
    return index < ranges.count && ranges[index].contains(offset)
  }

  func overlaps(_ range: Range<UInt64>) -> Bool {
    let index = index(behind: range.lowerBound)
    return index < ranges.count && ranges[index].lowerBound < range.upperBound
  }

  mutating func insert(_ range: Range<UInt64>) {
    guard !range.isEmpty else { return }
    // From the first that touches it to the last.
    let first = range.lowerBound == 0 ? 0 : index(behind: range.lowerBound - 1)
    var end = first
    var merged = range
    while end < ranges.count, ranges[end].lowerBound <= range.upperBound {
      merged =
        min(
          merged.lowerBound, ranges[end].lowerBound)..<max(
          merged.upperBound, ranges[end].upperBound)
      end += 1
    }
    ranges.replaceSubrange(first..<end, with: [merged])
  }

  /// What of this lies in `range`.
  func clamped(to range: Range<UInt64>) -> [Range<UInt64>] {
    var found: [Range<UInt64>] = []
    var index = index(behind: range.lowerBound)
    while index < ranges.count, ranges[index].lowerBound < range.upperBound {
      found.append(ranges[index].clamped(to: range))
      index += 1
    }
    return found
  }

  /// What of `range` lies outside of this.
  func gaps(in range: Range<UInt64>) -> [Range<UInt64>] {
    var found: [Range<UInt64>] = []
    var start = range.lowerBound
    for inside in clamped(to: range) {
      if start < inside.lowerBound { found.append(start..<inside.lowerBound) }
      start = inside.upperBound
    }
    if start < range.upperBound { found.append(start..<range.upperBound) }
    return found
  }
}
