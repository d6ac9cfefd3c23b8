public import ArgumentParser
internal import FileIO

/// The command `logstore` with all its subcommands, which take the schema history from `History`.
///
/// The tool itself reads it from a file. An app whose steps are Swift closures builds its own tool
/// with a provider of its own; its main file ends with ``runAndExit(_:)``.
public struct LogStoreCommand<History: HistoryProvider>: ParsableCommand {
  /// The command's name, help and subcommands.
  public static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "logstore", abstract: "Work on stores of objects: offline, and by hand.",
      discussion: """
        Exit codes: 0 done, 1 not found, 2 corruption, 3 store in use, 4 input/output or no \
        space, 5 newer format or schema, 7 migration, 64 usage.
        """,
      version: "0.1.0",
      subcommands: [
        ImportCommand<History>.self, GetCommand<History>.self, DumpCommand<History>.self,
        StatsCommand<History>.self, SchemaCommand<History>.self, VerifyCommand.self,
        CompactCommand<History>.self, TopCommand<History>.self, BackupCommand.self,
        RestoreCommand.self, SalvageCommand.self, ReportCommand<History>.self,
      ])
  }

  /// A command whose arguments are not set yet, for the argument parser.
  public init() {}

  /// Runs the command with `arguments`, those of the process when not given, and ends the process.
  public static func runAndExit(_ arguments: [String]? = nil) -> Never {
    let console = Console.standard()
    let words = arguments ?? Array(CommandLine.arguments.dropFirst())
    if arguments == nil, let refusal = refusalOfBytes() {
      console.report(refusal, json: words.contains("--json"))
      exit(withError: ExitCode(refusal.status.rawValue))
    }
    // Whoever reads beside a writer keeps all segments open.
    OpenFileBudget.raiseLimit()
    let status = execute(words, on: console)
    exit(withError: status == 0 ? nil : ExitCode(status))
  }

  /// What is said of the first argument of the process that is no text: Swift gives other
  /// characters in the place of its bytes, and another file would be meant.
  private static func refusalOfBytes() -> CommandError? {
    for position in 1..<max(1, Int(CommandLine.argc)) {
      guard let bytes = CommandLine.unsafeArgv[position],
        String(validatingCString: bytes) == nil
      else { continue }
      return .usage(
        "argument \(position), \"\(String(cString: bytes))\", is not valid UTF-8; give it in "
          + "UTF-8: rename what it names, or write the text in that encoding")
    }
    return nil
  }

  /// Runs the command and returns its exit status.
  static func execute(_ arguments: [String], on console: Console) -> Int32 {
    do {
      var command = try parsed(arguments)
      if let command = command as? any StoreCommand { return command.execute(console).rawValue }
      try command.run()
      return ExitStatus.success.rawValue
    } catch {
      return tell(error, arguments, on: console)
    }
  }

  /// The command that the arguments name; a key that looks like an option is taken as a key.
  private static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
    do { return try parseAsRoot(arguments) } catch {
      guard !exitCode(for: error).isSuccess, let separated = DashedKey.separated(arguments),
        let command = try? parseAsRoot(separated)
      else { throw error }
      return command
    }
  }

  /// Prints help where it was asked for, and errors of the arguments.
  private static func tell(
    _ error: any Error, _ arguments: [String], on console: Console
  ) -> Int32 {
    let code = exitCode(for: error)
    if code.isSuccess {
      // Nobody is left to hear that standard output does not take the help.
      try? console.output.writeText(fullMessage(for: error))
      try? console.output.flush()
    } else if arguments.contains("--json") {
      console.report(.usage(message(for: error)), json: true)
    } else {
      console.writeToErrors(fullMessage(for: error))
    }
    return code.rawValue
  }
}
