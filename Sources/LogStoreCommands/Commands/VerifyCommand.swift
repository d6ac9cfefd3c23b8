internal import ArgumentParser
internal import FileIO
internal import Foundation
internal import LogStore
internal import ObjectStore

/// `logstore verify STORE`: reads every byte, then every object.
struct VerifyCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Check every byte of the store, and decode every object.",
    discussion: """
      Changes nothing. Ends with status 2 when anything is damaged, be it only an index that is \
      rebuilt from the records when it is needed. An incomplete commit at the end, as a crash \
      leaves it, was never acknowledged and is no damage.

      Needs a store that nobody writes: it ends with status 3 while an app has it open for \
      writing, and an app cannot open it for writing until the bytes are checked. Of a store that \
      is in use, make a backup and verify that.
      """)

  @Argument(help: "The directory of the store.") var store: String
  @Option(help: "Threads that read segments; as many as there are processors if not given.")
  var threads = CheckingThreads.count
  @OptionGroup var reporting: ReportingOptions

  func validate() throws {
    guard (1...CheckingThreads.countMaximum).contains(threads) else {
      throw ValidationError("--threads must be from 1 to \(CheckingThreads.countMaximum).")
    }
  }

  func perform(_ console: Console) throws -> ExitStatus {
    let start = ContinuousClock.now
    let bar = console.progressBar("Verifying", json: reporting.json)
    defer { bar.finish() }
    let report = try LogVerifier.verify(store, threadCount: threads) { done, total in
      bar.update(Progress(bytes: done, of: total))
    }
    // What the log cannot vouch for is not decoded.
    let objects = report.damages.isEmpty ? ObjectCheck.check(store, bar: bar) : ObjectCheck()
    bar.finish()
    let text = VerificationText(
      path: store, log: report, objects: objects, duration: ContinuousClock.now - start)
    // Where nothing else is wrong there is nothing else to tell.
    if let failure = objects.failure, text.isIntact { throw failure }
    if reporting.json {
      try console.write(text.report)
    } else {
      for line in text.lines { try console.output.writeLine(line) }
    }
    return text.isIntact ? .success : .corruption
  }
}
