internal import ArgumentParser
internal import LogStore
internal import ObjectStore
internal import SchemaRegistry

/// `logstore schema explain STORE`: which versions are on disk, and which steps they still need.
struct SchemaExplainCommand<History: HistoryProvider>: StoreCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "explain",
      abstract: "Show the versions of a store's objects, and the operations that they need.",
      discussion: """
        Without a history, the versions only. With one, also what was edited after the store met \
        it, and what has to run when it is opened. The floor is the oldest version of any object: \
        operations up to it are not needed for this store any more. A store that is newer than the \
        history ends the command with 5, and one with objects from before it begins with 7.
        """)
  }

  @Argument(help: "The directory of the store.") var store: String
  @OptionGroup var history: History
  @OptionGroup var reporting: ReportingOptions

  func perform(_ console: Console) throws -> ExitStatus {
    let summary = try Store.info(at: store, configuration: .inspection)
    console.noteRecovery(summary.statistics.log.recovery, json: reporting.json)
    let explanation = try StoreExplanation(summary, history: try history.history())
    if reporting.json {
      try console.write(explanation.report)
    } else {
      for line in explanation.lines { try console.output.writeLine(line) }
    }
    if explanation.isNewer { return .newerFormat }
    return explanation.isOlder ? .migration : .success
  }
}
