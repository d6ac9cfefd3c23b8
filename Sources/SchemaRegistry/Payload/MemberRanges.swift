/// Where the members of a payload lie, by their places in the shape; the key and members that are
/// nil lie nowhere.
public struct MemberRanges: Sendable {
  /// Start and end of each member, -1 for none: arrays of integers are made without looking types
  /// up, which ranges are not always.
  private var bounds: [Int]

  init(memberCount: Int) { bounds = [Int](repeating: -1, count: 2 * memberCount) }

  /// Where a member lies; nothing for none.
  public internal(set) subscript(member: Int) -> Range<Int>? {
    get {
      let start = bounds[2 * member]
      return start < 0 ? nil : start..<bounds[2 * member + 1]
    }
    set {
      bounds[2 * member] = newValue?.lowerBound ?? -1
      bounds[2 * member + 1] = newValue?.upperBound ?? -1
    }
  }
}
