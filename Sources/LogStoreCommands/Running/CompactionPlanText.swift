internal import ObjectStore

/// What a compaction would do, for people and for programs.
struct CompactionPlanText {
  let plan: CompactionPlan
  let typesNeedingCode: [String]

  var lines: [String] {
    var lines: [String] = []
    if plan.isEmpty {
      lines.append("There is nothing to compact.")
    } else {
      lines.append(
        "Would rewrite \(plan.segmentCount) segments of \(ByteCount(plan.inputByteCount)) in "
          + "\(plan.steps.count) steps: \(GroupedNumber(plan.liveRecordCount)) live records of "
          + "\(ByteCount(plan.liveByteCount)), \(GroupedNumber(plan.staleRecordCount)) of them to "
          + "be upgraded.")
    }
    return lines + CompactionText.lines(onTypesNeedingCode: typesNeedingCode)
  }

  var report: Report {
    [
      "dryRun": .bool(true), "segments": .count(plan.segmentCount),
      "steps": .count(plan.steps.count), "inputBytes": .count(plan.inputByteCount),
      "liveBytes": .count(plan.liveByteCount), "liveRecords": .count(plan.liveRecordCount),
      "staleRecords": .count(plan.staleRecordCount),
      "typesNeedingCode": .list(typesNeedingCode.map { .text($0) }),
    ]
  }
}
