internal import ArgumentParser

/// `logstore schema`: what stores know of their own data, and how histories change it.
struct SchemaCommand<History: HistoryProvider>: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "schema", abstract: "Show and check schemas and histories.",
      subcommands: [
        SchemaShowCommand<History>.self, SchemaExplainCommand<History>.self,
        SchemaExportCommand<History>.self, SchemaCheckCommand<History>.self,
        SchemaDiffCommand.self, SchemaSuggestCommand.self, SchemaSquashCommand<History>.self,
      ])
  }
}
