internal import BinaryCoding

/// Values of segments, in the order of their identifiers, which are found by halving.
///
/// A new segment has the highest identifier, so that adding it moves nothing; many are made or
/// removed in one pass. In place of a hash table, whose type a process that opens its first store
/// would wait for: see Documentation/Decisions/0067-segments-are-found-by-halving.md.
struct SegmentTable<Value> {
  /// Ascending, each identifier once.
  private(set) var entries: [(identifier: SegmentIdentifier, value: Value)] = []

  init() {}

  /// Of values in any order, each of another segment.
  init(_ values: [Value], by identifier: (Value) -> SegmentIdentifier) {
    entries = values.map { (identifier($0), $0) }
    let pairs = zip(entries, entries.dropFirst())
    if pairs.allSatisfy({ $0.identifier < $1.identifier }) { return }
    entries.sort { $0.identifier < $1.identifier }
  }

  var values: [Value] { entries.map(\.value) }

  /// The same segments with other values.
  func mapValues<Other>(_ transform: (Value) -> Other) -> SegmentTable<Other> {
    var result = SegmentTable<Other>()
    result.entries = entries.map { ($0.identifier, transform($0.value)) }
    return result
  }

  /// The value of a segment; nothing for one that is not there.
  subscript(identifier: SegmentIdentifier) -> Value? {
    get {
      let position = position(of: identifier)
      guard position < entries.count, entries[position].identifier == identifier else { return nil }
      return entries[position].value
    }
    set {
      let position = position(of: identifier)
      let isThere = position < entries.count && entries[position].identifier == identifier
      if let newValue {
        if isThere {
          entries[position].value = newValue
        } else {
          entries.insert((identifier, newValue), at: position)
        }
      } else if isThere {
        entries.remove(at: position)
      }
    }
  }

  /// Removes the segments of which `predicate` is true, in one pass.
  mutating func removeAll(where predicate: (SegmentIdentifier) -> Bool) {
    entries.removeAll { predicate($0.identifier) }
  }

  /// Changes the value of a segment, if it is there.
  mutating func change(_ identifier: SegmentIdentifier, _ change: (inout Value) -> Void) {
    let position = position(of: identifier)
    guard position < entries.count, entries[position].identifier == identifier else { return }
    change(&entries[position].value)
  }

  /// Changes the value of a segment, which begins with `initial`.
  mutating func update(
    _ identifier: SegmentIdentifier, from initial: @autoclosure () -> Value,
    _ change: (inout Value) -> Void
  ) {
    let position = position(of: identifier)
    if position == entries.count || entries[position].identifier != identifier {
      entries.insert((identifier, initial()), at: position)
    }
    change(&entries[position].value)
  }

  /// Where a segment is, or would be.
  private func position(of identifier: SegmentIdentifier) -> Int {
    entries.countOfPrefix { $0.identifier < identifier }
  }
}

extension SegmentTable: Sendable where Value: Sendable {}
