internal import LogStore
internal import SchemaRegistry

/// Values that unique members got while nothing was refused, of indexes that count as complete.
struct SharedValues {
  private static let countMaximum = 100
  /// Of more than that, hashes are kept, which take a few MiB at most.
  private static let hashCountMaximum = 1 << 17

  struct Noted {
    let lookup: MemberLookup
    let index: StoredIndex
    /// By what an index would hold of them whole; nothing where there are too many.
    fileprivate(set) var values: [[UInt8]: Value]? = [:]
    /// Where there are too many values; nothing where there are too many of these, too.
    fileprivate(set) var hashes: Set<Int>? = []

    /// Whether `value`, as an index would hold it whole, may be among them.
    func mayContain(_ value: [UInt8]) -> Bool { hashes?.contains(value.hashValue) ?? true }
  }

  private(set) var noted: [CollectionIdentifier: Noted] = [:]

  mutating func note(_ value: Value, _ lookup: MemberLookup, _ index: StoredIndex) {
    // Taken out, so that nothing is copied.
    var known = noted.removeValue(forKey: index.collection) ?? Noted(lookup: lookup, index: index)
    let whole = IndexedValueCoding.encode(value, cutting: false)
    if known.values != nil {
      known.values?[whole] = value
      if let values = known.values, values.count > Self.countMaximum {
        known.hashes = Set(values.keys.lazy.map(\.hashValue))
        known.values = nil
      }
    } else if known.hashes != nil {
      known.hashes?.insert(whole.hashValue)
      if let hashes = known.hashes, hashes.count > Self.hashCountMaximum { known.hashes = nil }
    }
    noted[index.collection] = known
  }
}

extension StoreTransaction {
  /// Calls complete indexes of unique members incomplete in which two objects share a value that
  /// one of them got while nothing was refused: whoever completes them again is told which.
  ///
  /// The values that they got are looked up; where these were many, the index is walked once.
  func leaveSharedIndexes() throws(StoreError) {
    var shared: Set<CollectionIdentifier> = []
    for (collection, noted) in sharedValues.noted {
      do throws(StoreError) {
        if try isShared(noted) { shared.insert(collection) }
      } catch .log(let error) {
        // What is damaged is found again when it is completed, and does not keep the app closed.
        guard error.damage != nil else { throw .log(error) }
        shared.insert(collection)
      }
    }
    if shared.isEmpty { return }
    try describe { (catalog) throws(StoreError) in
      for position in catalog.indexes.indices
      where shared.contains(catalog.indexes[position].collection)
        && catalog.indexes[position].phase == .ready
      {
        catalog.indexes[position].phase = .building
      }
    }
  }

  /// Whether objects share one of the values by now: what was shared half-way says nothing.
  private func isShared(_ noted: SharedValues.Noted) throws(StoreError) -> Bool {
    guard let values = noted.values else {
      // What was shared before was told before.
      let shared = try noted.lookup.sharedKeys(in: noted.index, limit: 1) { noted.mayContain($0) }
      return !shared.isEmpty
    }
    for value in values.values {
      let walk = try MatchWalk(
        noted.lookup, .equal(to: value), index: noted.index, order: .ascending)
      if try walk.nextKnown() != nil, try walk.nextKnown() != nil { return true }
    }
    return false
  }
}
