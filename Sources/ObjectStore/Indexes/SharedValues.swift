internal import LogStore
internal import SchemaRegistry

/// Values that unique members got while nothing was refused, of indexes that count as complete.
struct SharedValues {
  private static let countMaximum = 100

  struct Noted {
    let lookup: MemberLookup
    let index: StoredIndex
    /// By what an index would hold of them whole; nothing where there are too many.
    fileprivate(set) var values: [[UInt8]: Value]? = [:]
  }

  private(set) var noted: [CollectionIdentifier: Noted] = [:]

  mutating func note(_ value: Value, _ lookup: MemberLookup, _ index: StoredIndex) {
    var known = noted[index.collection] ?? Noted(lookup: lookup, index: index)
    guard var values = known.values else { return }
    values[IndexedValueCoding.encode(value, cutting: false)] = value
    known.values = values.count > Self.countMaximum ? nil : values
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
      return try !noted.lookup.sharedKeys(in: noted.index, limit: 1).isEmpty
    }
    for value in values.values {
      let walk = try MatchWalk(
        noted.lookup, .equal(to: value), index: noted.index, order: .ascending)
      if try walk.nextKnown() != nil, try walk.nextKnown() != nil { return true }
    }
    return false
  }
}
