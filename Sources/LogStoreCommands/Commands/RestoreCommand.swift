internal import ArgumentParser
internal import Foundation
internal import LogStore

/// `logstore restore BACKUP OUT`: puts a backup back.
struct RestoreCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Verify a backup, and copy it to a new directory.",
    discussion: """
      Ends with status 2, and writes nothing, when a record of the backup does not verify: then \
      salvage is left. Damage of what is made again from the records is listed. Verifies what it \
      copies once more. No store may lie at OUT.
      """)

  @Argument(help: "The directory of the backup.") var backup: String
  @Argument(help: "The directory of the store; created when it is missing.") var out: String
  @OptionGroup var reporting: ReportingOptions

  func perform(_ console: Console) throws -> ExitStatus {
    try CopyPlace.check(out, outside: backup, "the backup")
    return try BackupText.copy(
      "Restoring", "Restored", from: backup, to: out, console, reporting
    ) { progress in
      try Log.restore(
        backup, to: out, threadCount: CheckingThreads.count, progress: progress)
    }
  }
}
