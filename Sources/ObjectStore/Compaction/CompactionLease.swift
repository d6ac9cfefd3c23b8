internal import FileIO

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

  /// Code of the application that a step runs, or an observer on a thread of the log, may be the
  /// last to have the store. It cannot wait for the end of what that thread does, so another one
  /// does.
  ///
  /// Whoever keeps the compaction keeps what is watched, too, which must end all the same.
  deinit {
    engine.reading.watches.finish()
    let (compaction, end) = (compaction, end)
    let stop = { @Sendable in
      compaction.stop()
      end.set()
    }
    guard compaction.isOwnThread || engine.log.isOwnThread else { return stop() }
    compaction.end()
    if !SerialWorker().submit(stop) { end.set() }
  }
}
