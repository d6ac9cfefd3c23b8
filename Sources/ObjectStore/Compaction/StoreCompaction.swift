internal import Compaction
internal import FileIO
internal import LogStore
internal import SchemaRegistry

/// Compacts a store: what its schema has to say about a compaction of its log.
struct StoreCompaction: Sendable {
  let log: Log
  let reading: StoreReading
  let configuration: CompactionConfiguration
  let timeSource: any TimeSource
  /// Segments in which nothing but failures is left to upgrade.
  let tried = Lock(SparedSegments())
  /// Versions that are not upgraded by automatic compaction any more.
  let failing = Lock(FailingVersions())
  /// Beside a writer each refresh brings others.
  private var reader: UpgradingReader { reading.reader }
  private var bindings: ModelBindings { reading.bindings }

  /// What upgrades records now, as far as the horizon allows it.
  func upgrader(failing: Set<CollectionVersion> = []) throws(StoreError) -> HeldUpgrader {
    HeldUpgrader(upgrader: reader, holdsAll: try holdsUpgrades(), failing: failing)
  }

  /// The same for who is about to write what is upgraded: a record may only be written under a
  /// version that the catalog describes already, whatever it is rewritten for.
  ///
  /// On a disk without room for the description nothing is upgraded, and the error says why.
  func describedUpgrader(
    failing: Set<CollectionVersion> = []
  ) throws(StoreError) -> (upgrader: HeldUpgrader, fullDisk: StoreError?) {
    var fullDisk: StoreError?
    do throws(StoreError) {
      if !isUnshipped { try describeSchemaForUpgrades() }
    } catch {
      guard case .log(let cause) = error, cause.isDiskFull else { throw error }
      fullDisk = error
    }
    var upgrader = try upgrader(failing: failing)
    if fullDisk != nil { upgrader.holdsAll = true }
    return (upgrader, fullDisk)
  }

  /// Compacts as `policy` says, but for what is `spared`, and seals the active segment first.
  ///
  /// - Throws: when upgrades were asked for and there was no room to describe what they lead to,
  ///   after everything else was done.
  func run(
    _ policy: CompactionPolicy, pace: CompactionPace, effort: CompressionEffort,
    sparing spared: SparedSegments = SparedSegments(), progress: (CompactionProgress) -> Bool
  ) throws(StoreError) -> CompactionReport {
    let before = try StoreError.log { () throws(LogError) in try log.statistics() }
    let (upgrader, fullDisk) = try describedUpgrader()
    // A share of a processor is the share of this thread.
    let threadCount = pace.processorShare < 1 ? 0 : nil
    let monitor = Monitor()
    var slices = CompactionSlices(pace: pace, timeSource: timeSource)
    var report = CompactionReport()
    defer {
      tried.withLock { $0.noteTried(report.triedSegments) }
      failing.withLock { $0.note(changed: report.changedVersions) }
    }
    try StoreError.log { () throws(LogError) in
      let compactor = Compactor(
        log, upgrader: upgrader, effort: effort, threadCount: threadCount)
      try compactor.run(policy, into: &report, sparing: spared) { done in
        slices.end(copiedByteCount: done.copiedByteCount)
        guard progress(done) else { return false }
        let goesOn = slices.restFully { nanoseconds in
          Self.rest(nanoseconds, monitor)
          // Whoever rests for long can be ended meanwhile.
          return nanoseconds < CompactionPace.longestRestNanoseconds || progress(done)
        }
        slices.begin()
        return goesOn
      }
    }
    report.byteCountBefore = before.fileByteCount
    if policy.upgrades, let fullDisk { throw fullDisk }
    return report
  }

  private static func rest(_ nanoseconds: UInt64, _ monitor: Monitor) {
    guard nanoseconds > 0 else { return }
    monitor.enter()
    monitor.wait(microseconds: Int(nanoseconds / 1000))
    monitor.leave()
  }

  /// Carries out a plan that was made for the sealed segments, with what upgrades records by
  /// ``describedUpgrader(failing:)``; `report` tells what was done, also when it throws.
  func carryOut(
    _ plan: CompactionPlan, into report: inout CompactionReport, upgrader: HeldUpgrader,
    effort: CompressionEffort, dictionaries: inout DictionaryReviews,
    sparing spared: Set<SegmentIdentifier>, progress: (CompactionProgress) -> Bool
  ) throws(StoreError) {
    defer {
      // What was held back was not tried.
      if upgrader.failing.isEmpty { tried.withLock { $0.noteTried(report.triedSegments) } }
    }
    try StoreError.log { () throws(LogError) in
      try Compactor(log, upgrader: upgrader, effort: effort, threadCount: 0).carryOut(
        plan, into: &report, dictionaries: &dictionaries, sparing: spared, progress: progress)
    }
  }

  private func describeSchemaForUpgrades() throws(StoreError) {
    guard !reader.schema.isDescribed(in: reader.catalog),
      log.liveByVersion.keys.contains(where: reader.isStale)
    else { return }
    var outcome = WriteOutcome()
    do {
      let committed = { outcome.install(in: reader) }
      try log.transact(durability: nil, committed: committed) { transaction in
        let transaction = StoreTransaction(transaction, reader: reader, bindings: bindings)
        try transaction.describeSchema()
        outcome = WriteOutcome(transaction)
      }
      outcome.show(in: reader)
    } catch let error as StoreError {
      throw error
    } catch let error as LogError {
      throw .log(error)
    } catch {
      preconditionFailure("a transaction of the store must throw its errors: \(error)")
    }
  }

  /// Whether the current version is one of which nothing is made permanent.
  private var isUnshipped: Bool {
    guard case .shipped(let newest) = configuration.upgradeThrough else { return false }
    return reader.schema.version > newest
  }

  /// Whether the current version is too young for records to be upgraded to it for good.
  private func holdsUpgrades() throws(StoreError) -> Bool {
    if isUnshipped { return true }
    guard case .olderThan(let days) = configuration.upgradeThrough, days > 0 else { return false }
    let snapshot = log.snapshot(of: log.state, lasting: true)
    let described = try StoreError.log { () throws(LogError) in
      try snapshot.record(
        for: SchemaCatalog.key(of: reader.schema.version), in: .catalog)?.commitTime
    }
    guard let described else { return true }
    let now = timeSource.secondsSince1970()
    // A clock that was set back makes it wait longer, never upgrade earlier.
    let (seconds, isEndless) = UInt64(days).multipliedReportingOverflow(by: 86_400)
    let (end, isBeyond) = described.secondsSince1970.addingReportingOverflow(seconds)
    return isEndless || isBeyond || now < end
  }
}
