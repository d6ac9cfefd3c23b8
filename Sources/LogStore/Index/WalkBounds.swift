/// From where to where a walk goes, and which way; the keys are borrowed from whoever walks.
///
/// Both bounds are cuts between keys: `lower` is the first key that may be shown, `upper` the first
/// behind those that may. So either way round a walk starts at one cut and ends at the other.
struct WalkBounds {
  var lower: IndexKey?
  var upper: IndexKey?
  var order = KeyOrder.ascending

  /// All keys, in ascending order.
  static var all: WalkBounds { WalkBounds() }

  /// The cut at which the walk starts; nothing for the first key, or the last.
  var start: IndexKey? { order == .ascending ? lower : upper }

  /// Whether a walk has come to its end with `key`.
  func isPast(_ key: IndexKey) -> Bool {
    switch order {
    case .ascending: upper.map { IndexKey.compare(key, $0) >= 0 } ?? false
    case .descending: lower.map { IndexKey.compare(key, $0) < 0 } ?? false
    }
  }

  /// What of `count` sorted keys lies behind the cut `start` and within the bounds, and whether the
  /// bounds end the walk there.
  func window(
    _ keys: UnsafePointer<IndexKey>, _ values: UnsafePointer<IndexValue>, count: Int,
    from start: IndexKey?
  ) -> (window: IndexWindow?, isLast: Bool) {
    var first = 0
    var end = count
    var isLast = false
    switch order {
    case .ascending:
      if let start { first = Self.position(of: start, in: keys, count: count) }
      if let upper, count > 0, IndexKey.compare(keys[count - 1], upper) >= 0 {
        end = Self.position(of: upper, in: keys, count: count)
        isLast = true
      }
    case .descending:
      if let start { end = Self.position(of: start, in: keys, count: count) }
      if let lower, count > 0, IndexKey.compare(keys[0], lower) < 0 {
        first = Self.position(of: lower, in: keys, count: count)
        isLast = true
      }
    }
    let window = first < end ? IndexWindow(keys, values, first..<end, order) : nil
    return (window, isLast)
  }

  /// The first position whose key is not below `key`.
  static func position(
    of key: IndexKey, in keys: UnsafePointer<IndexKey>, count: Int
  ) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) >> 1
      if IndexKey.compare(keys[middle], key) < 0 { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
