internal import FileIO

/// Counts and times what is written to a store's files; from any thread.
final class WriteMeter: Sendable {
  /// What a file holds, by its name.
  enum Kind {
    case segment, run, manifest, other

    init(_ name: FileName) {
      if name == StoreDirectory.manifest || name == StoreDirectory.newManifest {
        self = .manifest
      } else if StoreDirectory.segmentIdentifier(of: name.description) != nil {
        self = .segment
      } else {
        self = StoreDirectory.runIdentifier(of: name.description) == nil ? .other : .run
      }
    }
  }

  private let counters: ActivityCounters
  private let observer: (any StoreObserver)?
  private let timeSource: any TimeSource

  init(_ counters: ActivityCounters, _ configuration: LogConfiguration) {
    self.counters = counters
    observer = configuration.observer
    timeSource = configuration.timeSource
  }

  func count(_ byteCount: Int, _ kind: Kind) {
    switch kind {
    case .segment: counters.segmentByteCount.add(byteCount)
    case .run: counters.runByteCount.add(byteCount)
    case .manifest: counters.manifestByteCount.add(byteCount)
    case .other: counters.otherByteCount.add(byteCount)
    }
  }

  /// Runs a synchronization, which counts unless it fails: that poisons the log, and is told so.
  func timing(_ body: () throws(FileIOError) -> Void) throws(FileIOError) {
    let start = timeSource.monotonicNanoseconds()
    try body()
    let end = timeSource.monotonicNanoseconds()
    let duration = end < start ? 0 : end - start
    counters.synchronizationCount.add(1)
    counters.synchronizationNanoseconds.add(duration)
    observer?.observe(.synchronized(nanoseconds: duration))
  }
}
