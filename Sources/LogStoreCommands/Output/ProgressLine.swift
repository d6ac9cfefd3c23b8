/// The text of a progress bar for one moment: pure, so that it is tested without a terminal.
///
///     Importing  [=========>          ]  48%  30,120 objects  61,000/s  0.5 s left
///
/// Parts are left out from the right until the line fits; the bar takes what room is left.
struct ProgressLine: Equatable, Sendable {
  /// Narrower than this the bar itself is left out.
  private static let barWidthMinimum = 10
  private static let barWidthMaximum = 40

  var title: String
  var progress: Progress
  /// What was done when the time began; the rate is that of what came since.
  var start: Progress
  var elapsed: Duration

  /// The line in at most `width` columns; titles are taken to be ASCII.
  func text(width: Int) -> String {
    var parts = details
    while !parts.isEmpty, title.count + parts.map({ $0.count + 2 }).reduce(0, +) > width {
      parts.removeLast()
    }
    let tail = parts.map { "  " + $0 }.joined()
    // Two spaces before the bar, two brackets around it.
    let room = width - title.count - tail.count - 4
    guard let fraction = progress.fraction, room >= Self.barWidthMinimum else {
      return String((title + tail).prefix(max(0, width)))
    }
    return title + "  " + Self.bar(fraction, width: min(room, Self.barWidthMaximum)) + tail
  }

  private var details: [String] {
    var parts: [String] = []
    if let fraction = progress.fraction {
      let percent = "\(Int(fraction * 100))%"
      parts.append(String(repeating: " ", count: 4 - percent.count) + percent)
    }
    parts.append(count(progress.objectCount) + (progress.isInBytes ? "" : " objects"))
    let seconds = elapsed / .seconds(1)
    guard seconds > 0 else { return parts }
    let objectCount = progress.objectCount - min(progress.objectCount, start.objectCount)
    parts.append(count(Self.rounded(Double(objectCount) / seconds)) + "/s")
    let done = progress.completed - min(progress.completed, start.completed)
    if let total = progress.total, progress.completed < total, done > 0 {
      let remaining = Double(total - progress.completed)
      let left = min(seconds * remaining / Double(done), 1_000_000)
      parts.append("\(DurationText(.milliseconds(Int64(left * 1000)))) left")
    }
    return parts
  }

  private func count(_ value: UInt64) -> String {
    progress.isInBytes ? "\(ByteCount(value))" : "\(GroupedNumber(value))"
  }

  private static func rounded(_ value: Double) -> UInt64 {
    UInt64(exactly: value.rounded(.down)) ?? UInt64.max
  }

  private static func bar(_ fraction: Double, width: Int) -> String {
    let filled = Int(fraction * Double(width))
    let head = filled < width ? ">" : ""
    let done = String(repeating: "=", count: filled)
    let rest = String(repeating: " ", count: width - filled - head.count)
    return "[" + done + head + rest + "]"
  }
}
