/// Live records by collection and schema version; exact.
struct LiveTotals: Equatable, Sendable {
  private(set) var versions: [CollectionVersion: RecordTotals] = [:]
  private(set) var total = RecordTotals()

  mutating func add(_ version: CollectionVersion, byteCount: UInt64) {
    versions[version, default: RecordTotals()].add(byteCount: byteCount)
    total.add(byteCount: byteCount)
  }

  /// Never below zero: the totals may come from a manifest that claims anything.
  mutating func remove(_ version: CollectionVersion, byteCount: UInt64) {
    guard var totals = versions[version], totals.recordCount > 0 else { return }
    totals.remove(byteCount: byteCount)
    versions[version] = totals.recordCount == 0 ? nil : totals
    total.remove(byteCount: byteCount)
  }

  mutating func add(_ version: CollectionVersion, _ totals: RecordTotals) {
    versions[version, default: RecordTotals()].add(totals)
    total.add(totals)
  }

  /// Ascending by collection and version, so that the same contents give the same bytes.
  var sorted: [(version: CollectionVersion, totals: RecordTotals)] {
    versions.sorted { $0.key < $1.key }.map { (version: $0.key, totals: $0.value) }
  }
}
