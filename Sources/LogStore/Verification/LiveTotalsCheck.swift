internal import FileIO

/// Counts what is live by walking all indexes, and compares that with what the store believes.
///
/// The totals decide what compaction rewrites and where the catalog is looked for, so one that is
/// too low is damage. One that is too high is not: a writer that could not read an index counts
/// what it replaced as live. Costs one walk of the indexes; memory is one page for each segment.
struct LiveTotalsCheck {
  /// What is wrong, segment by segment.
  private(set) var damages: [CorruptionReport] = []
  /// The segments in which more is counted than there is.
  private(set) var overcounted: [SegmentIdentifier] = []

  /// Compares; `state` is what recovery made of the store.
  init(of state: RecoveredState) throws(LogError) {
    try state.settleReplacements()
    let found = try Self.totals(in: state.view)
    let counted = state.accounts.values.map(\.descriptor).sorted {
      $0.identifier < $1.identifier
    }
    for segment in counted {
      let actual = found[segment.identifier, default: LiveTotals()]
      if segment.live == actual { continue }
      if segment.live.covers(actual) {
        overcounted.append(segment.identifier)
      } else {
        damages.append(
          CorruptionReport(
            file: StoreDirectory.manifest.description, offset: 0,
            reason: "the live records of segment \(segment.identifier) are not as many as it says")
        )
      }
    }
  }

  /// What is live in each segment of a view.
  static func totals(in view: View) throws(LogError) -> [SegmentIdentifier: LiveTotals] {
    var found: [SegmentIdentifier: LiveTotals] = [:]
    let cursor = try MergingCursor(
      view: view, overlay: nil, sealed: view.sealed.map { .footer($0) })
    while let current = cursor.current {
      if !current.value.isTombstone, case .segment(let segment) = current.origin {
        found[segment.identifier, default: LiveTotals()].add(
          CollectionVersion(
            collection: CollectionIdentifier(current.key.collection),
            schemaVersion: current.value.schemaVersion),
          byteCount: UInt64(current.value.length))
      }
      try cursor.advance()
    }
    return found
  }
}
