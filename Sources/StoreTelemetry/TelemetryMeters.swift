internal import CoreMetrics
internal import LogStore

/// The metrics of a store.
///
///     logstore.commits                 commits
///     logstore.groups                  writes that appended them
///     logstore.records                 records in them
///     logstore.bytes                   bytes of those records
///     logstore.synchronization         how long each synchronization took
///     logstore.seals                   segments sealed
///     logstore.compactions             compactions published
///     logstore.compacted.bytes         bytes of the segments they made
///     logstore.damages                 damage that was met, rebuilt indexes and manifests included
///     logstore.failures                full disks and failed synchronizations
struct TelemetryMeters: Sendable {
  private let commits: Counter
  private let groups: Counter
  private let records: Counter
  private let bytes: Counter
  private let synchronization: Timer
  private let seals: Counter
  private let compactions: Counter
  private let compactedBytes: Counter
  private let damages: Counter
  private let failures: Counter

  init(_ factory: any MetricsFactory, _ dimensions: [(String, String)]) {
    func counter(_ name: String) -> Counter {
      Counter(label: "logstore." + name, dimensions: dimensions, factory: factory)
    }
    commits = counter("commits")
    groups = counter("groups")
    records = counter("records")
    bytes = counter("bytes")
    synchronization = Timer(
      label: "logstore.synchronization", dimensions: dimensions, factory: factory)
    seals = counter("seals")
    compactions = counter("compactions")
    compactedBytes = counter("compacted.bytes")
    damages = counter("damages")
    failures = counter("failures")
  }

  func count(_ event: StoreEvent) {
    switch event {
    case .committed(let commitCount, let recordCount, let byteCount):
      commits.increment(by: commitCount)
      groups.increment()
      records.increment(by: recordCount)
      bytes.increment(by: byteCount)
    case .synchronized(let nanoseconds):
      synchronization.recordNanoseconds(Int64(clamping: nanoseconds))
    case .sealed: seals.increment()
    case .compacted(_, _, _, let byteCount):
      compactions.increment()
      compactedBytes.increment(by: byteCount)
    case .opened(_, let report) where report.rebuiltManifest != nil: damages.increment()
    case .damaged, .footerRebuilt, .undescribed: damages.increment()
    case .diskFull, .poisoned: failures.increment()
    default: break
    }
  }
}
