internal import LogStore

/// What a backup or a restoration did, for people and for programs.
struct BackupText {
  let verb: String
  let from: String
  let to: String
  let result: BackupReport
  let duration: Duration

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
    return [line]
  }

  var report: Report {
    [
      "from": .text(from), "to": .text(to), "copiedSegments": .count(result.copiedSegmentCount),
      "copiedBytes": .count(result.copiedByteCount),
      "keptSegments": .count(result.keptSegmentCount), "keptBytes": .count(result.keptByteCount),
      "removedFiles": .count(result.removedFileCount),
      "lastSequence": .count(result.lastSequence.rawValue), "seconds": .seconds(duration),
    ]
  }

  func write(on console: Console, json: Bool) throws {
    if json { return try console.write(report) }
    for line in lines { try console.output.writeLine(line) }
  }
}
