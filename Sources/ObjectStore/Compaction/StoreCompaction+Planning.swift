internal import Compaction
internal import FileIO
internal import LogStore

extension StoreCompaction {
  /// The plan of a store that compacts itself, with what it was made from.
  struct Planned {
    let plan: CompactionPlan
    let upgrader: HeldUpgrader
  }

  /// What is found worth it now, of which the first step is to be carried out.
  ///
  /// While puts fail because there is no room for them: all that is dead, and nothing is upgraded,
  /// as that might take more. What found no room comes again when nothing else is left to try.
  /// `refusalCount` is from before `statistics` were taken.
  func plan(
    _ statistics: LogStatistics, since refusalCount: Int, failing: Set<CollectionVersion>,
    sparing spared: inout SparedSegments
  ) throws(StoreError) -> Planned {
    let isDiskFull = log.isDiskFull
    var upgrader = try self.upgrader(failing: failing)
    if isDiskFull { upgrader.holdsAll = true }
    let policy = isDiskFull ? configuration.policy.forFullDisk : configuration.policy
    func plan(_ spared: SparedSegments) -> CompactionPlan {
      policy.plan(
        statistics.segments, targetByteCount: statistics.segmentByteCountTarget,
        fileByteCount: asksFiles ? statistics.fileByteCount : nil, sparing: spared,
        isStale: upgrader.isStale)
    }
    var found = plan(spared)
    if found.isEmpty, spared.forgetWithoutRoom() { found = plan(spared) }
    if found.isEmpty, isDiskFull { log.noteNothingToCompact(since: refusalCount) }
    // The version is described when something is rewritten, or when its age is to count.
    guard !isDiskFull, !found.isEmpty || holdsByAge else {
      return Planned(plan: found, upgrader: upgrader)
    }
    let described = try describedUpgrader(failing: failing)
    guard described.upgrader.holdsAll != upgrader.holdsAll else {
      return Planned(plan: found, upgrader: described.upgrader)
    }
    upgrader = described.upgrader
    return Planned(plan: plan(spared), upgrader: upgrader)
  }

  /// Those of the log's segments in which nothing but failures is left to upgrade, by whoever
  /// rewrote them.
  func triedSegments(of present: [SegmentStatistics]) -> Set<SegmentIdentifier> {
    tried.withLock { spared in
      spared.update(present)
      return spared.tried
    }
  }

  private var holdsByAge: Bool {
    if case .olderThan = configuration.upgradeThrough { true } else { false }
  }

  /// What the log tells for a plan.
  func logStatistics() throws(StoreError) -> LogStatistics {
    try StoreError.log { () throws(LogError) in
      try asksFiles ? log.statistics() : log.statisticsWithoutFiles()
    }
  }

  /// Whether the policy goes by what files take; to know that, each is opened.
  private var asksFiles: Bool {
    if case .byteCount = configuration.policy.goal { true } else { false }
  }
}
