internal import LogStore
internal import ObjectStore

/// The schema versions of the live objects in segments.
struct SegmentVersions {
  /// Records of the catalog and of indexes of members have a version, too, that says nothing.
  private let collections: Set<CollectionIdentifier>

  init(_ statistics: StoreStatistics) { collections = Set(statistics.types.map(\.collection)) }

  /// Live objects of a segment by version.
  func totals(of segment: SegmentStatistics) -> [UInt64: RecordTotals] {
    var result: [UInt64: RecordTotals] = [:]
    for (version, totals) in segment.liveVersions where collections.contains(version.collection) {
      let known = result[version.schemaVersion] ?? RecordTotals()
      result[version.schemaVersion] = RecordTotals(
        recordCount: known.recordCount &+ totals.recordCount,
        byteCount: known.byteCount &+ totals.byteCount)
    }
    return result
  }
}

extension SegmentStatistics {
  /// Bytes that a rewrite would give back.
  var deadByteCount: UInt64 { byteCount - min(byteCount, live.byteCount) }
}
