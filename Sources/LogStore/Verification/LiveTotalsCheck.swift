internal import FileIO

/// Counts what is live by walking all indexes, and compares that with what the store believes.
///
/// The totals decide what compaction rewrites and where the catalog is looked for, so a wrong one
/// is damage. Costs one walk of the indexes; memory is one page for each segment.
enum LiveTotalsCheck {
  /// What is wrong, segment by segment; `state` is what recovery made of the store.
  static func damages(in state: RecoveredState) throws(LogError) -> [CorruptionReport] {
    try state.settleReplacements()
    let found = try totals(in: state.view)
    return state.accounts.values
      .filter { $0.descriptor.live != found[$0.descriptor.identifier, default: LiveTotals()] }
      .map(\.descriptor.identifier).sorted()
      .map { identifier in
        CorruptionReport(
          file: StoreDirectory.manifest.description, offset: 0,
          reason: "the live records of segment \(identifier) are not as many as it says")
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
