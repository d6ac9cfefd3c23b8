/// A place that breaks a rule of Documentation/StyleGuide.md, and what to do about it.
struct Violation: CustomStringConvertible {
  var path: String
  /// Counted from 1.
  var line: Int
  var rule: String
  var remedy: String

  var description: String { "\(path):\(line): \(rule); \(remedy)" }
}
