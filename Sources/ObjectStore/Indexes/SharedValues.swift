internal import LogStore
internal import SchemaRegistry

/// Values of unique members that two objects had at one moment, while nothing was refused.
struct SharedValues {
  private static let countMaximum = 100

  /// Up to so many of them, of all indexes together.
  private(set) var values: [(lookup: MemberLookup, index: StoredIndex, value: Value)] = []
  /// Indexes of which there are more.
  private(set) var others: Set<CollectionIdentifier> = []

  mutating func note(_ value: Value, _ lookup: MemberLookup, _ index: StoredIndex) {
    if values.count < Self.countMaximum {
      values.append((lookup, index, value))
    } else {
      others.insert(index.collection)
    }
  }
}

extension StoreTransaction {
  /// Calls complete indexes of unique members incomplete in which two objects share a value that
  /// one of them got while nothing was refused: whoever completes them again is told which.
  func leaveSharedIndexes() throws(StoreError) {
    var shared = sharedValues.others
    for (lookup, index, value) in sharedValues.values where !shared.contains(index.collection) {
      // What was shared half-way says nothing.
      let walk = try MatchWalk(lookup, .equal(to: value), index: index, order: .ascending)
      guard try walk.nextKnown() != nil, try walk.nextKnown() != nil else { continue }
      shared.insert(index.collection)
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
}
