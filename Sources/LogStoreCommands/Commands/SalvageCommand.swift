internal import ArgumentParser
internal import FileIO
internal import LogStore

/// `logstore salvage STORE OUT`: all that verifies, into a new store.
struct SalvageCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "salvage", abstract: "Save all that verifies of a damaged store into a new one.",
    discussion: """
      Changes nothing in STORE. Reads every record wherever it lies, also behind damage, and lists \
      what does not verify; ends with status 2 when there is anything of that. What was lost may \
      have been newer than what was saved: an object may be back in an older state, or after it \
      was deleted. Take a backup instead where you have one. Needs a store that nobody writes: it \
      ends with status 3 while an app has it open for writing, and keeps apps from that meanwhile.
      """)

  @Argument(help: "The directory of the damaged store.") var store: String
  @Argument(help: "The directory of the new store; created, or empty.") var out: String
  @OptionGroup var reporting: ReportingOptions

  func perform(_ console: Console) throws -> ExitStatus {
    try CopyPlace.check(out, outside: store, "the damaged store")
    let start = ContinuousClock.now
    let bar = console.progressBar("Salvaging", json: reporting.json)
    defer { bar.finish() }
    let result = try LogSalvage.salvage(store, to: out) { done, total in
      bar.update(Progress(bytes: done, of: total))
    }
    bar.finish()
    let duration = ContinuousClock.now - start
    if reporting.json {
      try console.write(Self.report(result, store: store, out: out, duration))
    } else {
      for line in lines(result, duration) { try console.output.writeLine(line) }
    }
    return result.losses.isEmpty ? .success : .corruption
  }

  private func lines(_ result: SalvageReport, _ duration: Duration) -> [String] {
    var lines = result.losses.map { loss in
      "LOST: \(loss.file), \(Self.place(loss.range)): \(loss.reason)"
    }
    lines += result.notes.map { "Note: \($0)" }
    lines.append(
      "Saved \(GroupedNumber(result.recordCount)) records of \(store) to \(out), "
        + "\(GroupedNumber(result.liveRecordCount)) of them live, in \(DurationText(duration)); "
        + Self.summary(result))
    return lines
  }

  /// Where something was lost; an empty range stands for all from there on.
  private static func place(_ range: Range<UInt64>) -> String {
    if !range.isEmpty { return "bytes \(range)" }
    return range.lowerBound == 0 ? "all of it" : "what followed offset \(range.lowerBound)"
  }

  /// What was lost in all: of what is not there nobody knows the bytes, so that is counted.
  private static func summary(_ result: SalvageReport) -> String {
    let count = UInt64(result.losses.count { $0.range.isEmpty })
    let missing = "\(GroupedNumber(count)) \(count == 1 ? "loss is" : "losses are") of unknown size"
    switch (result.lostByteCount, count) {
    case (0, 0): return "nothing was lost"
    case (0, _): return missing
    case (let byteCount, 0): return "\(ByteCount(byteCount)) do not verify"
    case (let byteCount, _): return "\(ByteCount(byteCount)) do not verify, and \(missing)"
    }
  }

  private static func report(
    _ result: SalvageReport, store: String, out: String, _ duration: Duration
  ) -> Report {
    [
      "store": .text(store), "out": .text(out), "records": .count(result.recordCount),
      "liveRecords": .count(result.liveRecordCount), "segments": .count(result.segmentCount),
      "bytes": .count(result.byteCount), "lostBytes": .count(result.lostByteCount),
      "seconds": .seconds(duration), "notes": .list(result.notes.map { .text($0) }),
      "losses": .reports(
        result.losses.map { loss in
          [
            "file": .text(loss.file), "start": .count(loss.range.lowerBound),
            "end": .count(loss.range.upperBound), "reason": .text(loss.reason),
          ]
        }),
    ]
  }
}
