internal import ObjectStore

/// What a compaction would do, for people and for programs.
struct CompactionPlanText {
  let plan: CompactionPlan
  /// Bytes of all files now.
  let byteCount: UInt64
  /// Those of them that are segments' records.
  let segmentByteCount: UInt64
  /// Whether tombstones are to be expected to stay.
  let keepsTombstones: Bool
  /// How long it would take, where that can be told.
  let seconds: Double?
  let typesNeedingCode: [String]
  /// What would be kept, and nobody can read.
  var undescribed: [UndescribedObjects] = []

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
      lines.append(
        "About \(ByteCount(byteCountAfter)) would be left of \(ByteCount(byteCount))"
          + (seconds.map { ", after about \(DurationText(.seconds($0)))." } ?? "."))
    }
    return lines + CompactionText.lines(onTypesNeedingCode: typesNeedingCode)
      + CompactionText.lines(onUndescribed: undescribed)
  }

  /// Indexes shrink as records do, as far as the planning of a goal of size takes them to.
  private var byteCountAfter: UInt64 {
    let kept = plan.liveByteCount + (keepsTombstones ? plan.tombstoneByteCount : 0)
    let gone = Double(plan.inputByteCount - min(plan.inputByteCount, kept))
    let scale = segmentByteCount == 0 ? 1 : Double(byteCount) / Double(segmentByteCount)
    return byteCount - min(byteCount, UInt64(gone * scale))
  }

  var report: Report {
    [
      "dryRun": .bool(true), "segments": .count(plan.segmentCount),
      "steps": .count(plan.steps.count), "inputBytes": .count(plan.inputByteCount),
      "liveBytes": .count(plan.liveByteCount), "liveRecords": .count(plan.liveRecordCount),
      "staleRecords": .count(plan.staleRecordCount), "bytesBefore": .count(byteCount),
      "bytesAfter": .count(byteCountAfter), "seconds": seconds.map { .real($0) } ?? .null,
      "plan": .list(plan.steps.map { .text($0.description) }),
      "typesNeedingCode": .list(typesNeedingCode.map { .text($0) }),
      "undescribed": .reports(undescribed.map(\.report)),
    ]
  }
}
