/// Every public declaration is documented where it is declared.
///
/// Three kinds need no words of their own: witnesses of the standard library's protocols,
/// witnesses of our own documented protocols, and initialisers that only take stored properties.
enum DocumentationRules {
  nonisolated(unsafe) private static let declaration =
    #/
      ^\s* (?: @\w+ (?: \([^)]*\) )? \s+ )*
      (?: public | open ) \s+ (?: \w+ (?: \(\w+\) )? \s+ )*?
      ( func | var | let | init | subscript | struct | class | enum | actor | protocol
        | typealias | macro ) \b [?]? \s* (.*)
    /#
  nonisolated(unsafe) private static let standardWitness =
    #/
      ^ (?: description | debugDescription | errorDescription | rawValue | hash\( | == | <
        | encode\( | \( (?: rawValue | integerLiteral ) \b )
    /#

  /// `requirements` are the signatures that documented protocols of the package ask for.
  static func documentation(_ file: SourceFile, requirements: Set<String>) -> [Violation] {
    let properties = storedProperties(file)
    return file.codeLines.enumerated().compactMap { index, line in
      guard let match = line.firstMatch(of: declaration), !isDocumented(file, at: index) else {
        return nil
      }
      let kind = String(match.1)
      let rest = unwrapped(String(match.2), file.codeLines, at: index)
      if rest.contains(standardWitness) { return nil }
      if requirements.contains(signature(kind: kind, rest: rest)) { return nil }
      if kind == "init", labels(file, at: index).isSubset(of: properties) { return nil }
      return Violation(
        path: file.path, line: index + 1, rule: "a public declaration has no documentation",
        remedy: "say in one sentence what it is for, then units, cost and errors")
    }
  }

  /// The signatures of all requirements of protocols in `files`.
  static func requirements(_ files: [SourceFile]) -> Set<String> {
    var result: Set<String> = []
    let requirement = #/^\s+(?:static\s+|mutating\s+)*(func|var|init|subscript)\b\s*(.*)/#
    for file in files {
      var isInside = false
      for (index, line) in file.codeLines.enumerated() {
        if line.contains(#/\bprotocol\s+[A-Z]/#) { isInside = true }
        if line.hasPrefix("}") { isInside = false }
        guard isInside, let match = line.firstMatch(of: requirement) else { continue }
        let rest = unwrapped(String(match.2), file.codeLines, at: index)
        result.insert(signature(kind: String(match.1), rest: rest))
      }
    }
    return result
  }

  /// A declaration whose parameters start on the next line, joined with that line.
  private static func unwrapped(_ rest: String, _ lines: [String], at index: Int) -> String {
    guard rest.hasSuffix("("), index + 1 < lines.count else { return rest }
    return rest + lines[index + 1].drop { $0 == " " }
  }

  /// `func read(into` for a method, `var name` for a property.
  private static func signature(kind: String, rest: String) -> String {
    let name = rest.prefix { $0 != ":" && $0 != ")" && $0 != "<" && $0 != " " }
    return "\(kind == "let" ? "var" : kind) \(name)"
  }

  /// Whether a doc comment stands above, with nothing but attributes between.
  private static func isDocumented(_ file: SourceFile, at index: Int) -> Bool {
    var above = index - 1
    while above >= 0 {
      let line = file.lines[above].drop { $0 == " " }
      if line.hasPrefix("///") || line.hasSuffix("*/") { return true }
      guard let first = firstLine(of: line, at: above, file.lines) else { return false }
      above = first - 1
    }
    return false
  }

  /// Where an attribute or a condition begins that ends in a line; nothing for anything else.
  private static func firstLine(
    of line: Substring, at index: Int, _ lines: [String]
  ) -> Int? {
    if line.hasPrefix("@") || line.hasPrefix("#if") { return index }
    guard line.hasSuffix(")") else { return nil }
    return (max(0, index - 5)..<index).last {
      let other = lines[$0].drop { $0 == " " }
      return other.hasPrefix("@") && other.hasSuffix("(")
    }
  }

  private static func storedProperties(_ file: SourceFile) -> Set<String> {
    Set(
      file.codeLines.compactMap { line in
        line.firstMatch(of: #/^\s+(?:[a-z]+(?:\(set\))?\s+)*(?:let|var)\s+(\w+)\s*[:=]/#)
          .map { String($0.1) }
      })
  }

  /// The inner names of an initialiser's parameters.
  private static func labels(_ file: SourceFile, at index: Int) -> Set<String> {
    var text = ""
    for line in file.codeLines[index...].prefix(40) {
      text += line
      if text.count(where: { $0 == "(" }) <= text.count(where: { $0 == ")" }) { break }
    }
    let names = text.matches(of: #/[(,]\s*(?:\w+\s+)?(\w+)\s*:/#).map { String($0.1) }
    return Set(names)
  }
}
