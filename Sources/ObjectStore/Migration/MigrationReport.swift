public import Compaction

/// What a migration did.
public struct MigrationReport: Sendable {
  /// Records that were written in the current version.
  public let upgradedCount: UInt64
  /// Records that a step dropped, those of removed types, and keys of indexes that are not needed.
  public let droppedCount: UInt64
  /// Records whose upgrade failed in this call; they are as they were.
  public let failedCount: UInt64
  /// The first thousand of them.
  public let failures: [CompactionReport.FailedRecord]
  /// Whether nothing is left but records whose upgrade fails or needs code that is not at hand.
  ///
  /// A call that upgraded, dropped and failed nothing and is not finished found only what is held
  /// back or damaged: the next one finds the same.
  public let isFinished: Bool

  init(_ report: CompactionReport, isFinished: Bool) {
    upgradedCount = report.upgradedCount
    droppedCount = report.droppedCount
    failedCount = report.failedCount
    failures = report.failures
    self.isFinished = isFinished
  }
}
