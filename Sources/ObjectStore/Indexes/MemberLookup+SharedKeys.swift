internal import LogStore
internal import SchemaRegistry

extension MemberLookup {
  /// The keys of objects that share a value of the member, a group for each value, at most `limit`
  /// groups; `index` is a complete one. Only of values that are `meant`, as an index would hold
  /// them whole.
  func sharedKeys(
    in index: StoredIndex, limit: Int, meant isMeant: ([UInt8]) -> Bool = { _ in true }
  ) throws(StoreError) -> [[[UInt8]]] {
    let walk = try MatchWalk(self, .between(), index: index, order: .ascending)
    var shared: [[[UInt8]]] = []
    // Objects lie in the order of what the index holds of their values. Long ones are cut there, so
    // those that begin alike lie among each other.
    var cut: [UInt8] = []
    var alike: [(value: [UInt8], key: [UInt8])] = []
    func close() {
      defer { alike.removeAll(keepingCapacity: true) }
      if alike.count < 2 { return }
      let groups = Dictionary(grouping: alike, by: \.value)
        .filter { $0.value.count > 1 && isMeant($0.key) }
      let sorted = groups.sorted { $0.key.lexicographicallyPrecedes($1.key) }
      shared += sorted.prefix(limit - shared.count).map { $0.value.map(\.key) }
    }
    while shared.count < limit, let (key, value) = try walk.nextKnown() {
      let nextCut = IndexedValueCoding.encode(value)
      if nextCut != cut {
        close()
        cut = nextCut
      }
      alike.append((IndexedValueCoding.encode(value, cutting: false), key))
    }
    if shared.count < limit { close() }
    return shared
  }
}
