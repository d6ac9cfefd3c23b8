public import ArgumentParser
internal import ObjectStore

/// `logstore compact STORE`: makes upgrades permanent and gives space back.
///
/// Public, so that an app can put it among its own commands: the history comes from `History`.
public struct CompactCommand<History: HistoryProvider>: StoreCommand {
  /// The command's name and help.
  public static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "compact",
      abstract: "Make upgrades permanent and give the space of dead records back.",
      discussion: """
        With a history, every record is brought to its last version while it is copied. Types \
        whose upgrade needs the code of an app stay as they are and are named. A record whose \
        upgrade fails stays as it is and is listed; the command ends with status 7 then. It can \
        be killed at any moment; running it again finishes the work.
        """)
  }

  @Argument(help: "The directory of the store.") var store: String
  @Flag(help: "Only show what would be done.") var dryRun = false
  @OptionGroup var history: History
  @OptionGroup var reporting: ReportingOptions

  /// A command whose arguments are not set yet, for the argument parser.
  public init() {}

  /// Compacts the store that the arguments name, and reports on the standard streams.
  public mutating func run() throws {
    let status = execute(.standard())
    if status != .success { throw ExitCode(status.rawValue) }
  }

  func perform(_ console: Console) throws -> ExitStatus {
    let history = try history.history()
    if dryRun {
      let opened = try Store.open(at: store, history: history, configuration: .inspection)
      console.noteRecovery(of: opened, json: reporting.json)
      let text = CompactionPlanText(
        plan: try opened.compactionPlan(), typesNeedingCode: try opened.typesNeedingCode())
      try write(text.report, text.lines, on: console)
      return .success
    }
    let opened = try Store.open(at: store, history: history, configuration: .maintenance)
    console.noteRecovery(of: opened, json: reporting.json)
    let bar = console.progressBar("Compacting", json: reporting.json)
    defer { bar.finish() }
    let report = try opened.compact(progress: { progress in
      bar.update(
        Progress(
          completed: progress.recordCount, total: progress.recordCountTotal,
          objectCount: progress.recordCount))
      return true
    })
    bar.finish()
    let typesNeedingCode = try opened.typesNeedingCode()
    try opened.close()
    let text = CompactionText(path: store, report: report, typesNeedingCode: typesNeedingCode)
    try write(text.report, text.lines, on: console)
    return text.status
  }

  private func write(_ report: Report, _ lines: [String], on console: Console) throws {
    if reporting.json {
      try console.write(report)
    } else {
      for line in lines { try console.output.writeLine(line) }
    }
  }
}
