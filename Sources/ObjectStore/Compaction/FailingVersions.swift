internal import Compaction
internal import LogStore

/// Versions that automatic compaction leaves, so that code which always fails does not go through
/// the whole store: a value that learns from what steps report.
struct FailingVersions {
  /// Those of which a step could upgrade no record, nor could one before it.
  private(set) var all: Set<CollectionVersion> = []
  /// Those of which some could: what fails of them are single records.
  private var changed: Set<CollectionVersion> = []

  /// Takes over what became of `step`. One that did not go through may have missed what can be
  /// upgraded, and one that was to upgrade nothing met records that had failed before.
  mutating func note(_ report: CompactionReport, of step: CompactionPlan.Step) {
    changed.formUnion(report.changedVersions)
    let wentThrough = !report.wasCancelled && report.leftSegments.isEmpty
    guard wentThrough, step.staleRecordCount > 0 else { return }
    all.formUnion(report.failedVersions.subtracting(changed))
  }
}
