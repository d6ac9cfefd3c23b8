internal import ArgumentParser
internal import SchemaRegistry

/// `logstore schema squash`: the history without the versions that no store needs any more.
struct SchemaSquashCommand<History: HistoryProvider>: StoreCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "squash", abstract: "Print the history with a later base.",
      discussion: """
        What types and members are stays written down in the new base, so that records of the \
        floor and later read as ever. Records that are older cannot be opened with it: the floor \
        must not be above the oldest version of any store or backup, which `explain` shows.
        """)
  }

  @Option(help: "The version that becomes the base.") var floor: UInt64
  @OptionGroup var history: History
  @OptionGroup var reporting: ReportingOptions

  func perform(_ console: Console) throws -> ExitStatus {
    let history = try HistoryText.required(try history.history())
    try console.output.writeLine(
      try HistoryText.text(of: history.squashed(floor: SchemaVersion(floor))))
    return .success
  }
}
