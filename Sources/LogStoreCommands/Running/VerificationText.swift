internal import LogStore

/// What a verification found, for people and for programs.
struct VerificationText {
  let path: String
  let log: VerificationReport
  let objects: ObjectCheck
  let duration: Duration

  var isIntact: Bool { log.isIntact && objects.problemCount == 0 }

  private var notes: [String] {
    log.notes + objects.removed.map { "\($0), and not decoded" }
      + (objects.failure.map { ["Not all objects were decoded: \($0)"] } ?? [])
  }

  var lines: [String] {
    var lines = log.damages.map { "DAMAGED: \($0)" }
    lines += log.rebuildable.map { damage in
      let text = "\(damage.file) at offset \(damage.offset): \(damage.reason)"
      return damage.isOfBackupRecord
        ? "DAMAGED, but no object is read from it: \(text). \(damage.remedy)"
        : "DAMAGED, but rebuilt from the records: \(text)"
    }
    lines += objects.problems.map { "UNREADABLE: \($0)" }
    if objects.unlistedCount > 0 {
      lines.append("UNREADABLE: \(GroupedNumber(objects.unlistedCount)) more objects")
    }
    lines += notes.map { "Note: \($0)" }
    let counts =
      "\(GroupedNumber(UInt64(log.fileCount))) files, \(ByteCount(log.byteCount)), "
      + "\(GroupedNumber(log.recordCount)) records, \(GroupedNumber(objects.objectCount)) objects"
    lines.append(
      (isIntact ? "\(path) is intact: " : "\(path) is damaged: ")
        + "\(counts) checked in \(DurationText(duration))")
    return lines
  }

  var report: Report {
    [
      "store": .text(path), "intact": .bool(isIntact), "files": .count(log.fileCount),
      "bytes": .count(log.byteCount), "records": .count(log.recordCount),
      "objects": .count(objects.objectCount), "seconds": .seconds(duration),
      "damages": .reports(log.damages.map(\.report)),
      "rebuildable": .reports(log.rebuildable.map(\.report)),
      "unreadableCount": .count(objects.problemCount),
      "unreadable": .list(objects.problems.map { .text($0) }),
      "notes": .list(notes.map { .text($0) }),
    ]
  }
}

extension CorruptionReport {
  /// The evidence for programs.
  var report: Report {
    ["file": .text(file), "offset": .count(offset), "reason": .text(reason)]
  }
}
