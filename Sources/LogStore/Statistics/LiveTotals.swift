internal import BinaryCoding

/// Live records by collection and schema version; exact.
struct LiveTotals: Equatable, Sendable {
  private(set) var versions = SmallTable<CollectionVersion, RecordTotals>()
  private(set) var total = RecordTotals()

  mutating func add(_ version: CollectionVersion, byteCount: UInt64) {
    versions.update(version, from: RecordTotals()) { $0.add(byteCount: byteCount) }
    total.add(byteCount: byteCount)
  }

  /// Never below zero: the totals may come from a manifest that claims anything.
  mutating func remove(_ version: CollectionVersion, byteCount: UInt64) {
    guard let totals = versions[version], totals.recordCount > 0 else { return }
    if totals.recordCount == 1 {
      versions[version] = nil
    } else {
      versions.update(version, from: totals) { $0.remove(byteCount: byteCount) }
    }
    total.remove(byteCount: byteCount)
  }

  /// Whether nothing that `other` counts is missing.
  func covers(_ other: LiveTotals) -> Bool {
    other.versions.entries.allSatisfy { version, totals in
      let own = versions[version] ?? RecordTotals()
      return own.recordCount >= totals.recordCount && own.byteCount >= totals.byteCount
    }
  }

  /// The same for all that `other` counts.
  mutating func remove(_ other: LiveTotals) {
    for (version, totals) in other.versions.entries {
      guard let present = versions[version] else { continue }
      if present.recordCount <= totals.recordCount {
        versions[version] = nil
        total.remove(present)
      } else {
        versions.update(version, from: present) { $0.remove(totals) }
        total.remove(totals)
      }
    }
  }

  mutating func add(_ version: CollectionVersion, _ totals: RecordTotals) {
    versions.update(version, from: RecordTotals()) { $0.add(totals) }
    total.add(totals)
  }

  mutating func add(_ other: LiveTotals) {
    for (version, totals) in other.versions.entries { add(version, totals) }
  }

  /// Ascending by collection and version, so that the same contents give the same bytes.
  var sorted: [(version: CollectionVersion, totals: RecordTotals)] {
    versions.entries.sorted { $0.key < $1.key }.map { (version: $0.key, totals: $0.value) }
  }

  /// The same by version.
  var byVersion: [CollectionVersion: RecordTotals] {
    Dictionary(uniqueKeysWithValues: versions.entries.map { ($0.key, $0.value) })
  }
}
