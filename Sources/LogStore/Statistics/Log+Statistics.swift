extension Log {
  /// Live records by collection and schema version, as of the last commit; touches no file.
  public var liveByVersion: [CollectionVersion: RecordTotals] {
    liveTotals.byVersion
  }

  /// The same, ascending by collection and version; a process that just begins has it sooner.
  package var sortedLive: [(version: CollectionVersion, totals: RecordTotals)] {
    liveTotals.sorted
  }

  private var liveTotals: LiveTotals {
    pipeline.enterSettling("taking statistics")
    defer { pipeline.leave() }
    return pipeline.liveTotals
  }

  /// How much of its segments but `spared` is live as of the last commit, but for what some of the
  /// newest commits replaced, which is not known yet; touches no file, holds up commits briefly.
  package func space(sparing spared: Set<SegmentIdentifier>) -> LogSpace {
    pipeline.enterForCommit("taking statistics")
    defer { pipeline.leave() }
    return pipeline.space(sparing: spared)
  }

  /// What the log holds, as of its last commit; asks the size of each file.
  public func statistics() throws(LogError) -> LogStatistics {
    var statistics = try statisticsWithoutFiles()
    try pipeline.addFileSizes(to: &statistics)
    return statistics
  }

  /// The same with 0 for what files take, and for what snapshots hold; touches no file.
  package func statisticsWithoutFiles() throws(LogError) -> LogStatistics {
    var statistics = try pipeline.statistics()
    statistics.activity = pipeline.activity.activity
    statistics.recovery = recoveryReport
    return statistics
  }
}
