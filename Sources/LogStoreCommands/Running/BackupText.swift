internal import LogStore

/// What a backup or a restoration did, for people and for programs.
struct BackupText {
  let verb: String
  let from: String
  let to: String
  let result: BackupReport
  let duration: Duration
  /// How the store was opened that was copied; nothing of a backup that is restored.
  let recovery: RecoveryReport?

  var lines: [String] {
    var line =
      "\(verb) \(from) to \(to) in \(DurationText(duration)): "
      + "\(GroupedNumber(UInt64(result.copiedSegmentCount))) segments of "
      + "\(ByteCount(result.copiedByteCount)) copied"
    if result.keptSegmentCount > 0 {
      line +=
        ", \(GroupedNumber(UInt64(result.keptSegmentCount))) of "
        + "\(ByteCount(result.keptByteCount)) were there already"
    }
    return result.damages.map { "DAMAGED: \(Self.text($0)); it was copied as it is" }
      + result.rebuildable.map { damage in
        "Note: \(Self.text(damage))"
          + (damage.isOfBackupRecord
            ? "; the copy has one of its own" : "; it is made again when it is read")
      }
      + [line]
  }

  private static func text(_ damage: CorruptionReport) -> String {
    "\(damage.file) at offset \(damage.offset): \(damage.reason)"
  }

  var report: Report {
    var report: Report = [
      "from": .text(from), "to": .text(to), "copiedSegments": .count(result.copiedSegmentCount),
      "copiedBytes": .count(result.copiedByteCount),
      "keptSegments": .count(result.keptSegmentCount), "keptBytes": .count(result.keptByteCount),
      "removedFiles": .count(result.removedFileCount),
      "lastSequence": .count(result.lastSequence.rawValue), "seconds": .seconds(duration),
      "damages": .list(result.damages.map { .text(Self.text($0)) }),
      "rebuildable": .list(result.rebuildable.map { .text(Self.text($0)) }),
    ]
    if let recovery { report["manifestDamage"] = recovery.manifestDamage }
    return report
  }

  func write(on console: Console, json: Bool) throws {
    if json { return try console.write(report) }
    for line in lines { try console.output.writeLine(line) }
  }

  /// Copies a store with a bar that shows how far it is, and tells what was done; the status says
  /// whether what was copied is damaged.
  static func copy(
    _ title: String, _ verb: String, from: String, to: String,
    recovery: RecoveryReport? = nil, _ console: Console, _ reporting: ReportingOptions,
    _ body: ((UInt64, UInt64) -> Bool) throws -> BackupReport?
  ) throws -> ExitStatus {
    let start = ContinuousClock.now
    let bar = console.progressBar(title, json: reporting.json)
    defer { bar.finish() }
    let report = try body { done, total in
      bar.update(Progress(bytes: done, of: total))
      return true
    }
    bar.finish()
    let text = BackupText(
      verb: verb, from: from, to: to, result: report ?? BackupReport(),
      duration: ContinuousClock.now - start, recovery: recovery)
    try text.write(on: console, json: reporting.json)
    return text.result.damages.isEmpty ? .success : .corruption
  }
}
