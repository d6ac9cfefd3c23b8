/// Limits on files, functions and lines.
enum SizeRules {
  static let lineColumnMaximum = 100
  static let functionLineMaximum = 60

  static func fileLineMaximum(isTest: Bool) -> Int { isTest ? 600 : 400 }

  static func files(_ file: SourceFile) -> [Violation] {
    let count = file.lines.last == "" ? file.lines.count - 1 : file.lines.count
    let maximum = fileLineMaximum(isTest: file.isTest)
    guard count > maximum else { return [] }
    return [
      Violation(
        path: file.path, line: count, rule: "the file has \(count) lines, over \(maximum)",
        remedy: "split it by topic into Type+Topic.swift")
    ]
  }

  static func lines(_ file: SourceFile) -> [Violation] {
    file.lines.enumerated().filter { $0.element.count > lineColumnMaximum }.map { index, line in
      Violation(
        path: file.path, line: index + 1,
        rule: "the line has \(line.count) columns, over \(lineColumnMaximum)",
        remedy: "break it")
    }
  }

  static func functions(_ file: SourceFile) -> [Violation] {
    var violations: [Violation] = []
    let start = #/^\s*(?:[a-z@][\w()@]*\s+)*(?:func\s|init[?(<]|deinit\b|subscript\s*[(<])/#
    for (index, line) in file.codeLines.enumerated() where line.contains(start) {
      guard let end = endOfBody(file.codeLines, from: index) else { continue }
      let count = end - index + 1
      if count > functionLineMaximum {
        violations.append(
          Violation(
            path: file.path, line: index + 1,
            rule: "the function has \(count) lines, over \(functionLineMaximum)",
            remedy: "move a step with a name of its own into another function"))
      }
    }
    return violations
  }

  /// The line of the brace that closes the first one opened at or after `first`.
  ///
  /// Nothing for a requirement without a body: the next declaration or a closing brace comes first.
  private static func endOfBody(_ lines: [String], from first: Int) -> Int? {
    var braceDepth = 0
    var parenthesisDepth = 0
    for index in first..<lines.count {
      for character in lines[index] {
        switch character {
        case "(": parenthesisDepth += 1
        case ")": parenthesisDepth -= 1
        case "{": braceDepth += 1
        case "}":
          braceDepth -= 1
          if braceDepth < 0 { return nil }
          if braceDepth == 0, parenthesisDepth <= 0 { return index }
        default: break
        }
      }
      let next = index + 1 < lines.count ? lines[index + 1] : ""
      let isDeclaration = next.contains(#/^\s*(?:[a-z]+\s+)*(?:func|var|let|init|case|struct)\b/#)
      if braceDepth == 0, parenthesisDepth <= 0, isDeclaration || next.allSatisfy(\.isWhitespace) {
        return nil
      }
    }
    return nil
  }
}
