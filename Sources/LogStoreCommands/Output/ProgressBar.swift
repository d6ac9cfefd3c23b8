internal import FileIO

/// Redraws one line of a terminal while a command works; silent everywhere else.
///
/// Drawing is limited to ten times a second, so it costs nothing to report every batch. What the
/// terminal refuses is ignored: progress never fails a command. One thread at a time.
final class ProgressBar {
  private static let interval = Duration.milliseconds(100)

  private let title: String
  private let output: any ByteOutput
  /// The terminal's width, asked at each drawing as it may change; nothing means no terminal.
  private let columnCount: () -> Int?
  private let now: () -> ContinuousClock.Instant
  /// The first progress of the work that goes on, and when it was told: what was done before has
  /// another rate.
  private var start: (progress: Progress, time: ContinuousClock.Instant)?
  /// When the width was asked for last, be it that there was no terminal.
  private var lastAsking: ContinuousClock.Instant?
  private var isDrawn = false

  /// A bar on `output`, which is drawn only while `columnCount` gives a width.
  init(
    title: String, output: any ByteOutput, columnCount: @escaping () -> Int?,
    now: @escaping () -> ContinuousClock.Instant = { ContinuousClock.now }
  ) {
    self.title = title
    self.output = output
    self.columnCount = columnCount
    self.now = now
  }

  /// A bar on standard error, silent when that is no terminal or `isEnabled` is false.
  convenience init(title: String, isEnabled: Bool) {
    let output = DescriptorOutput.standardError()
    self.init(
      title: title, output: output,
      columnCount: { isEnabled ? output.terminalColumnCount : nil })
  }

  /// Draws `progress` where there is a terminal, unless that was asked less than a tenth of a
  /// second ago.
  func update(_ progress: Progress) {
    let moment = now()
    let start = start(of: progress, at: moment)
    if let lastAsking, lastAsking.duration(to: moment) < Self.interval { return }
    lastAsking = moment
    draw(progress, since: start, at: moment)
  }

  /// Where the work began that `progress` belongs to: other work has other units, and goes back.
  private func start(
    of progress: Progress, at moment: ContinuousClock.Instant
  ) -> (progress: Progress, time: ContinuousClock.Instant) {
    if let start, start.progress.isInBytes == progress.isInBytes,
      start.progress.completed <= progress.completed
    {
      return start
    }
    let begun = (progress, moment)
    start = begun
    return begun
  }

  /// Clears the line, so that what the command prints next starts on an empty one.
  func finish() {
    lastAsking = nil
    guard isDrawn, let width = columnCount() else { return }
    show("\r" + String(repeating: " ", count: max(0, width - 1)) + "\r")
    isDrawn = false
  }

  private func draw(
    _ progress: Progress, since start: (progress: Progress, time: ContinuousClock.Instant),
    at moment: ContinuousClock.Instant
  ) {
    guard let width = columnCount() else { return }
    isDrawn = true
    let line = ProgressLine(
      title: title, progress: progress, start: start.progress,
      elapsed: start.time.duration(to: moment))
    // The last column stays empty: writing there moves some terminals to the next line.
    let text = line.text(width: max(0, width - 1))
    let padding = String(repeating: " ", count: max(0, width - 1 - text.count))
    show("\r" + text + padding)
  }

  private func show(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      try? output.write(UnsafeRawBufferPointer(bytes))
    }
  }
}
