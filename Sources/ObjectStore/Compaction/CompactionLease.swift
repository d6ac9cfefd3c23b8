/// Ends the compaction of a store when the last of the objects goes that stand for the open store.
final class CompactionLease: Sendable {
  let engine: StoreCompaction
  let compaction: AutomaticCompaction
  /// Tells who does not hold the lease that it is through.
  let end = LeaseEnd()

  init(_ engine: StoreCompaction, isAutomatic: Bool) {
    self.engine = engine
    compaction = AutomaticCompaction(engine, isAutomatic: isAutomatic)
  }

  deinit {
    compaction.stop()
    end.set()
  }
}
