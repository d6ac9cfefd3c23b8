import ArgumentParser

/// Runs the same work on LogStore and on the engines people compare it with, and prints both.
@main
struct LogStoreBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logstore-bench",
    abstract: "Compares LogStore with its peers on the same work, in one run.",
    subcommands: [
      CompareCommand.self, ReportCommand.self, PoliciesCommand.self, BackgroundCommand.self,
      PhaseCommand.self,
    ],
    defaultSubcommand: CompareCommand.self)
}
