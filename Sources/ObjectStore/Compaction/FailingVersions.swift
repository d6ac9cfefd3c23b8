internal import Compaction
internal import LogStore

/// Versions that automatic compaction leaves, so that code which always fails does not go through
/// the whole store: a value that learns from what compactions report.
struct FailingVersions {
  /// What failed of versions of which no record could be upgraded.
  private struct Failures {
    var recordCount: UInt64 = 0
    var stepCount = 0
  }

  private var failures: [CollectionVersion: Failures] = [:]
  /// Versions of which some could: what fails of them are single records.
  private var changed: Set<CollectionVersion> = []

  /// Fewer failures may be of single records, where others of their version come later.
  static let recordCountMinimum: UInt64 = 64
  /// The same; but each step rewrites a whole segment, for however few.
  static let stepCountMinimum = 4

  /// Those of which so many records failed, or some in so many steps, and none could be upgraded.
  var all: Set<CollectionVersion> {
    let left = failures.filter {
      $0.value.recordCount >= Self.recordCountMinimum
        || $0.value.stepCount >= Self.stepCountMinimum
    }
    return Set(left.keys)
  }

  /// Takes over what became of `step`. One that did not go through may have missed what can be
  /// upgraded, and one that was to upgrade nothing met records that had failed before.
  mutating func note(_ report: CompactionReport, of step: CompactionPlan.Step) {
    note(changed: report.changedVersions)
    let wentThrough = !report.wasCancelled && report.leftSegments.isEmpty
    guard wentThrough, step.staleRecordCount > 0 else { return }
    for (version, count) in report.failedCounts where !changed.contains(version) {
      failures[version, default: Failures()].recordCount += count
      failures[version]?.stepCount += 1
    }
  }

  /// Records of `versions` were upgraded, by whatever compaction.
  mutating func note(changed versions: Set<CollectionVersion>) {
    changed.formUnion(versions)
    for version in versions { failures[version] = nil }
  }
}
