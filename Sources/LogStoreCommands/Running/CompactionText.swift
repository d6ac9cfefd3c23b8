internal import ObjectStore
internal import SchemaRegistry

/// What a compaction did, for people and for programs.
struct CompactionText {
  let path: String
  let result: CompactionReport
  let typesNeedingCode: [String]
  /// What was wrong with the manifest when the store was opened.
  let manifestDamage: ImportValue
  /// The barriers that were passed before it.
  let passage: BarrierPassage?
  /// What was kept, and nobody can read.
  let undescribed: [UndescribedObjects]

  init(
    path: String, report: CompactionReport, typesNeedingCode: [String],
    manifestDamage: ImportValue = .null, passage: BarrierPassage? = nil,
    undescribed: [UndescribedObjects] = []
  ) {
    self.path = path
    result = report
    self.typesNeedingCode = typesNeedingCode
    self.manifestDamage = manifestDamage
    self.passage = passage
    self.undescribed = undescribed
  }

  /// Damage weighs more than a failed step, which a corrected history heals.
  var status: ExitStatus {
    if !result.damages.isEmpty { return .corruption }
    if !result.readFailures.isEmpty { return .inputOutput }
    return result.failedCount > 0 ? .migration : .success
  }

  /// Those that were copied as they were to be; the library counts failed ones among them.
  private var keptCount: UInt64 {
    result.keptCount - min(result.keptCount, result.failedCount)
  }

  private var byteCountBefore: UInt64 { passage?.byteCountBefore ?? result.byteCountBefore }

  var lines: [String] {
    var lines = passage.map { [$0.line] } ?? []
    lines += [
      "Compacted \(path) in \(DurationText(.seconds(result.seconds))): "
        + "\(ByteCount(byteCountBefore)) before, \(ByteCount(result.byteCountAfter)) after,"
        + " \(result.segmentCount) segments replaced",
      "Records: \(GroupedNumber(result.upgradedCount)) upgraded, "
        + "\(GroupedNumber(keptCount)) kept, \(GroupedNumber(result.failedCount)) failed, "
        + "\(GroupedNumber(result.droppedCount)) dropped; "
        + "\(GroupedNumber(result.removedTombstoneCount)) tombstones removed",
    ]
    lines += Self.lines(onTypesNeedingCode: typesNeedingCode)
    lines += Self.lines(onUndescribed: undescribed)
    lines += result.failures.map { "FAILED: \($0.error)" }
    let unlisted = result.failedCount - UInt64(result.failures.count)
    if unlisted > 0 { lines.append("FAILED: \(GroupedNumber(unlisted)) more records") }
    lines += result.damages.map { "DAMAGED, left as it is: \($0)" }
    lines += result.readFailures.map { "UNREADABLE, left as it is: \($0)" }
    return lines
  }

  static func lines(onTypesNeedingCode types: [String]) -> [String] {
    types.map {
      "Kept as stored: \($0) is upgraded by code of the app; run compact in a tool that has it"
    }
  }

  static func lines(onUndescribed objects: [UndescribedObjects]) -> [String] {
    objects.map { "Kept as stored: \($0)" }
  }

  var report: Report {
    [
      "store": .text(path), "bytesBefore": .count(byteCountBefore),
      "bytesAfter": .count(result.byteCountAfter), "segments": .count(result.segmentCount),
      "upgraded": .count(result.upgradedCount), "kept": .count(keptCount),
      "failed": .count(result.failedCount), "dropped": .count(result.droppedCount),
      "removedTombstones": .count(result.removedTombstoneCount),
      "seconds": .real(result.seconds), "manifestDamage": manifestDamage,
      "barriers": passage.map(\.report.value) ?? .null,
      "undescribed": .reports(undescribed.map(\.report)),
      "typesNeedingCode": .list(typesNeedingCode.map { .text($0) }),
      "failures": .reports(result.failures.map { CommandError($0.error).report }),
      "damages": .reports(result.damages.map(\.report)),
      "readFailures": .reports(result.readFailures.map { CommandError($0).report }),
    ]
  }

  /// Closes the store and tells what was done, also where closing fails; throws that error then.
  func tell(
    on console: Console, json: Bool, closing close: () throws -> Void
  ) throws -> ExitStatus {
    let closing = Result { try close() }
    if json {
      try console.write(report)
    } else {
      for line in lines { try console.output.writeLine(line) }
    }
    try closing.get()
    return status
  }
}
