/// Where the members of a payload lie, by their places in the shape, in lent memory; the key and
/// members that are nil lie nowhere.
struct MemberRanges {
  private struct Bounds {
    var start = -1
    var end = -1
  }

  private let bounds: UnsafeMutableBufferPointer<Bounds>

  static func byteCount(memberCount: Int) -> Int { memberCount * MemoryLayout<Bounds>.stride }

  /// Of `memberCount` members that lie nowhere, in `memory`, which holds nothing and has room.
  init(memberCount: Int, in memory: UnsafeMutableRawBufferPointer) {
    bounds = UnsafeMutableRawBufferPointer(
      rebasing: memory[..<Self.byteCount(memberCount: memberCount)]
    ).initializeMemory(as: Bounds.self, repeating: Bounds())
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
