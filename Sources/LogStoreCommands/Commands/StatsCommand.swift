internal import ArgumentParser
internal import LogStore
internal import ObjectStore

/// `logstore stats STORE`: what the store holds, without reading a record.
struct StatsCommand<History: HistoryProvider>: StoreCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "stats",
      abstract: "Show segments, live and dead records, bytes, and objects by schema version.",
      discussion: "Reads no object: it costs the same for any size of store.")
  }

  @Argument(help: "The directory of the store.") var store: String
  @OptionGroup var history: History
  @OptionGroup var reporting: ReportingOptions

  func perform(_ console: Console) throws -> ExitStatus {
    let history = try history.history()
    let start = ContinuousClock.now
    let opened = try Store.open(at: store, history: history, configuration: .inspection)
    let openDuration = ContinuousClock.now - start
    let text = StatisticsText(
      path: store, store: opened, statistics: try opened.statistics(), openDuration: openDuration)
    if reporting.json {
      try console.write(text.report)
    } else {
      for line in text.lines { try console.output.writeLine(line) }
    }
    return .success
  }
}
