/// A table that mostly has a few keys, which lie in an array then.
///
/// A process that opens its first store does not wait then until the runtime has made the type of a
/// hash table, for which it searches all conformances of the process. A few small keys are found
/// faster, too. Keys beyond the first 32 lie in a hash table, so that any number is fine.
public struct SmallTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  @usableFromInline static var fewCountMaximum: Int { 32 }
  /// In any order.
  @usableFromInline var few: [(key: Key, value: Value)] = []
  /// Those that there was no room for.
  @usableFromInline var more: [Key: Value] = [:]

  /// An empty table.
  @inlinable public init() {}

  /// Whether it has no key.
  @inlinable public var isEmpty: Bool { few.isEmpty && more.isEmpty }

  /// How many keys it has.
  @inlinable public var count: Int { few.count + more.count }

  /// All of it, in any order.
  @inlinable public var entries: [(key: Key, value: Value)] {
    more.isEmpty ? few : few + more.map { (key: $0.key, value: $0.value) }
  }

  /// Whether it has a key of which `predicate` is true.
  @inlinable
  public func contains(where predicate: (Key) -> Bool) -> Bool {
    few.contains { predicate($0.key) } || more.keys.contains(where: predicate)
  }

  /// The value of a key; nothing for one that is not there.
  @inlinable public subscript(key: Key) -> Value? {
    get {
      if let position = position(of: key) { return few[position].value }
      return more.isEmpty ? nil : more[key]
    }
    set {
      if let newValue { update(key, from: newValue) { $0 = newValue } } else { remove(key) }
    }
  }

  /// Changes the value of `key`, which begins with `initial`.
  @inlinable
  public mutating func update(_ key: Key, from initial: Value, _ change: (inout Value) -> Void) {
    if let position = position(of: key) { return change(&few[position].value) }
    if few.count < Self.fewCountMaximum, more.isEmpty || more[key] == nil {
      few.append((key: key, value: initial))
      change(&few[few.count - 1].value)
    } else {
      change(&more[key, default: initial])
    }
  }

  @inlinable
  mutating func remove(_ key: Key) {
    if let position = position(of: key) {
      few.remove(at: position)
    } else {
      more[key] = nil
    }
  }

  @inlinable
  func position(of key: Key) -> Int? {
    for position in few.indices where few[position].key == key { return position }
    return nil
  }
}

extension SmallTable: Equatable where Value: Equatable {
  @inlinable
  public static func == (left: Self, right: Self) -> Bool {
    left.count == right.count && left.entries.allSatisfy { right[$0.key] == $0.value }
  }
}
