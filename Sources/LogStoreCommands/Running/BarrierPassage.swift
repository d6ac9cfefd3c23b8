internal import FileIO
internal import ObjectStore
internal import SchemaRegistry

/// The barriers that a compaction under a history passes before its own work.
///
/// They may be most of what there is to do: so they have progress, keep to the pace, and are told
/// of, and what the files took is taken before them.
struct BarrierPassage {
  /// Which they are, and what they run over.
  let estimate: BarrierEstimate
  /// Bytes of all files before them; nothing where that could not be told.
  let byteCountBefore: UInt64?
  /// How long they took.
  var duration = Duration.zero

  /// Those that the store at `path` has to pass under `history`; nothing where there are none. What
  /// is wrong otherwise, whoever opens the store for writing is told.
  static func pending(at path: String, history: SchemaHistory?) -> BarrierPassage? {
    guard let history else { return nil }
    do throws(StoreError) {
      _ = try Store.open(at: path, history: history, configuration: .inspection)
      return nil
    } catch .barrierPending(let estimate) {
      let statistics = try? Store.open(at: path, configuration: .inspection).statistics()
      return BarrierPassage(
        estimate: estimate, byteCountBefore: statistics?.log.fileByteCount)
    } catch {
      return nil
    }
  }

  /// Opens the store for compaction, which passes them.
  mutating func open(
    _ path: String, history: SchemaHistory?, pace: CompactionPace, bar: ProgressBar
  ) throws(StoreError) -> Store {
    let start = ContinuousClock.now
    // Progress is told on the thread that opens the store, which waits for it.
    nonisolated(unsafe) let bar = bar
    var configuration = StoreConfiguration.maintenance
    configuration.barriers.progress = { progress in
      bar.update(Self.progress(progress))
      Self.rest(after: progress, since: start, pace)
      return true
    }
    let store = try Store.open(at: path, history: history, configuration: configuration)
    duration = ContinuousClock.now - start
    return store
  }

  /// What a progress bar shows of them.
  static func progress(_ progress: BarrierProgress) -> Progress {
    Progress(
      completed: progress.recordCount, total: progress.estimate.recordCount,
      objectCount: progress.recordCount)
  }

  private static func rest(
    after progress: BarrierProgress, since start: ContinuousClock.Instant, _ pace: CompactionPace
  ) {
    let monitor = Monitor()
    monitor.enter()
    defer { monitor.leave() }
    while true {
      let milliseconds = milliseconds(
        toRestAfter: progress, elapsed: ContinuousClock.now - start, pace)
      if milliseconds == 0 { return }
      monitor.wait(milliseconds: milliseconds)
    }
  }

  /// How long to rest when so much was done in `elapsed`, a minute at most. A record counts as many
  /// bytes as the mean of all: more is not known of it.
  static func milliseconds(
    toRestAfter progress: BarrierProgress, elapsed: Duration, _ pace: CompactionPace
  ) -> Int {
    let estimate = progress.estimate
    guard pace.byteCountPerSecond != nil, estimate.recordCount > 0 else { return 0 }
    let share = Double(progress.recordCount) / Double(estimate.recordCount)
    let seconds = max(0, elapsed / .seconds(1))
    let nanoseconds = pace.rest(
      afterCopying: UInt64(min(1, share) * Double(estimate.byteCount)),
      nanoseconds: UInt64(seconds * 1e9), processorNanoseconds: 0)
    return Int(nanoseconds / 1_000_000)
  }

  var line: String {
    "Passed \(estimate.operationIDs.joined(separator: ", ")) over "
      + "\(GroupedNumber(estimate.recordCount)) \(estimate.recordCount == 1 ? "record" : "records")"
      + " of \(ByteCount(estimate.byteCount)) in \(DurationText(duration)), before the compaction"
  }

  var report: Report {
    [
      "operations": .list(estimate.operationIDs.map { .text($0) }),
      "records": .count(estimate.recordCount), "bytes": .count(estimate.byteCount),
      "seconds": .seconds(duration),
    ]
  }
}
