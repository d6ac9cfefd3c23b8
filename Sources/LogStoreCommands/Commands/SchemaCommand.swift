internal import ArgumentParser

/// `logstore schema`: what the store knows of its own data.
struct SchemaCommand<History: HistoryProvider>: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "schema", abstract: "Show the schemas of a store.",
      subcommands: [SchemaShowCommand<History>.self])
  }
}
