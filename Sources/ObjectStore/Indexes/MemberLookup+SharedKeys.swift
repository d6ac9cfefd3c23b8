internal import LogStore
internal import SchemaRegistry

extension MemberLookup {
  /// How many keys of an index are read until somebody is asked whether to go on.
  private static let batchCount = 500

  /// The keys of objects that share a value of the member, a group for each value, at most `limit`
  /// groups; `index` is a complete one. Only of values that are `meant`, as an index would hold
  /// them whole.
  ///
  /// Objects are read only where the index holds the same of several. Ends early, with what was
  /// found until then, when `goesOn` says no.
  func sharedKeys(
    in index: StoredIndex, limit: Int, meant isMeant: ([UInt8]) -> Bool = { _ in true },
    goesOn: () -> Bool = { true }
  ) throws(StoreError) -> [[[UInt8]]] {
    let selection = MemberSelection.between()
    let walk = try MatchWalk(self, selection, index: index, order: .ascending)
    var shared: [[[UInt8]]] = []
    // Long values are cut in the index, so those of objects that it holds the same of may differ.
    var cut: ArraySlice<UInt8> = []
    var alike: [[UInt8]] = []
    func close() throws(StoreError) {
      defer { alike.removeAll(keepingCapacity: true) }
      if alike.count < 2 { return }
      var groups: [[UInt8]: [[UInt8]]] = [:]
      for key in alike {
        guard let value = try knownValue(ofObjectAt: key),
          isIndexed(value, as: cut, selecting: selection)
        else { continue }
        groups[IndexedValueCoding.encode(value, cutting: false), default: []].append(key)
      }
      let found = groups.filter { $0.value.count > 1 && isMeant($0.key) }
        .sorted { $0.key.lexicographicallyPrecedes($1.key) }
      shared += found.prefix(limit - shared.count).map(\.value)
    }
    var count = 0
    while shared.count < limit, let (value, key) = try walk.nextHint() {
      if value != cut {
        try close()
        cut = value
      }
      alike.append(key)
      count += 1
      if count.isMultiple(of: Self.batchCount), !goesOn() { return shared }
    }
    if shared.count < limit { try close() }
    return shared
  }
}
