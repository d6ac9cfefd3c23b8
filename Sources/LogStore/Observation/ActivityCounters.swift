/// Counts what a log does; from any thread.
final class ActivityCounters: Sendable {
  let commitCount = RelaxedCounter()
  let groupCount = RelaxedCounter()
  let recordCount = RelaxedCounter()
  let recordByteCount = RelaxedCounter()
  let segmentByteCount = RelaxedCounter()
  let footerByteCount = RelaxedCounter()
  let compactionByteCount = RelaxedCounter()
  let runByteCount = RelaxedCounter()
  let manifestByteCount = RelaxedCounter()
  let otherByteCount = RelaxedCounter()
  let synchronizationCount = RelaxedCounter()
  let synchronizationNanoseconds = RelaxedCounter()
  let sealCount = RelaxedCounter()
  let compactionCount = RelaxedCounter()
  let mergeCount = RelaxedCounter()

  /// The counts so far.
  var activity: LogActivity {
    LogActivity(
      commitCount: commitCount.current, groupCount: groupCount.current,
      recordCount: recordCount.current, recordByteCount: recordByteCount.current,
      segmentByteCount: segmentByteCount.current, footerByteCount: footerByteCount.current,
      compactionByteCount: compactionByteCount.current, runByteCount: runByteCount.current,
      manifestByteCount: manifestByteCount.current, otherByteCount: otherByteCount.current,
      synchronizationCount: synchronizationCount.current,
      synchronizationNanoseconds: synchronizationNanoseconds.current,
      sealCount: sealCount.current, compactionCount: compactionCount.current,
      mergeCount: mergeCount.current)
  }
}
