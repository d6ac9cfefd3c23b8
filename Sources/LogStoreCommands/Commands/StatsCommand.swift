internal import ArgumentParser
internal import LogStore
internal import ObjectStore
internal import SchemaRegistry

/// `logstore stats STORE`: what the store holds, without reading a record.
struct StatsCommand<History: HistoryProvider>: StoreCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "stats",
      abstract: "Show segments, live and dead records, bytes, and objects by schema version.",
      discussion: """
        Reads no object. What it costs grows with the number of segments, and with what was \
        written since the last of them was sealed.
        """)
  }

  @Argument(help: "The directory of the store.") var store: String
  @OptionGroup var history: History
  @OptionGroup var reporting: ReportingOptions
  @Option(help: ArgumentHelp("Open the store so often; the median is told.", visibility: .hidden))
  var opens = 1

  func validate() throws {
    guard opens > 0 else { throw ValidationError("--opens must be positive.") }
  }

  func perform(_ console: Console) throws -> ExitStatus {
    let history = try history.history()
    var durations: [Duration] = []
    for _ in 0..<opens { durations.append(try timeToOpen(history)) }
    let opened = try Store.open(at: store, history: history, configuration: .inspection)
    let openDuration = durations.sorted()[durations.count / 2]
    let text = StatisticsText(
      path: store, store: opened, statistics: try opened.statistics(), openDuration: openDuration)
    if reporting.json {
      try console.write(text.report)
    } else {
      for line in text.lines { try console.output.writeLine(line) }
    }
    return .success
  }

  /// How long it takes to open the store to show it, which may be beside a writer.
  private func timeToOpen(_ history: SchemaHistory?) throws -> Duration {
    let start = ContinuousClock.now
    let opened = try Store.open(at: store, history: history, configuration: .inspection)
    let duration = ContinuousClock.now - start
    try opened.close()
    return duration
  }
}
