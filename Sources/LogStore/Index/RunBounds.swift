/// Of which keys a merged run is: of those from one cut up to the next, or of all.
///
/// Large stores have several runs that lie side by side, so that merging all indexes takes the room
/// of one range besides and not of all. See
/// Documentation/Decisions/0063-indexes-are-merged-a-range-at-a-time.md.
struct RunBounds: Hashable, Sendable {
  /// Where the range begins; nothing for the first key there can be.
  var lower: KeyCut?
  /// Where it ends; nothing for the last.
  var upper: KeyCut?

  /// Every key there can be.
  static let all = RunBounds()

  var isAll: Bool { self == .all }

  /// Whether there can be a key in it.
  var isPossible: Bool {
    guard let lower, let upper else { return true }
    return lower < upper
  }

  func contains(_ key: IndexKey) -> Bool {
    let isBelow = lower?.withIndexKey { IndexKey.compare(key, $0) < 0 } ?? false
    let isBehind = upper?.withIndexKey { IndexKey.compare(key, $0) >= 0 } ?? false
    return !isBelow && !isBehind
  }

  /// Whether each key of it lies in one of `others`.
  func isCovered(by others: [RunBounds]) -> Bool {
    var reached = lower
    for other in others.sorted(by: Self.beginsEarlier) {
      if let begin = other.lower, reached.map({ $0 < begin }) ?? true { return false }
      guard let end = other.upper else { return true }
      reached = reached.map { max($0, end) } ?? end
      if let upper, let reached, upper <= reached { return true }
    }
    return false
  }

  static func beginsEarlier(_ left: RunBounds, _ right: RunBounds) -> Bool {
    guard let second = right.lower else { return false }
    return left.lower.map { $0 < second } ?? true
  }
}
