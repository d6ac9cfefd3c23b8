internal import LogStore
internal import SchemaRegistry

/// The barriers that a store has to pass before it can be used under its history.
struct BarrierPlan {
  let barriers: [ResolvedBarrier]
  let estimate: BarrierEstimate
  /// Records that the barriers read, again for each that touches their type.
  private let visitCount: UInt64

  /// What is to be done for a store with this catalog and these records; a new store has nothing
  /// behind it, and passes none.
  init(_ history: SchemaHistory, catalog: SchemaCatalog, log: Log) {
    barriers = catalog.highestVersion(with: log).map { history.barriers(after: $0) } ?? []
    guard !barriers.isEmpty else {
      visitCount = 0
      estimate = BarrierEstimate(operationIDs: [], recordCount: 0, byteCount: 0)
      return
    }
    let touched = barriers.flatMap(\.types).compactMap { catalog.collections[$0] }
    let totals = log.sortedLive.filter { touched.contains($0.version.collection) }.map(\.totals)
    estimate = BarrierEstimate(
      operationIDs: barriers.map(\.id), recordCount: totals.reduce(0) { $0 + $1.recordCount },
      byteCount: totals.reduce(0) { $0 + $1.byteCount })
    var counts: [CollectionIdentifier: UInt64] = [:]
    for (key, totals) in log.sortedLive {
      counts[key.collection, default: 0] += totals.recordCount
    }
    visitCount = barriers.flatMap(\.types).reduce(0) { sum, type in
      sum + (catalog.collections[type].flatMap { counts[$0] } ?? 0)
    }
  }

  /// The part of the estimated records that were brought along after so many were read; those that
  /// barriers make for later ones count for nothing.
  func progress(_ readCount: UInt64) -> UInt64 {
    guard visitCount > 0 else { return 0 }
    let share = Double(min(readCount, visitCount)) / Double(visitCount)
    return UInt64((share * Double(estimate.recordCount)).rounded())
  }
}

extension SchemaCatalog {
  /// The highest version that anything in the store is of; nothing for a new one.
  ///
  /// All that a barrier does is committed with the description of its version, which a salvage may
  /// have lost without the rest: what ran must not run again over its own results.
  func highestVersion(with log: Log) -> SchemaVersion? {
    let records = log.sortedLive.filter {
      $0.totals.recordCount > 0 && identity(of: $0.version.collection) != nil
    }
    let newest = records.map { SchemaVersion(rawValue: $0.version.schemaVersion) }.max()
    return [highestVersion, ledger.keys.last, newest].compactMap { $0 }.max()
  }
}
