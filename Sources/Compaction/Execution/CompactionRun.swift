internal import LogStore
internal import SchemaRegistry

/// One run of a compactor: rewrites the segments of each step and counts what it does.
struct CompactionRun {
  let log: Log
  let upgrader: any RecordUpgrader
  private(set) var report: CompactionReport
  private var progress = CompactionProgress()
  /// Segments for which there was no room, and the error that said so.
  private var withoutRoom: [SegmentIdentifier] = []
  private var fullDisk: LogError?

  /// A slice is over after so many bytes, or so many records.
  private static let sliceByteCount: UInt64 = 256 << 10
  private static let sliceRecordCount: UInt64 = 2048

  private var dictionaries: DictionaryMaking

  init(log: Log, upgrader: any RecordUpgrader, plan: CompactionPlan, report: CompactionReport) {
    self.log = log
    self.upgrader = upgrader
    self.report = report
    dictionaries = DictionaryMaking(log: log, upgrader: upgrader)
    progress.recordCountTotal = plan.liveRecordCount
    progress.byteCountTotal = plan.liveByteCount
    progress.stepCountTotal = plan.steps.count
  }

  /// Rewrites the segments of `plan` step by step, as far as the disk allows.
  ///
  /// On a full disk, what found no room is tried again after the rest, as long as that made some.
  mutating func perform(
    _ plan: CompactionPlan, progress inform: (CompactionProgress) -> Bool
  ) throws(LogError) {
    for step in plan.steps {
      if try !perform(step.inputs, progress: inform) { return }
    }
    while let fullDisk {
      let inputs = withoutRoom
      withoutRoom = []
      self.fullDisk = nil
      for input in inputs {
        if try !perform([input], progress: inform) { return }
      }
      if withoutRoom.count == inputs.count { throw fullDisk }
    }
  }

  /// Rewrites `inputs` together; false when the run was cancelled.
  ///
  /// When something in them does not verify, each is tried alone, and the one that holds it stays.
  /// When the disk is full the reserve is given up; if it still is, each is tried alone.
  private mutating func perform(
    _ inputs: [SegmentIdentifier], progress inform: (CompactionProgress) -> Bool
  ) throws(LogError) -> Bool {
    let reportBefore = report
    let progressBefore = progress
    do throws(LogError) {
      guard try rewrite(inputs, inform) else {
        report = reportBefore
        report.wasCancelled = true
        return false
      }
    } catch {
      report = reportBefore
      progress = progressBefore
      if error.isDiskFull, log.giveUpReserve() { return try perform(inputs, progress: inform) }
      guard inputs.count > 1 else {
        try note(error, inputs)
        return true
      }
      if case .corruption = error {} else if !error.isDiskFull { throw error }
      for input in inputs {
        if try !perform([input], progress: inform) { return false }
      }
    }
    progress.stepCount += 1
    return inform(progress) || cancel()
  }

  /// Goes on without a segment that is damaged or finds no room; other errors end the run.
  private mutating func note(
    _ error: LogError, _ inputs: [SegmentIdentifier]
  ) throws(LogError) {
    if case .corruption(let damage) = error {
      report.damages.append(damage)
    } else if error.isDiskFull {
      withoutRoom += inputs
      fullDisk = error
    } else {
      throw error
    }
  }

  private mutating func cancel() -> Bool {
    report.wasCancelled = progress.stepCount < progress.stepCountTotal
    return false
  }

  private mutating func rewrite(
    _ inputs: [SegmentIdentifier], _ inform: (CompactionProgress) -> Bool
  ) throws(LogError) -> Bool {
    let rewrite = try log.beginRewrite(of: Set(inputs))
    try dictionaries.prepare(rewrite)
    let before = progress
    var sliceStart = progress
    var upgraded = (recordCount: UInt64(0), byteCount: UInt64(0))
    var isFinished = false
    while !isFinished {
      let stretch = try rewrite.carryOver(
        atMost: Self.sliceRecordCount, byteCount: Self.sliceByteCount, until: upgrader.upgrades)
      if case .stale(let record) = stretch {
        try upgrade(record, with: rewrite)
        upgraded.recordCount += 1
        upgraded.byteCount += UInt64(record.byteCount)
      }
      if case .finished = stretch { isFinished = true }
      progress.recordCount = before.recordCount + upgraded.recordCount + rewrite.carriedCount
      progress.byteCount = before.byteCount + upgraded.byteCount + rewrite.carriedByteCount
      let isPaused = if case .paused = stretch { true } else { false }
      guard
        isPaused || progress.byteCount - sliceStart.byteCount >= Self.sliceByteCount
          || progress.recordCount - sliceStart.recordCount >= Self.sliceRecordCount
      else { continue }
      sliceStart = progress
      if !isFinished, !inform(progress) {
        rewrite.cancel()
        return false
      }
    }
    try rewrite.publish()
    report.keptCount += rewrite.keptCount
    report.damages += rewrite.damages
    report.removedTombstoneCount += rewrite.droppedTombstoneCount
    report.segmentCount += inputs.count
    return true
  }

  /// Upgrades a record of an old version, compressed anew; one whose upgrade fails is kept.
  private mutating func upgrade(
    _ record: RewriteRecord, with rewrite: SegmentRewrite
  ) throws(LogError) {
    let payload: [UInt8]
    do throws(LogError) {
      payload = try record.payload()
    } catch .corruption(let damage) where damage.lostDictionary != nil {
      // It verifies, so it is carried over as it is, for when its dictionary is found again.
      return try keep(record, with: rewrite, failure(of: record, "\(damage)"))
    }
    let stale = StaleRecord(
      collection: record.collection, key: record.key, schemaVersion: record.schemaVersion,
      commitTime: record.commitTime, payload: payload)
    switch upgrader.upgrade(stale) {
    case .upgraded(let schemaVersion, let payload):
      do throws(LogError) {
        try rewrite.replace(record, schemaVersion: schemaVersion, payload: payload)
        report.upgradedCount += 1
      } catch .limitExceeded(let name, let maximum, let actual) {
        // Of this record only: it must not stop the compaction of all others.
        let error = LogError.limitExceeded(name: name, maximum: maximum, actual: actual)
        try keep(record, with: rewrite, failure(of: record, "\(error)"))
      }
    case .dropped:
      try rewrite.drop(record)
      report.droppedCount += 1
    case .failed(let error):
      try keep(record, with: rewrite, error)
    }
  }

  private func failure(of record: RewriteRecord, _ reason: String) -> SchemaError {
    .migrationFailed(
      type: "collection \(record.collection)", keyText: "of \(record.key.count) bytes",
      fromVersion: SchemaVersion(rawValue: record.schemaVersion), operationID: "all",
      underlying: reason)
  }

  /// Carries over a record that cannot be upgraded, and says why.
  private mutating func keep(
    _ record: RewriteRecord, with rewrite: SegmentRewrite, _ error: SchemaError
  ) throws(LogError) {
    try rewrite.keep(record)
    report.keptCount += 1
    report.failedCount += 1
    if report.failures.count < CompactionReport.failureCountMaximum {
      report.failures.append(
        CompactionReport.FailedRecord(
          collection: record.collection, schemaVersion: record.schemaVersion, error: error))
    }
  }
}
