internal import Compaction
internal import LogStore

/// Versions that automatic compaction leaves, so that code which always fails does not go through
/// the whole store: a value that learns from what compactions report.
struct FailingVersions {
  /// How many records failed, of versions of which none could be upgraded.
  private var failureCounts: [CollectionVersion: UInt64] = [:]
  /// Versions of which some could: what fails of them are single records.
  private var changed: Set<CollectionVersion> = []

  /// Fewer failures may be of single records, where others of their version come later; and to try
  /// so few costs next to nothing, as the segments in which they lie then are not tried again.
  static let failureCountMinimum: UInt64 = 64

  /// Those of which so many records failed and none could be upgraded.
  var all: Set<CollectionVersion> {
    Set(failureCounts.filter { $0.value >= Self.failureCountMinimum }.keys)
  }

  /// Takes over what became of `step`. One that did not go through may have missed what can be
  /// upgraded, and one that was to upgrade nothing met records that had failed before.
  mutating func note(_ report: CompactionReport, of step: CompactionPlan.Step) {
    note(changed: report.changedVersions)
    let wentThrough = !report.wasCancelled && report.leftSegments.isEmpty
    guard wentThrough, step.staleRecordCount > 0 else { return }
    for (version, count) in report.failedCounts where !changed.contains(version) {
      failureCounts[version, default: 0] += count
    }
  }

  /// Records of `versions` were upgraded, by whatever compaction.
  mutating func note(changed versions: Set<CollectionVersion>) {
    changed.formUnion(versions)
    for version in versions { failureCounts[version] = nil }
  }
}
