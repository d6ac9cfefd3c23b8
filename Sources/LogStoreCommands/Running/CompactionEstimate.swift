internal import ObjectStore
internal import SchemaRegistry

/// Foretells how long a compaction takes, from reading a part of the store.
///
/// Some objects of each type are read: types differ in how long their upgrade takes. The mean of a
/// type counts as much as the type has live records.
struct CompactionEstimate {
  /// What was read of one type.
  struct Sample {
    /// Live records of the type.
    let recordCount: UInt64
    /// Those that were read.
    var readCount: UInt64 = 0
    /// How long that took.
    var duration = Duration.zero
  }

  /// Reading stops after so long: an estimate must not cost as much as the work.
  private static let sampleDuration = Duration.milliseconds(200)
  /// What copying a record costs, for each time that reading and upgrading it does; a rough guess.
  private static let costOfCopying = 1.5

  private(set) var samples: [Sample] = []

  /// Reads some objects of each type of `store` that has any.
  init(
    _ store: Store, now: () -> ContinuousClock.Instant = { ContinuousClock.now }
  ) throws {
    let statistics = try store.statistics()
    let snapshot = store.snapshot()
    let types = store.sortedTypes.map { type in
      let counts = statistics.types.filter { $0.identity == type.identity }
        .map(\.totals.recordCount)
      return (name: type.name, recordCount: counts.reduce(0, &+))
    }.filter { $0.recordCount > 0 }
    for type in types {
      samples.append(
        Self.sample(
          Sample(recordCount: type.recordCount), try snapshot.objects(ofType: type.name),
          Self.sampleDuration / types.count, now))
    }
  }

  init(_ samples: [Sample]) { self.samples = samples }

  private static func sample(
    _ sample: Sample, _ objects: DynamicObjectCursor, _ limit: Duration,
    _ now: () -> ContinuousClock.Instant
  ) -> Sample {
    var sample = sample
    let start = now()
    while sample.duration < limit {
      // What cannot be upgraded costs as much, and is told elsewhere.
      let next = Result(catching: { () throws(StoreError) in try objects.next() })
      if case .success(nil) = next { break }
      sample.readCount += 1
      sample.duration = start.duration(to: now())
    }
    return sample
  }

  /// Seconds that reading a record takes, on average of all; nothing where none was read.
  var secondsForEach: Double? {
    let read = samples.filter { $0.readCount > 0 }
    let all = read.reduce(0) { $0 + Double($1.recordCount) }
    guard all > 0 else { return nil }
    let seconds = read.reduce(0) { sum, sample in
      let each = sample.duration / .seconds(1) / Double(sample.readCount)
      return sum + each * Double(sample.recordCount)
    }
    return seconds / all
  }

  /// Seconds that `plan` would take; nothing when there is nothing to read.
  func seconds(of plan: CompactionPlan, pace: CompactionPace) -> Double? {
    guard let secondsForEach else { return nil }
    let worked = Double(plan.liveRecordCount) * secondsForEach * Self.costOfCopying
    let byBytes = pace.byteCountPerSecond.map { Double(plan.liveByteCount) / Double($0) } ?? 0
    return max(worked, byBytes)
  }
}
