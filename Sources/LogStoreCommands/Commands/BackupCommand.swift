internal import ArgumentParser
internal import LogStore
internal import ObjectStore

/// `logstore backup STORE OUT`: a copy of a store that may be in use.
struct BackupCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Copy a store, which may be in use, to another directory.",
    discussion: """
      The copy is a store of its own, in the state of one moment. When OUT holds an earlier backup \
      of the store, only what is new is copied, and the earlier one stays whole until the new one \
      takes its place; one that was written to since is refused, and so is one that holds what the \
      store has not, because the store was restored from an older one. What is copied is verified. \
      Where something is damaged an earlier backup stays as it is; in a new directory the copy has \
      the same damage, and the command ends with status 2. Where the file system can, copies share \
      blocks with the store. The command can be killed at any moment; running it again finishes \
      the work.
      """)

  @Argument(help: "The directory of the store.") var store: String
  @Argument(help: "The directory of the backup; created when it is missing.") var out: String
  @OptionGroup var reporting: ReportingOptions

  func perform(_ console: Console) throws -> ExitStatus {
    try CopyPlace.check(out, outside: store, "the store")
    var configuration = StoreConfiguration.inspection.log
    configuration.maintenance = .none
    let log = try Log.open(at: store, configuration: configuration)
    console.noteRecovery(log.recoveryReport, json: reporting.json)
    return try BackupText.copy(
      "Copying", "Backed up", from: store, to: out, recovery: log.recoveryReport, console, reporting
    ) { progress in
      try log.backup(to: out, progress: progress)
    }
  }
}
