internal import ArgumentParser

/// A command on a store: does its work on a console and ends with an exit status.
protocol StoreCommand: ParsableCommand {
  /// How it reports.
  var reporting: ReportingOptions { get }

  /// Whether it is done when the reader of its output has gone, as `head` does, because all it does
  /// is print; others go on, and end with the status of what they did.
  static var endsWithReader: Bool { get }

  /// Does the work; what it throws becomes an error message and an exit status.
  func perform(_ console: Console) throws -> ExitStatus
}

extension StoreCommand {
  static var endsWithReader: Bool { false }

  mutating func run() throws {
    let status = execute(.standard())
    if status != .success { throw ExitCode(status.rawValue) }
  }

  /// Does the work, flushes the output, and turns errors into messages and a status.
  func execute(_ console: Console) -> ExitStatus {
    console.output.outlivesReader = !Self.endsWithReader
    let result = Result { () throws -> ExitStatus in
      let status = try perform(console)
      // The work is done, whoever reads the rest.
      console.output.outlivesReader = true
      try console.output.flush()
      return status
    }
    switch result {
    case .success(let status):
      return status
    case .failure(OutputError.readerGone):
      // Whoever read our output has seen enough.
      return .success
    case .failure(let error):
      // What was printed before the error is right, and says how far the command came.
      try? console.output.flush()
      let error = CommandError(error)
      console.report(error, json: reporting.json)
      return error.status
    }
  }
}

extension Console {
  /// Writes an error to standard error: a sentence, or an object for programs.
  func report(_ error: CommandError, json: Bool) {
    if json { note(error.report) } else { note("Error: \(error)") }
  }
}
