/// Where the members of a payload lie, by their places in the shape; the key and members that are
/// nil lie nowhere.
public struct MemberRanges: Sendable {
  /// An array of a type of our own is made without looking types up, which arrays of ranges or of
  /// integers are not always.
  private struct Bounds {
    var start = -1
    var end = -1
  }

  private var bounds: [Bounds]

  init(memberCount: Int) { bounds = [Bounds](repeating: Bounds(), count: memberCount) }

  /// Where a member lies; nothing for none.
  public internal(set) subscript(member: Int) -> Range<Int>? {
    get {
      let found = bounds[member]
      return found.start < 0 ? nil : found.start..<found.end
    }
    set {
      bounds[member] = newValue.map { Bounds(start: $0.lowerBound, end: $0.upperBound) } ?? Bounds()
    }
  }
}
