internal import LogStore
internal import SchemaRegistry

/// One run of a compactor: rewrites the segments of each step and counts what it does.
struct CompactionRun {
  let log: Log
  let upgrader: any RecordUpgrader
  let effort: CompressionEffort
  let threadCount: Int
  private(set) var report = CompactionReport()
  private var progress = CompactionProgress()
  /// Segments for which there was no room, and the error that said so.
  private var withoutRoom: [SegmentIdentifier] = []
  private var fullDisk: LogError?
  /// Whether segments are rewritten for nothing but to leave out dictionaries.
  private var isForDictionaries = false

  /// A slice is over after so many bytes, or so many records.
  private static let sliceByteCount: UInt64 = 256 << 10
  private static let sliceRecordCount: UInt64 = 2048

  private var dictionaries: DictionaryMaking
  /// What the outputs of one step may take.
  private var stepByteCountMaximum: UInt64 = 0
  /// How much larger than their inputs outputs were that turned out too large.
  private var growth = 1.0
  /// In how many parts steps are cut for that; a little more fits.
  private var growthFactor: Int { max(1, Int((min(growth, 1000) - 0.1).rounded(.up))) }

  /// What became of the rewriting of some segments.
  private enum Outcome {
    case done
    case cancelled
    /// Together they would take too much of the disk beside their inputs.
    case outgrown
  }

  /// When dictionaries were looked at last.
  var dictionaryReviews: DictionaryReviews { dictionaries.reviews }

  init(
    log: Log, upgrader: any RecordUpgrader, plan: CompactionPlan,
    dictionaries reviews: DictionaryReviews, effort: CompressionEffort, threadCount: Int
  ) {
    self.effort = effort
    self.threadCount = threadCount
    self.log = log
    self.upgrader = upgrader
    dictionaries = DictionaryMaking(log: log, upgrader: upgrader, reviews: reviews)
    progress.recordCountTotal = plan.liveRecordCount + plan.tombstoneCount
    progress.byteCountTotal = plan.liveByteCount + plan.tombstoneByteCount
    progress.stepCountTotal = plan.steps.count
  }

  /// Rewrites the segments of `plan` step by step, as far as the disk allows.
  ///
  /// On a full disk, what found no room is tried again after the rest, as long as that made some.
  mutating func perform(
    _ plan: CompactionPlan, progress inform: (CompactionProgress) -> Bool
  ) throws(LogError) {
    for step in plan.steps {
      for inputs in Self.parts(of: step.inputs, count: growthFactor) {
        if try !perform(inputs, progress: inform) { return }
      }
      progress.stepCount += 1
      if !inform(progress) {
        report.wasEnded = true
        report.wasCancelled =
          progress.stepCount < progress.stepCountTotal || !withoutRoom.isEmpty
        return
      }
    }
    while let fullDisk {
      let inputs = withoutRoom
      withoutRoom = []
      self.fullDisk = nil
      for input in inputs {
        if try !perform([input], progress: inform) { return }
      }
      if withoutRoom.count == inputs.count {
        report.segmentsWithoutRoom = withoutRoom
        log.note(withoutRoom: withoutRoom)
        throw fullDisk
      }
    }
  }

  /// Leaves out dictionaries that nothing needs any more, where little else must be written for it
  /// and their segments are not `spared`. What the plan asked for is done: to end this is not to
  /// cancel the run.
  mutating func removeUnusedDictionaries(
    sparing spared: Set<SegmentIdentifier>, progress inform: (CompactionProgress) -> Bool
  ) throws(LogError) {
    if report.wasEnded { return }
    let inputs = try log.segmentsOfUnusedDictionaries(
      byteCountMaximum: Self.sideByteCountMaximum, sparing: spared)
    if inputs.isEmpty { return }
    isForDictionaries = true
    _ = try perform(inputs, progress: inform)
    report.wasCancelled = false
  }

  /// What may be written for nothing but to leave out dictionaries.
  private static let sideByteCountMaximum: UInt64 = 1 << 20

  /// About equal parts of `inputs`, at most `count`.
  private static func parts(
    of inputs: [SegmentIdentifier], count: Int
  ) -> [[SegmentIdentifier]] {
    let length = max(1, (inputs.count + count - 1) / max(1, count))
    return stride(from: 0, to: inputs.count, by: length).map { start in
      [SegmentIdentifier](inputs[start..<min(start + length, inputs.count)])
    }
  }

  /// Rewrites `inputs` together; false when the run was cancelled.
  ///
  /// When an upgrade makes records grow so that the outputs would take more than a segment of the
  /// disk, fewer of them are rewritten together: inputs go only when all their records are written.
  /// When something in them does not verify or cannot be read, each is tried alone, and the one
  /// that holds it stays.
  /// When the disk is full the reserve is given up, once, as a put may make it again of what it
  /// left; if the disk still is, each is tried alone.
  private mutating func perform(
    _ inputs: [SegmentIdentifier], mayGiveUpReserve: Bool = true,
    progress inform: (CompactionProgress) -> Bool
  ) throws(LogError) -> Bool {
    let reportBefore = report
    let progressBefore = progress
    let outcome: Outcome
    do throws(LogError) { outcome = try rewrite(inputs, inform) } catch {
      report = reportBefore
      progress.fallBack(to: progressBefore)
      if mayGiveUpReserve, error.isDiskFull, log.giveUpReserve() {
        return try perform(inputs, mayGiveUpReserve: false, progress: inform)
      }
      guard inputs.count > 1 else {
        try note(error, inputs)
        return true
      }
      guard Self.concernsSome(error, of: inputs) else { throw error }
      for input in inputs {
        if try !perform([input], progress: inform) { return false }
      }
      return true
    }
    if outcome == .done { return true }
    report = reportBefore
    if outcome == .cancelled {
      report.wasCancelled = true
      report.wasEnded = true
      return false
    }
    progress.fallBack(to: progressBefore)
    for part in Self.parts(of: inputs, count: max(2, growthFactor)) {
      if try !perform(part, progress: inform) { return false }
    }
    return true
  }

  /// Whether the error may tell of one of the inputs and not of the others.
  private static func concernsSome(_ error: LogError, of inputs: [SegmentIdentifier]) -> Bool {
    if case .corruption = error { return true }
    return error.isDiskFull || error.isFailedReading(of: inputs)
  }

  /// Goes on without a segment that is damaged, cannot be read or finds no room; other errors end
  /// the run.
  private mutating func note(
    _ error: LogError, _ inputs: [SegmentIdentifier]
  ) throws(LogError) {
    if case .corruption(let damage) = error {
      report.damages.note(damage)
      report.leftSegments.formUnion(inputs)
    } else if error.isFailedReading(of: inputs) {
      report.readFailures.append(error)
      report.leftSegments.formUnion(inputs)
    } else if error.isDiskFull {
      withoutRoom += inputs
      fullDisk = error
    } else {
      throw error
    }
  }

  private mutating func rewrite(
    _ inputs: [SegmentIdentifier], _ inform: (CompactionProgress) -> Bool
  ) throws(LogError) -> Outcome {
    let rewrite = try log.beginRewrite(
      of: Set(inputs), effort: effort, transformer: UpgradingTransformer(upgrader: upgrader),
      threadCount: threadCount)
    // Others may have rewritten them since the plan was made.
    if rewrite.inputCount == 0 {
      rewrite.cancel()
      return .done
    }
    let inputCount = rewrite.inputCount
    guard try dictionaries.prepare(rewrite, while: { [progress] in inform(progress) }) else {
      rewrite.cancel()
      return .cancelled
    }
    // The plan was made for the segments of before: a store that becomes smaller has smaller ones.
    stepByteCountMaximum = max(stepByteCountMaximum, rewrite.outputByteCountMaximum)
    let outputLimit = inputs.count > 1 ? stepByteCountMaximum : .max
    let before = progress
    var isFinished = false
    while !isFinished {
      isFinished = try !carrySlice(of: rewrite, outputByteCount: outputLimit)
      if rewrite.outputByteCount > outputLimit {
        let byteCount = max(1, rewrite.carriedByteCount)
        growth = max(growth, Double(rewrite.outputByteCount) / Double(byteCount))
        rewrite.cancel()
        return .outgrown
      }
      progress.advance(
        from: before, recordCount: rewrite.carriedCount + rewrite.tombstones.droppedCount,
        byteCount: rewrite.carriedByteCount)
      if !isFinished, !inform(progress) {
        rewrite.cancel()
        return .cancelled
      }
    }
    try rewrite.publish()
    report.keptCount += rewrite.keptCount
    note(rewrite.tally)
    if rewrite.tally.keptCount > 0 { report.triedSegments.formUnion(rewrite.outputs) }
    report.damages.note(rewrite.damages)
    report.removedTombstoneCount += rewrite.tombstones.droppedCount
    if let needed = NeededTombstones(rewrite) { report.neededTombstones.append(needed) }
    if isForDictionaries, !rewrite.leavesOutDictionaries {
      report.dictionarySegments.formUnion(rewrite.outputs)
    }
    report.segmentCount += inputCount
    return .done
  }

  /// Carries the next slice over; whether there may be more.
  private mutating func carrySlice(
    of rewrite: SegmentRewrite, outputByteCount: UInt64
  ) throws(LogError) -> Bool {
    let before = rewrite.carriedByteCount
    defer { progress.copiedByteCount += rewrite.carriedByteCount - before }
    return try rewrite.carryOver(
      atMost: Self.sliceRecordCount, byteCount: Self.sliceByteCount,
      outputByteCount: outputByteCount)
  }

  /// Takes over what became of the records that were to be upgraded.
  private mutating func note(_ tally: RewriteTally) {
    report.upgradedCount += tally.replacedCount
    report.droppedCount += tally.droppedCount
    report.keptCount += tally.keptCount
    report.failedCount += tally.keptCount
    report.changedVersions.formUnion(tally.changedVersions)
    report.failedCounts.merge(tally.failedCounts, uniquingKeysWith: +)
    // What cannot be read for want of its dictionary is no fault of a step; each is told once.
    for case .corruption(let damage)? in tally.failures.map({ $0.error as? LogError }) {
      let isKnown = report.damages.contains { $0.lostDictionary == damage.lostDictionary }
      if damage.lostDictionary == nil || !isKnown { report.damages.note(damage) }
    }
    let room = CompactionReport.failureCountMaximum - report.failures.count
    for failure in tally.failures.prefix(room) {
      report.failures.append(
        CompactionReport.FailedRecord(
          collection: failure.version.collection, schemaVersion: failure.version.schemaVersion,
          error: failure.error as? SchemaError ?? Self.error(failure)))
    }
  }

  private static func error(_ failure: RewriteTally.Failure) -> SchemaError {
    .migrationFailed(
      type: "collection \(failure.version.collection)",
      keyText: "of \(failure.keyByteCount) bytes",
      fromVersion: SchemaVersion(rawValue: failure.version.schemaVersion), operationID: "all",
      underlying: "\(failure.error)")
  }
}
