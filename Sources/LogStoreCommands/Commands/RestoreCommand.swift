internal import ArgumentParser
internal import LogStore

/// `logstore restore BACKUP OUT`: puts a backup back.
struct RestoreCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Verify a backup, and copy it to a new directory.",
    discussion: """
      Ends with status 2, and writes nothing, when a byte of the backup does not verify: then \
      salvage is left. No store may lie at OUT.
      """)

  @Argument(help: "The directory of the backup.") var backup: String
  @Argument(help: "The directory of the store; created when it is missing.") var out: String
  @OptionGroup var reporting: ReportingOptions

  func perform(_ console: Console) throws -> ExitStatus {
    let start = ContinuousClock.now
    let bar = console.progressBar("Restoring", json: reporting.json)
    defer { bar.finish() }
    let report = try Log.restore(backup, to: out) { done, total in
      bar.update(Progress(bytes: done, of: total))
      return true
    }
    bar.finish()
    let text = BackupText(
      verb: "Restored", from: backup, to: out, result: report ?? BackupReport(),
      duration: ContinuousClock.now - start)
    try text.write(on: console, json: reporting.json)
    return .success
  }
}
