internal import LogStore
internal import SchemaRegistry

/// The barriers that a store has to pass before it can be used under its history.
struct BarrierPlan {
  let barriers: [ResolvedBarrier]
  let estimate: BarrierEstimate

  /// What is to be done for a store with this catalog and these records; a new store has nothing
  /// behind it, and passes none.
  init(_ history: SchemaHistory, catalog: SchemaCatalog, log: Log) {
    guard let stored = catalog.highestVersion else {
      barriers = []
      estimate = BarrierEstimate(operationIDs: [], recordCount: 0, byteCount: 0)
      return
    }
    barriers = history.barriers(after: stored)
    let touched = barriers.flatMap(\.types).compactMap { catalog.collections[$0] }
    let totals = log.sortedLive.filter { touched.contains($0.version.collection) }.map(\.totals)
    estimate = BarrierEstimate(
      operationIDs: barriers.map(\.id), recordCount: totals.reduce(0) { $0 + $1.recordCount },
      byteCount: totals.reduce(0) { $0 + $1.byteCount })
  }
}
