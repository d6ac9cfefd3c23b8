/// What no text of the repository may hold, and links that lead somewhere.
enum TextRules {
  /// Written in parts, so that this file does not break its own rule.
  private static let machinePaths = [
    "/wo" + "rk/", "/ro" + "ot/", "bash_" + "jobs", "/tmp/" + "wt",
  ]
  private static let registryHost = "//[^/\\s\"]*deb" + "ian\\.org"

  static func machineTraces(path: String, text: String) -> [Violation] {
    let host = try? Regex(registryHost)
    return lines(of: text).flatMap { index, line in
      var found = machinePaths.filter { line.contains($0) }
      if let host, line.contains(host) { found.append("a package registry's host") }
      return found.map { trace in
        Violation(
          path: path, line: index + 1, rule: "the text names \(trace)",
          remedy: "say it without naming a machine or registry")
      }
    }
  }

  /// Relative links of a Markdown file that lead to no file; code is skipped.
  static func brokenLinks(
    path: String, text: String, exists: (String) -> Bool
  ) -> [Violation] {
    var violations: [Violation] = []
    var isCode = false
    for (index, line) in lines(of: text) {
      if line.drop(while: { $0 == " " }).hasPrefix("```") { isCode.toggle() }
      if isCode { continue }
      for match in line.replacing(#/`[^`]*`/#, with: "").matches(of: #/\]\(([^)\s]+)\)/#) {
        let target = match.1.prefix { $0 != "#" }
        guard !target.isEmpty, !target.contains("://"), !target.hasPrefix("mailto:") else {
          continue
        }
        if !exists(resolve(String(target), from: path)) {
          violations.append(
            Violation(
              path: path, line: index + 1, rule: "the link to \(target) leads nowhere",
              remedy: "correct the path, relative to this file"))
        }
      }
    }
    return violations
  }

  private static func resolve(_ target: String, from path: String) -> String {
    var parts = path.split(separator: "/").dropLast().map(String.init)
    for part in target.split(separator: "/") {
      switch part {
      case ".": continue
      case "..": parts = parts.dropLast()
      default: parts.append(String(part))
      }
    }
    return parts.joined(separator: "/")
  }

  private static func lines(of text: String) -> [(offset: Int, element: Substring)] {
    Array(text.split(separator: "\n", omittingEmptySubsequences: false).enumerated())
  }
}
