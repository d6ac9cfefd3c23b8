import Foundation
import LogStoreSimulation
import Testing

/// Scripts of failures that were found once, replayed for ever; see Documentation/Testing.md.
@Suite struct RegressionTests {
  /// Beside this file, each with a comment that says what it was.
  private static let directory = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Regressions")

  static let files: [String] =
    (try? FileManager.default.contentsOfDirectory(atPath: directory.path(percentEncoded: false)))?
    .filter { $0.hasSuffix(".txt") }.sorted() ?? []

  private static func text(of file: String) throws -> String {
    try String(contentsOf: directory.appending(path: file), encoding: .utf8)
  }

  @Test("what failed once does not fail again, nor do crashes near it", arguments: files)
  func pastFailuresStayAway(file: String) throws {
    let script = try SimulationScript(text: try Self.text(of: file))
    if let found = ScriptReplay(script).search(limit: 300) { Issue.record("\(file): \(found)") }
  }

  @Test("the scripts still find the bug they name, where it can be planted", arguments: files)
  func scriptsStillFind(file: String) throws {
    let text = try Self.text(of: file)
    guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("# plant ") }) else {
      return
    }
    guard let defect = Defect(name: String(line.dropFirst(8))) else {
      let plantsAll = Defect.all.contains { if case .engine = $0 { true } else { false } }
      #expect(!plantsAll, "there is no bug of the name that \(file) gives")
      return
    }
    let script = try SimulationScript(text: text)
    #expect(ScriptReplay(script, defect: defect).search(limit: 300) != nil)
  }

  @Test("there are scripts")
  func scriptsAreFound() { #expect(!Self.files.isEmpty) }
}
