import Foundation
import Testing

@testable import PackageCatalogue

@Suite("The package catalogue example reads Debian's control format")
struct PackageCatalogueTests {
  private func stanzas(
    _ text: String
  ) throws(StanzaReader.FormatError) -> [[String: String]] {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
    var reader = StanzaReader { lines.popFirst().map(String.init) }
    var stanzas: [[String: String]] = []
    while let stanza = try reader.next() { stanzas.append(stanza) }
    return stanzas
  }

  @Test("Fields, continuations and empty lines of values are read")
  func fields() throws {
    let text = "\nA: 1\nB:x: y\n z\n .\n  w\n\n\nA: 2\nC:"
    #expect(
      try stanzas(text) == [["A": "1", "B": "x: y\nz\n\n w"], ["A": "2", "C": ""]])
  }

  @Test(
    "A malformed line is named",
    arguments: [
      (" x\n", StanzaReader.FormatError(line: 1, problem: "there is no field to continue")),
      ("A: 1\nword\n", .init(line: 2, problem: "a field needs a name and a colon")),
      ("A: 1\nA: 2\n", .init(line: 2, problem: "the field A appears twice in its stanza")),
    ])
  func malformed(text: String, error: StanzaReader.FormatError) {
    #expect(throws: error) { try stanzas(text) }
  }

  @Test("A selection keeps the first of each name, up to its limit")
  func selection() {
    var unique = PackageSelection(limit: 2, isUnique: true)
    let names = ["a", "a", "b", "c"]
    let kept = names.map { unique.take(["Package": $0]) }
    #expect(kept == [true, false, true, false])
    #expect(unique.isComplete)
    var all = PackageSelection(limit: nil, isUnique: false)
    let keptOfAll = names.map { all.take(["Package": $0]) }
    #expect(keptOfAll == [true, true, true, true])
    let nameless = all.take(["Version": "1"])
    #expect(!nameless)
  }

  @Test("The sample holds some 200 real packages with the fields that the demo needs")
  func sample() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let path = root.appending(path: "Examples/PackageCatalogue/sample-packages.txt")
    let packages = try stanzas(String(contentsOf: path, encoding: .utf8))
    #expect(packages.count >= 200)
    #expect(Set(packages.map { $0["Package"] }).count == packages.count)
    #expect(packages.allSatisfy { $0["Version"] != nil && $0["Maintainer"] != nil })
    #expect(packages.contains { $0["Installed-Size"] == nil })
  }
}
