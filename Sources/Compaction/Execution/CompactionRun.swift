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

  init(log: Log, upgrader: any RecordUpgrader, plan: CompactionPlan, report: CompactionReport) {
    self.log = log
    self.upgrader = upgrader
    self.report = report
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
    var sliceStart = progress
    while let record = try rewrite.next() {
      try copy(record, with: rewrite)
      progress.recordCount += 1
      progress.byteCount += UInt64(record.byteCount)
      guard
        progress.byteCount - sliceStart.byteCount >= Self.sliceByteCount
          || progress.recordCount - sliceStart.recordCount >= Self.sliceRecordCount
      else { continue }
      sliceStart = progress
      if !inform(progress) {
        rewrite.cancel()
        return false
      }
    }
    try rewrite.publish()
    report.removedTombstoneCount += rewrite.droppedTombstoneCount
    report.segmentCount += inputs.count
    return true
  }

  /// verify → upgrade → recompress; a record that is current is copied as it is.
  private mutating func copy(
    _ record: RewriteRecord, with rewrite: SegmentRewrite
  ) throws(LogError) {
    let version = CollectionVersion(
      collection: record.collection, schemaVersion: record.schemaVersion)
    guard record.kind == .put, upgrader.isStale(version) else {
      if record.kind == .put, !record.collection.isReserved { report.keptCount += 1 }
      return try rewrite.keep(record)
    }
    let stale = StaleRecord(
      collection: record.collection, key: record.key, schemaVersion: record.schemaVersion,
      commitTime: record.commitTime, payload: try record.payload())
    switch upgrader.upgrade(stale) {
    case .upgraded(let schemaVersion, let payload):
      do throws(LogError) {
        try rewrite.replace(record, schemaVersion: schemaVersion, payload: payload)
        report.upgradedCount += 1
      } catch .limitExceeded(let name, let maximum, let actual) {
        // Of this record only: it must not stop the compaction of all others.
        let error = LogError.limitExceeded(name: name, maximum: maximum, actual: actual)
        try keep(
          record, with: rewrite,
          .migrationFailed(
            type: "collection \(record.collection)", keyText: "of \(record.key.count) bytes",
            fromVersion: SchemaVersion(rawValue: record.schemaVersion), operationID: "all",
            underlying: "\(error)"))
      }
    case .dropped:
      try rewrite.drop(record)
      report.droppedCount += 1
    case .failed(let error):
      try keep(record, with: rewrite, error)
    }
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
