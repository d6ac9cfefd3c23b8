internal import ObjectStore

/// Foretells how long a compaction takes, from reading a part of the store.
enum CompactionEstimate {
  /// Reading stops after so long: an estimate must not cost as much as the work.
  private static let sampleDuration = Duration.milliseconds(200)
  /// What copying a record costs, for each time that reading and upgrading it does; a rough guess.
  private static let costOfCopying = 1.5

  /// Seconds that `plan` would take; nothing when there is nothing to read.
  static func seconds(
    of plan: CompactionPlan, in store: Store, pace: CompactionPace
  ) throws -> Double? {
    if plan.isEmpty { return 0 }
    let start = ContinuousClock.now
    let snapshot = store.snapshot()
    var count: UInt64 = 0
    for type in store.sortedTypes {
      let objects = try snapshot.objects(ofType: type.name)
      while start.duration(to: .now) < sampleDuration {
        // What cannot be upgraded costs as much, and is told elsewhere.
        switch Result(catching: { () throws(StoreError) in try objects.next() }) {
        case .success(nil): break
        case .success, .failure:
          count += 1
          continue
        }
        break
      }
    }
    guard count > 0 else { return nil }
    let each = start.duration(to: .now) / .seconds(1) / Double(count)
    let worked = Double(plan.liveRecordCount) * each * costOfCopying
    let byBytes = pace.byteCountPerSecond.map { Double(plan.liveByteCount) / Double($0) } ?? 0
    return max(worked, byBytes)
  }
}
