internal import Compaction
internal import FileIO
internal import LogStore

extension Store {
  /// Writes every object of an older version in the current one, as far as `budget` allows.
  ///
  /// Nobody has to call it: objects are upgraded when they are read. It makes the steps of older
  /// versions unnecessary, and reading as fast as can be. Rewrites the segments that hold such
  /// objects, one after the other, beside readers and writers. Memory is a constant, extra disk
  /// about one segment. Ended or killed at any time it loses at most the segment it was in; the
  /// next call goes on. Durable on return. `progress` ends it by returning false. What
  /// ``CompactionConfiguration/upgradeThrough`` holds back is left for later, here as well.
  ///
  /// Records whose upgrade fails are tried again by a migration without a budget, behind all
  /// others; with one, once while the store is open, so that calls which go on come to an end.
  ///
  /// It works on several processors where there are some, and compresses quickly: what it writes is
  /// about a tenth larger than what ``compact(_:pace:progress:)`` writes. The indexes are merged
  /// afterwards in the background, a fifth of a second after the last commit, or before it returns
  /// where the store has no threads; where the store is closed before, after the first commit to it
  /// when it is open again. Not in the body of a write.
  @discardableResult
  public func migrate(
    _ budget: MigrationBudget = .unlimited,
    progress: (MigrationProgress) -> Bool = { _ in true }
  ) throws(StoreError) -> MigrationReport {
    let clock = ContinuousClock()
    let start = clock.now
    var stepCount = 0
    let report = try compaction.exclusively { () throws(StoreError) in
      let spared = try spared(tryingAgain: budget == .unlimited)
      return try engine.run(.upgradesOnly, pace: .unlimited, effort: .quick, sparing: spared) {
        state in
        let wanted = progress(
          MigrationProgress(
            recordCount: state.recordCount, recordCountTotal: state.recordCountTotal))
        guard wanted, state.stepCount > stepCount else { return wanted }
        stepCount = state.stepCount
        return !budget.isUsedUp(recordCount: state.recordCount, duration: clock.now - start)
      }
    }
    return MigrationReport(report, isFinished: try !hasUntriedObjects())
  }

  /// What has been tried already, of the segments that there are.
  private func spared(tryingAgain: Bool) throws(StoreError) -> SparedSegments {
    let segments = try segments()
    return engine.tried.withLock { spared in
      spared.update(segments)
      spared.triesAgain = tryingAgain
      return spared
    }
  }

  /// Whether there are objects of older versions that no migration has tried.
  ///
  /// Asked of the segments: a plan leaves out what is held back, and segments may be damaged.
  private func hasUntriedObjects() throws(StoreError) -> Bool {
    let tried = engine.tried.withLock { $0.tried }
    return try segments().contains { segment in
      !tried.contains(segment.identifier)
        && segment.liveVersions.contains {
          $0.totals.recordCount > 0 && reader.isStale($0.version)
        }
    }
  }

  private func segments() throws(StoreError) -> [SegmentStatistics] {
    try StoreError.log { () throws(LogError) in try log.statisticsWithoutFiles().segments }
  }

  /// The same for callers that must not block: the work is done on a thread of its own, and ends
  /// when the sequence is let go or its task is cancelled.
  ///
  /// Gives progress every few thousand records, and throws what ended the work. Progress that
  /// nobody takes in time is passed over.
  public func migration(
    _ budget: MigrationBudget = .unlimited
  ) -> AsyncThrowingStream<MigrationProgress, any Error> {
    AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let isCancelled = Lock(false)
      continuation.onTermination = { _ in isCancelled.withLock { $0 = true } }
      let work = { @Sendable () -> Void in
        do throws(StoreError) {
          try self.migrate(budget) { progress in
            continuation.yield(progress)
            return !isCancelled.withLock { $0 }
          }
          continuation.finish()
        } catch { continuation.finish(throwing: error) }
      }
      // Without a thread the caller's own has to do.
      if !SerialWorker().submit(work) { work() }
    }
  }
}
