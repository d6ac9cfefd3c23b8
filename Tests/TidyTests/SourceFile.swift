/// A Swift file with its text as written and with everything masked that is not code.
struct SourceFile {
  /// Relative to the repository's root.
  let path: String
  let lines: [String]
  /// The same lines with the contents of comments and string literals replaced by spaces.
  let codeLines: [String]

  init(path: String, text: String) {
    self.path = path
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    codeLines = CodeMask.mask(text).split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init)
  }

  /// The file's name without its ending.
  var name: String {
    String(path.split(separator: "/").last?.dropLast(".swift".count) ?? "")
  }

  /// The name of the target directory below Sources, Tests or Examples.
  var module: String {
    let parts = path.split(separator: "/")
    return parts.count > 1 ? String(parts[1]) : ""
  }

  var isTest: Bool { path.hasPrefix("Tests/") }
}
