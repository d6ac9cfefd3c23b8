/// Files are named after their types, and types after what the glossary knows.
enum NameRules {
  /// Words that say nothing or that mean something else in this code; see the glossary.
  static let bannedWords: Set<String> = [
    "Entry", "Chunk", "Block", "Node", "Item", "Manager", "Helper", "Util", "Utils", "Utility",
    "Info", "Data", "Impl",
  ]

  nonisolated(unsafe) private static let typeDeclaration =
    #/\b(?:struct|class|enum|actor|protocol|typealias|macro)\s+([A-Z]\w*)/#
  nonisolated(unsafe) private static let declarationOrExtension =
    #/\b(?:struct|class|enum|actor|protocol|typealias|extension|macro)\s+([A-Z][\w.]*)/#

  static func words(_ file: SourceFile) -> [Violation] {
    var violations: [Violation] = []
    for (index, line) in file.codeLines.enumerated() {
      for match in line.matches(of: typeDeclaration) {
        let name = String(match.1)
        for word in camelCaseWords(name) where bannedWords.contains(word) {
          violations.append(
            Violation(
              path: file.path, line: index + 1, rule: "\(name) holds the banned word \(word)",
              remedy: "take a word of Documentation/Glossary.md"))
        }
      }
    }
    return violations
  }

  /// `HTTPBlockList` becomes `HTTP`, `Block`, `List`.
  static func camelCaseWords(_ name: String) -> [String] {
    name.matches(of: #/[A-Z]+(?![a-z])|[A-Z][a-z0-9]*/#).map { String($0.output) }
  }

  /// `Type.swift` declares `Type`; `Type+Topic.swift` declares or extends it, or makes other types
  /// conform to it.
  static func files(_ file: SourceFile) -> [Violation] {
    guard !["main", "Package", "Placeholder", "Exports"].contains(file.name) else { return [] }
    let type = file.name.split(separator: "+").first.map(String.init) ?? ""
    let declared = file.codeLines.contains { line in
      line.matches(of: declarationOrExtension).contains { match in
        match.1.split(separator: ".").contains { $0 == type }
      } || line.contains("extension ") && line.contains(": \(type)")
    }
    guard !declared else { return [] }
    return [
      Violation(
        path: file.path, line: 1, rule: "no type or extension is called \(type)",
        remedy: "name the file after its main type, or Type+Topic.swift")
    ]
  }
}
