/// Values by keys, in the order of the keys, which are found by halving.
///
/// In place of a hash table where a store is opened: a process that opens its first one would wait
/// until the runtime has searched all its conformances for that of the keys. This type asks nothing
/// of keys and values, so that making it searches for nothing either, and its methods can be
/// compiled into their callers. Keys that come in their order are appended; others move those
/// behind them.
public struct SortedTable<Key, Value> {
  /// Ascending, each key once.
  @usableFromInline var ascending: [(key: Key, value: Value)] = []

  /// An empty table.
  @inlinable public init() {}

  /// Whether it has no key.
  @inlinable public var isEmpty: Bool { ascending.isEmpty }

  /// How many keys it has.
  @inlinable public var count: Int { ascending.count }

  /// All of it, in the order of the keys.
  @inlinable public var entries: [(key: Key, value: Value)] { ascending }

  /// The keys, ascending.
  @inlinable public var keys: LazyMapCollection<[(key: Key, value: Value)], Key> {
    ascending.lazy.map { $0.key }
  }

  /// The values in the order of their keys.
  @inlinable public var values: LazyMapCollection<[(key: Key, value: Value)], Value> {
    ascending.lazy.map { $0.value }
  }
}

extension SortedTable where Key: Comparable {
  /// Of entries in any order; nothing where a key is there twice.
  @inlinable
  public init?(unordered: [(key: Key, value: Value)]) {
    ascending = unordered
    ascending.sort { $0.key < $1.key }
    let pairs = zip(ascending, ascending.dropFirst())
    guard pairs.allSatisfy({ $0.key < $1.key }) else { return nil }
  }

  /// What a hash table holds.
  @inlinable
  public init(_ table: [Key: Value]) where Key: Hashable {
    ascending = table.map { (key: $0.key, value: $0.value) }
    ascending.sort { $0.key < $1.key }
  }

  /// The value of a key; nothing for one that is not there.
  @inlinable public subscript(key: Key) -> Value? {
    get {
      let position = position(of: key)
      return has(key, at: position) ? ascending[position].value : nil
    }
    set {
      let position = position(of: key)
      if has(key, at: position) {
        if let newValue {
          ascending[position].value = newValue
        } else {
          ascending.remove(at: position)
        }
      } else if let newValue {
        add((key: key, value: newValue), at: position)
      }
    }
  }

  /// Changes the value of `key`, which begins with `initial`.
  @inlinable
  public mutating func update(
    _ key: Key, from initial: @autoclosure () -> Value, _ change: (inout Value) -> Void
  ) {
    let position = position(of: key)
    if !has(key, at: position) { add((key: key, value: initial()), at: position) }
    change(&ascending[position].value)
  }

  /// Where a key is, or would be.
  @inlinable
  func position(of key: Key) -> Int {
    // Most come in their order.
    if let last = ascending.last, last.key < key { return ascending.count }
    return ascending.countOfPrefix { $0.key < key }
  }

  @inlinable
  mutating func add(_ entry: (key: Key, value: Value), at position: Int) {
    // Appending needs fewer types that the runtime has to make than inserting.
    if position == ascending.count {
      ascending.append(entry)
    } else {
      ascending.insert(entry, at: position)
    }
  }

  @inlinable
  func has(_ key: Key, at position: Int) -> Bool {
    position < ascending.count && ascending[position].key == key
  }
}

extension SortedTable where Key: Comparable, Value == Void {
  /// Adds a key to a table of keys alone; whether it was not there.
  @inlinable @discardableResult
  public mutating func insert(_ key: Key) -> Bool {
    let position = position(of: key)
    if has(key, at: position) { return false }
    add((key: key, value: ()), at: position)
    return true
  }

  /// Whether it has a key.
  @inlinable
  public func contains(_ key: Key) -> Bool { has(key, at: position(of: key)) }
}

extension SortedTable where Key: Hashable {
  /// The same as a hash table, for callers of the library.
  @inlinable public var dictionary: [Key: Value] {
    var table: [Key: Value] = [:]
    for (key, value) in ascending { table[key] = value }
    return table
  }
}

extension SortedTable: Sendable where Key: Sendable, Value: Sendable {}

extension SortedTable: Equatable where Key: Equatable, Value: Equatable {
  @inlinable
  public static func == (left: Self, right: Self) -> Bool {
    left.ascending.elementsEqual(right.ascending) { $0 == $1 }
  }
}
