public import LogStore
internal import SchemaRegistry

/// Carries out compaction plans: verify, upgrade, copy, and exchange in one atomic edit per step.
///
/// Readers and writers go on meanwhile. Extra memory is a constant. Extra disk is the outputs of
/// what is rewritten together: at most a segment and a half, or what one input becomes when an
/// upgrade makes its records grow. A run that is cancelled or killed leaves a correct store and
/// loses at most the step it was in; running it again finishes the work.
public struct Compactor: Sendable {
  private let log: Log
  private let upgrader: any RecordUpgrader
  private let threadCount: Int
  private let effort: CompressionEffort

  /// Compacts `log`; records of old versions go through `upgrader`.
  ///
  /// `threadCount` threads beside the caller's compress, at most 16; as many as there are other
  /// processors, but three at most, when it is not given. What is written is the same with any,
  /// unless an upgrade makes records grow so much that fewer segments are rewritten together.
  public init(
    _ log: Log, upgrader: any RecordUpgrader = NoUpgrade(), threadCount: Int? = nil
  ) {
    self.init(log, upgrader: upgrader, effort: .thorough, threadCount: threadCount)
  }

  /// The same with little effort, for who is in a hurry: records are a tenth larger, and a log that
  /// has threads merges its indexes when nothing is written any more.
  package init(
    _ log: Log, upgrader: any RecordUpgrader, effort: CompressionEffort, threadCount: Int? = nil
  ) {
    self.log = log
    self.effort = effort
    self.upgrader = upgrader
    self.threadCount = min(max(threadCount ?? Log.compressingThreadCount, 0), 16)
  }

  /// The plan for the current state; nothing is changed.
  ///
  /// With `includesActive`, as if the active segment were sealed.
  public func plan(
    _ policy: CompactionPolicy = .everything, includesActive: Bool = false
  ) throws(LogError) -> CompactionPlan {
    try plan(policy, includesActive: includesActive, sparing: SparedSegments())
  }

  private func plan(
    _ policy: CompactionPolicy, includesActive: Bool = false, sparing spared: SparedSegments
  ) throws(LogError) -> CompactionPlan {
    let statistics = try log.statistics()
    return policy.plan(
      statistics.segments, targetByteCount: statistics.segmentByteCountTarget,
      fileByteCount: statistics.fileByteCount, includesActive: includesActive, sparing: spared,
      isStale: upgrader.upgrades)
  }

  /// Compacts everything that `policy` finds worth it.
  ///
  /// The active segment is sealed first when `includingActive` is set, so that its records take
  /// part. At the end the indexes are merged, so that look-ups ask one. `progress` is called after
  /// each slice of at most 256 KiB, but for the last record; when it returns false the compaction
  /// ends after giving up the current step. What was published is durable on return. On a full disk
  /// it makes room as far as it can, with the help of the reserve.
  /// - Throws: ``LogError/diskFull(cause:needed:free:)`` when segments remain that find no room.
  @discardableResult
  public func run(
    _ policy: CompactionPolicy = .everything, includingActive: Bool = true,
    progress: (CompactionProgress) -> Bool = { _ in true }
  ) throws(LogError) -> CompactionReport {
    var report = CompactionReport()
    try run(
      policy, into: &report, sparing: SparedSegments(), includingActive: includingActive,
      progress: progress)
    return report
  }

  /// The same without what is spared; `report` tells what was done, also when it throws.
  package func run(
    _ policy: CompactionPolicy, into report: inout CompactionReport, sparing spared: SparedSegments,
    includingActive: Bool = true, progress: (CompactionProgress) -> Bool = { _ in true }
  ) throws(LogError) {
    var earlier = CompactionReport()
    var done = CompactionProgress()
    defer { report.add(earlier) }
    // Also of one that found no room for some segments, or was ended.
    defer { log.keepReserveAgain() }
    if includingActive {
      try sealActiveSegment(policy, into: &earlier, sparing: spared) { next in
        done = next
        return progress(next)
      }
      if earlier.wasEnded { return }
    }
    var spared = spared
    spared.note(earlier)
    func goOn() throws(LogError) {
      try carryOut(try plan(policy, sparing: spared), into: &report) {
        progress($0.following(done))
      }
    }
    if effort == .quick { try log.hurrying(goOn) } else { try goOn() }
    if report.wasEnded { return }
    // Merged indexes are for speed, and take room.
    if case .byteCount = policy.goal { return }
    let start = ContinuousClock.now
    try mergeIndexes()
    report.byteCountAfter = try log.statistics().fileByteCount
    report.seconds += Self.seconds(ContinuousClock.now - start)
  }

  /// Seals the active segment. Its index takes room: on a full disk sealed segments are compacted
  /// before that, as far as they find room; `report` tells what that did.
  private func sealActiveSegment(
    _ policy: CompactionPolicy, into report: inout CompactionReport,
    sparing spared: SparedSegments, progress: (CompactionProgress) -> Bool
  ) throws(LogError) {
    do throws(LogError) {
      if !log.isReserveGivenUp { return try log.sealActiveSegment() }
    } catch { guard error.isDiskFull else { throw error } }
    do throws(LogError) {
      try carryOut(
        try plan(policy.forFullDisk, sparing: spared), into: &report, progress: progress)
    } catch { guard error.isDiskFull else { throw error } }
    // They are tried again: the seal may make room.
    report.segmentsWithoutRoom = []
    // The plan goes on behind the seal.
    if report.wasEnded { report.wasCancelled = true } else { try log.sealActiveSegment() }
  }

  /// Outputs hold keys of the whole range, one beside the other; footers say the same as the merged
  /// index, so a full disk costs only time.
  private func mergeIndexes() throws(LogError) {
    // What is left of a full disk is for others.
    if log.isReserveGivenUp { return }
    // Who is in a hurry does not wait for it.
    if effort == .quick, log.mergesIndexesWhenIdle { return }
    do throws(LogError) { try log.mergeIndexes(sparingLargest: true) } catch {
      switch error {
      // Whoever reads what is damaged, or cannot be read, is told.
      case .corruption, .closed: return
      default:
        if error.isDiskFull { return }
        let segments = try log.statistics().segments.map(\.identifier)
        guard error.isFailedReading(of: segments) else { throw error }
      }
    }
  }

  private static func seconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
  }

  /// Carries out a plan that was made before; segments that have gone since are left out.
  @discardableResult
  public func carryOut(
    _ plan: CompactionPlan, progress: (CompactionProgress) -> Bool = { _ in true }
  ) throws(LogError) -> CompactionReport {
    var report = CompactionReport()
    defer { log.keepReserveAgain() }
    try carryOut(plan, into: &report, progress: progress)
    return report
  }

  private func carryOut(
    _ plan: CompactionPlan, into report: inout CompactionReport,
    progress: (CompactionProgress) -> Bool
  ) throws(LogError) {
    let byteCountBefore = try log.statistics().fileByteCount
    var dictionaries = DictionaryReviews()
    defer { report.byteCountBefore = byteCountBefore }
    try carryOut(
      plan, into: &report, dictionaries: &dictionaries, sparing: [], progress: progress)
    report.byteCountAfter = try log.statistics().fileByteCount
  }

  /// The same for who compacts again and again: dictionaries are not looked at each time, and
  /// nobody asks what files take, which means opening each of them. `spared` segments are not
  /// rewritten for their dictionaries. `report` tells what was done, also when it throws.
  package func carryOut(
    _ plan: CompactionPlan, into report: inout CompactionReport,
    dictionaries: inout DictionaryReviews, sparing spared: Set<SegmentIdentifier>,
    progress: (CompactionProgress) -> Bool
  ) throws(LogError) {
    let start = ContinuousClock.now
    try restoreDictionaries()
    log.noteRoom()
    var run = CompactionRun(
      log: log, upgrader: upgrader, plan: plan, dictionaries: dictionaries, effort: effort,
      threadCount: threadCount)
    defer {
      report = run.report
      report.seconds = Self.seconds(ContinuousClock.now - start)
      dictionaries = run.dictionaryReviews
      log.countRoom()
    }
    do throws(LogError) {
      try run.perform(plan, progress: progress)
      let left = run.report.leftSegments
      if run.report.segmentCount == 0, !left.isEmpty { log.note(withoutRoom: left.sorted()) }
      try run.removeUnusedDictionaries(
        sparing: spared.union(run.report.leftSegments), progress: progress)
    } catch { throw log.diskFull(error) }
  }

  /// On a full disk, what is left of the dictionaries must do.
  private func restoreDictionaries() throws(LogError) {
    do throws(LogError) { try log.restoreDictionaries() } catch {
      guard error.isDiskFull else { throw error }
    }
  }
}
