/// Calls that a library must not make: they end the process or write to its output.
enum CallRules {
  nonisolated(unsafe) private static let banned:
    [(pattern: Regex<Substring>, name: String, remedy: String)] = [
      (#/\btry!/#, "try!", "throw, or prove it by a type"),
      (#/\bfatalError\s*\(\s*\)/#, "fatalError()", "throw for bytes, say what was done wrong"),
      (#/(?:^|[^\w.])print\s*\(/#, "print", "return the text to the caller"),
      (#/\bas!\s/#, "as!", "use as? and throw"),
    ]

  static func calls(_ file: SourceFile) -> [Violation] {
    file.codeLines.enumerated().flatMap { index, line in
      banned.filter { line.contains($0.pattern) }.map { call in
        Violation(
          path: file.path, line: index + 1, rule: "\(call.name) is banned in libraries",
          remedy: call.remedy)
      }
    }
  }
}
