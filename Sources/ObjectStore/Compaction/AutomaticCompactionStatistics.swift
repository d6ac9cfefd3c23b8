internal import Compaction
public import LogStore

/// What the automatic compaction of a store has done since it was opened.
public struct AutomaticCompactionStatistics: Sendable, Equatable {
  /// What it is doing.
  public enum Activity: Sendable, Hashable {
    /// It waits until there may be something to do.
    case idle
    /// A step of a plan is being carried out, or rests between two slices.
    case running
    /// It was paused.
    case paused
    /// The store was closed, takes no more writes, or is not compacted automatically.
    case stopped
  }

  /// What it is doing.
  public internal(set) var activity = Activity.idle
  /// Steps that were carried out; each replaced some segments by others.
  public internal(set) var stepCount = 0
  /// Steps that were given up, because the store was closed or somebody asked for it.
  public internal(set) var cancelledCount = 0
  /// Segments that were replaced.
  public internal(set) var segmentCount = 0
  /// Bytes of live records that were copied, those of steps that were given up among them.
  public internal(set) var copiedByteCount: UInt64 = 0
  /// Records that were upgraded for good.
  public internal(set) var upgradedCount: UInt64 = 0
  /// Records whose upgrade failed; they kept their bytes, and are not tried again.
  public internal(set) var failedCount: UInt64 = 0
  /// Tombstones that hid nothing any more and were removed.
  public internal(set) var removedTombstoneCount: UInt64 = 0
  /// Time spent working, in nanoseconds, waiting for the disk among it.
  public internal(set) var workNanoseconds: UInt64 = 0
  /// Time for which a processor worked for it, in nanoseconds.
  public internal(set) var processorNanoseconds: UInt64 = 0
  /// Time spent resting between slices, in nanoseconds, so that others come to their turn.
  public internal(set) var restNanoseconds: UInt64 = 0
  /// The part of the segments' bytes that was dead when it looked last, 0 to 1.
  public internal(set) var deadFraction = 0.0
  /// The dead bytes themselves: what it owes.
  public internal(set) var debtByteCount: UInt64 = 0
  /// Segments that are left as they are because something in them does not verify.
  public internal(set) var damages: [CorruptionReport] = []
  /// Errors of the disk for which others are left as they are until the store is opened again.
  public internal(set) var readFailures: [LogError] = []
  /// What ended it last before its work was done; nothing when the last step succeeded. It is tried
  /// again for some time, and whenever a segment begins.
  public internal(set) var lastError: StoreError?

  /// Takes over what a step did, or had done when it was given up, or failed before it `isOver`.
  mutating func note(_ report: CompactionReport, _ slices: CompactionSlices, isOver: Bool) {
    copiedByteCount &+= slices.byteCount
    noteTime(of: slices)
    damages.note(report.damages)
    readFailures += report.readFailures
    segmentCount += report.segmentCount
    upgradedCount &+= report.upgradedCount
    failedCount &+= report.failedCount
    removedTombstoneCount &+= report.removedTombstoneCount
    if report.wasCancelled {
      cancelledCount += 1
    } else if isOver {
      stepCount += 1
    }
  }

  /// Takes over how long work lasted.
  mutating func noteTime(of slices: CompactionSlices) {
    workNanoseconds &+= slices.workNanoseconds
    processorNanoseconds &+= slices.processorNanoseconds
  }
}
