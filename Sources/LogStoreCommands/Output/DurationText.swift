/// A duration as people read it: `850 ms`, `4.2 s`, `3 min 05 s`, `2 h 07 min`.
struct DurationText: Equatable, Sendable, CustomStringConvertible {
  var duration: Duration

  init(_ duration: Duration) {
    self.duration = duration
  }

  var description: String {
    let (seconds, attoseconds) = duration.components
    let milliseconds = attoseconds / 1_000_000_000_000_000
    if seconds < 1 { return "\(max(0, milliseconds)) ms" }
    if seconds < 60 { return "\(seconds).\(milliseconds / 100) s" }
    if seconds < 3600 { return "\(seconds / 60) min \(Self.twoDigits(seconds % 60)) s" }
    return "\(seconds / 3600) h \(Self.twoDigits(seconds % 3600 / 60)) min"
  }

  private static func twoDigits(_ value: Int64) -> String {
    value < 10 ? "0\(value)" : "\(value)"
  }
}
