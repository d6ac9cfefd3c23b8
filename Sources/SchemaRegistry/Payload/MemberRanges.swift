/// Where the members of a payload lie, by their places in the shape, in lent memory; the key and
/// members that are nil lie nowhere.
struct MemberRanges {
  private struct Bounds {
    var start = -1
    var end = -1
  }

  private let bounds: UnsafeMutableBufferPointer<Bounds>

  /// Calls `body` with room for `memberCount` members that lie nowhere: each record would allocate
  /// it else.
  static func with<Result>(memberCount: Int, _ body: (MemberRanges) -> Result) -> Result {
    withUnsafeTemporaryAllocation(of: Bounds.self, capacity: memberCount) { bounds in
      bounds.initialize(repeating: Bounds())
      return body(MemberRanges(bounds: bounds))
    }
  }

  /// Where a member lies; nothing for none.
  subscript(member: Int) -> Range<Int>? {
    let found = bounds[member]
    return found.start < 0 ? nil : found.start..<found.end
  }

  /// Notes where a member lies.
  func insert(_ range: Range<Int>, for member: Int) {
    bounds[member] = Bounds(start: range.lowerBound, end: range.upperBound)
  }
}
