internal import ArgumentParser
internal import SchemaRegistry

/// `logstore schema export`: the history as a file, to be committed when a version ships.
struct SchemaExportCommand<History: HistoryProvider>: StoreCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "export", abstract: "Print the history as a file.",
      discussion: """
        Committed when a version ships, the file is what `check --against` compares with later. \
        Equal histories give equal files. Swift code is written as its revision.
        """)
  }

  @OptionGroup var history: History
  @OptionGroup var reporting: ReportingOptions

  func perform(_ console: Console) throws -> ExitStatus {
    let history = try HistoryText.required(try history.history())
    try console.output.writeText(try HistoryText.text(of: history))
    return .success
  }
}
