import ArgumentParser

/// Long runs over histories, in release builds.
@main
struct HistoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logstore-histories",
    abstract: "Tries random histories, and reads through long ones.",
    subcommands: [ChainsCommand.self, ReadCommand.self, FirstReadCommand.self])
}
