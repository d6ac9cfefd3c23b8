package import BinaryCoding

extension HistoryCheck {
  /// Throws when a barrier will never run that objects are waiting for: the store has its version,
  /// and recorded that this did other things, as another branch gave it the same number.
  ///
  /// A version that nothing is recorded of is not judged, and types are not that are gone.
  package static func checkBarriers(
    _ history: SchemaHistory, records: [RecordCount], requested: SchemaVersion,
    ledger: SortedTable<SchemaVersion, RecordedVersion>
  ) throws(SchemaError) {
    let current = try history.shape(at: requested)
    for barrier in history.barriers(after: history.base.version) {
      guard barrier.version <= requested, let recorded = ledger[barrier.version],
        !recorded.operations.contains(where: { $0.id == barrier.id })
      else { continue }
      let waiting = records.first {
        $0.count > 0 && $0.version < barrier.version && barrier.types.contains($0.type)
          && current.type($0.type) != nil
      }
      guard let waiting else { continue }
      throw .barrierNotRun(type: waiting.type.originalName, operationID: barrier.id)
    }
  }
}
