internal import ArgumentParser
internal import ObjectStore
internal import SchemaRegistry

/// `logstore schema squash`: the history without the versions that no store needs any more.
struct SchemaSquashCommand<History: HistoryProvider>: StoreCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "squash", abstract: "Print the history with a later base.",
      discussion: """
        What types and members are stays written down in the new base, so that records of the \
        floor and later read as ever. Records that are older cannot be opened with it: name every \
        store, backup and replica with --store. They are read only. Ends with 7, and names those \
        that need a lower floor, their types and counts, when there are any.
        """)
  }

  @Option(help: "The version that becomes the base.") var floor: UInt64
  @Option(
    name: .customLong("store"),
    help: ArgumentHelp(
      "A store or backup that must not need what is before; can be repeated.",
      valueName: "directory"))
  var stores: [String] = []
  @OptionGroup var history: History
  @OptionGroup var reporting: ReportingOptions

  func perform(_ console: Console) throws -> ExitStatus {
    let history = try HistoryText.required(try history.history())
    let squashed = try history.squashed(floor: SchemaVersion(floor), askingStoresAt: stores)
    if stores.isEmpty, !reporting.json {
      console.note("No store was asked whether it needs what is before; name them with --store.")
    }
    try console.output.writeText(try HistoryText.text(of: squashed))
    return .success
  }
}
