/// Keys and values that lie side by side in memory, from where a walk stands to where they end.
///
/// A leaf of a table and a decoded page of a run both are such a window, so that a walk steps
/// through either by moving two pointers. Borrowed: whoever holds it keeps page and bytes alive.
struct IndexWindow {
  private(set) var key: UnsafePointer<IndexKey>
  private(set) var value: UnsafePointer<IndexValue>
  /// Keys left, with the one the walk stands on; never zero.
  private(set) var count: Int
  private let step: Int

  /// The keys at `positions`, to be walked in `order`; nothing when there are none.
  init?(
    _ keys: UnsafePointer<IndexKey>, _ values: UnsafePointer<IndexValue>, _ positions: Range<Int>,
    _ order: KeyOrder
  ) {
    guard !positions.isEmpty else { return nil }
    let first = order == .ascending ? positions.lowerBound : positions.upperBound - 1
    key = keys + first
    value = values + first
    count = positions.count
    step = order == .ascending ? 1 : -1
  }

  /// One key.
  init(key: UnsafePointer<IndexKey>, value: UnsafePointer<IndexValue>) {
    self.key = key
    self.value = value
    count = 1
    step = 1
  }

  /// Moves to the next key in walking order; false, and nothing moved, when there is none.
  mutating func advance() -> Bool {
    guard count > 1 else { return false }
    advanceWithin()
    return true
  }

  /// Moves to the next key in walking order, which there must be.
  mutating func advanceWithin() {
    count -= 1
    key += step
    value += step
  }

  /// The key `distance` keys further on, which the window must reach.
  func key(ahead distance: Int) -> IndexKey { key[distance * step] }

  /// The value `distance` keys further on, if the window reaches that far.
  func value(ahead distance: Int) -> UnsafePointer<IndexValue>? {
    distance < count ? value + distance * step : nil
  }
}
