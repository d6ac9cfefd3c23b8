internal import FileIO

/// What a command reads from and writes to; tests pass their own.
final class Console {
  /// Standard output, collected; flushed at the end, or when something must be seen at once.
  let output: OutputSink
  /// Standard error, written at once.
  let errors: any ByteOutput
  /// Opens standard input.
  let standardInput: () -> any ByteInput
  /// Whether progress may be drawn, which happens on terminals only.
  let showsProgress: Bool
  /// Whether standard output is a terminal, at which somebody looks.
  let isTerminal: Bool

  init(
    output: any ByteOutput, errors: any ByteOutput, showsProgress: Bool = false,
    isTerminal: Bool = false, standardInput: @escaping () -> any ByteInput
  ) {
    self.output = OutputSink(output)
    self.errors = errors
    self.showsProgress = showsProgress
    self.isTerminal = isTerminal
    self.standardInput = standardInput
  }

  /// The streams of this process, those that are closed being opened to nowhere; from now on a
  /// reader that goes away does not end it.
  static func standard() -> Console {
    StandardStreams.openClosed()
    Signals.ignoreBrokenPipe()
    let output = DescriptorOutput.standardOutput()
    return Console(
      output: output, errors: DescriptorOutput.standardError(), showsProgress: true,
      isTerminal: output.terminalColumnCount != nil,
      standardInput: { DescriptorInput.standardInput() })
  }

  /// Writes a message for people to standard error, in which control characters are made visible;
  /// that nobody reads it is no reason to fail.
  func note(_ text: String) { writeToErrors(VisibleText.message(text)) }

  /// Writes a report as one line of JSON to standard error, which may be a terminal.
  func note(_ report: Report) { writeToErrors(report.json(isForTerminal: true)) }

  /// Writes text of the tool's own to standard error as it is.
  func writeToErrors(_ text: String) {
    var line = text + "\n"
    line.withUTF8 { bytes in
      try? errors.write(UnsafeRawBufferPointer(bytes))
    }
  }

  /// Writes a report as one line of JSON to standard output.
  func write(_ report: Report) throws(OutputError) {
    try output.writeText(report.json(isForTerminal: isTerminal))
  }

  /// A progress bar on standard error, silent unless that is a terminal.
  func progressBar(_ title: String, json: Bool) -> ProgressBar {
    ProgressBar(title: title, isEnabled: showsProgress && !json)
  }
}
