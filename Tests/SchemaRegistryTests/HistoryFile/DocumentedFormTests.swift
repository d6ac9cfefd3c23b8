import Foundation
import SchemaRegistry
import Testing

/// Every form that Documentation/HistoryFile.md shows, beside its full example.
@Suite("Documented forms of history files")
struct DocumentedFormTests {
  /// What stands for the names of values in the documentation.
  private static let values = [
    "TYPE": #""A""#, "PLACE": #"{"type": "B", "member": "b"}"#, "NAME": #""check""#,
    "M": #""a""#, "N": #""c""#, "T": #""int64?""#, "S": #"",""#, "V": "1",
    "C": #"{"type": "int64", "value": 1}"#, "E": #"{"member": "a"}"#,
  ]

  /// The forms in a section; those in the first column of a table alone with `inTables`.
  private static func forms(
    after heading: String, inTables: Bool = false
  ) throws -> [String] {
    let document = try HistoryFiles.documentation()
    let start = try #require(document.range(of: "\n## \(heading)\n"))
    let rest = document[start.upperBound...]
    let section = rest.range(of: "\n## ").map { rest[..<$0.lowerBound] } ?? rest
    return section.split(separator: "\n").flatMap { line -> [String] in
      let row = line.split(separator: "|", maxSplits: 1).first ?? ""
      if inTables, line.first != "|" { return [] }
      return (line.first == "|" ? row : line).matches(of: #/`(\{".*?)`/#).map { match in
        filled(String(match.1))
      }
    }
  }

  /// A form with values in place of their names.
  private static func filled(_ form: String) -> String {
    let text = form.replacing(#/"[^"]*"|[A-Z]+/#) { match in
      values[String(match.output)] ?? String(match.output)
    }
    return text.replacing("{...}", with: #"{"name": "D", "key": "id", "members": []}"#)
      .replacing("[...]", with: "[]").replacing("…", with: #"{"revision": 1}"#)
  }

  private func read(change: String) throws {
    _ = try HistoryFiles.read(
      #"{"format": 1, "base": {"version": 0, "types": []}, "versions": [{"version": 1, "changes": "#
        + "[\(change)]}]}")
  }

  private func read(operation: String) throws {
    try read(change: #"{"on": "A", "operations": [\#(operation)]}"#)
  }

  @Test("Changes, operations and expressions are read as they are documented")
  func forms() throws {
    let changes = try Self.forms(after: "Top level", inTables: true)
    #expect(changes.count == 10)
    for form in changes { #expect(throws: Never.self, "\(form)") { try read(change: form) } }
    let operations = try Self.forms(after: "Operations")
    #expect(operations.count > 14)
    for form in operations { #expect(throws: Never.self, "\(form)") { try read(operation: form) } }
    let expressions = try Self.forms(after: "Expressions")
    #expect(expressions.count > 20)
    for form in expressions {
      #expect(throws: Never.self, "\(form)") {
        try read(operation: #"{"convert": "a", "to": "int64?", "expression": \#(form)}"#)
      }
    }
  }

  @Test("Code of the app stands in a move where its condition does, as it is documented")
  func codeOfMove() throws {
    let document = try HistoryFiles.documentation()
    let row = try #require(
      document.split(separator: "\n").first { line in line.hasPrefix(#"| `{"move""#) })
    let cells = row.matches(of: #/`(\{.*?)`/#).map { match in String(match.1) }
    try #require(cells.count == 3)
    let form = cells[0].replacing(cells[2], with: cells[1])
    #expect(form != cells[0])
    try read(change: Self.filled(form))
  }
}
