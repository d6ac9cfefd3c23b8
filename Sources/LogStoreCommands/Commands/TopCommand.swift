internal import ArgumentParser
internal import FileIO
internal import LogStore
internal import ObjectStore

/// `logstore top STORE`: the segments of a store while an app works on it.
struct TopCommand<History: HistoryProvider>: StoreCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "top",
      abstract: "Show segments by live part and schema version, again and again.",
      discussion: """
        Reads beside the app that has the store open, without a lock. While nobody has it open, \
        each look locks it for the moment that opening takes; an app that starts to write just \
        then is told that the store is in use. Segments with the most dead bytes stand first; \
        compaction takes them by cost and benefit, not in this order. Ends after --count times, \
        or when it is interrupted.
        """)
  }

  static var endsWithReader: Bool { true }

  @Argument(help: "The directory of the store.") var store: String
  @Option(help: "Seconds between two looks.") var interval = 2.0
  @Option(help: "Looks; without end when not given.") var count: Int?
  @Option(help: "Segments that are shown.") var limit = 20
  @OptionGroup var history: History
  @OptionGroup var reporting: ReportingOptions

  func validate() throws {
    guard interval == 0 || (0.001...86_400).contains(interval) else {
      throw ValidationError("--interval must be 0, or from 0.001 to 86400.")
    }
    guard limit > 0, count ?? 1 > 0 else {
      throw ValidationError("--count and --limit must be positive.")
    }
  }

  func perform(_ console: Console) throws -> ExitStatus {
    let history = try history.history()
    let monitor = Monitor()
    var before: (statistics: StoreStatistics, time: ContinuousClock.Instant)?
    var look = 0
    while true {
      let opened = try Store.open(at: store, history: history, configuration: .inspection)
      // What it shows is what was there when it was opened.
      let time = ContinuousClock.now
      let statistics = try opened.statistics()
      try opened.close()
      let text = TopText(
        path: store, statistics: statistics, before: before?.statistics,
        interval: before.map { (time - $0.time) / .seconds(1) } ?? 0, limit: limit)
      if reporting.json {
        try console.write(text.report)
      } else {
        if console.isTerminal { try console.output.write("\u{1B}[H\u{1B}[2J".utf8) }
        for line in text.lines { try console.output.writeLine(line) }
      }
      try console.output.flush()
      // Each look clears a terminal; elsewhere it would be told again and again.
      if look == 0 || console.isTerminal {
        console.noteRecovery(statistics.log.recovery, json: reporting.json)
      }
      before = (statistics, time)
      look += 1
      if let count, look >= count { return .success }
      monitor.enter()
      monitor.wait(milliseconds: Int(interval * 1000))
      monitor.leave()
    }
  }
}
