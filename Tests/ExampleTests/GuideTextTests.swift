import Foundation
import Testing

/// That the code which guides show is code which tests compile and run.
@Suite struct GuideTextTests {
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// What guides take their examples from. Those with `@Model` are built by Scripts/macro-test.sh.
  static let sources = [
    "Tests/ObjectStoreTests/Guides/ModelGuideTests.swift",
    "Tests/ObjectStoreTests/Guides/ChangeGuideTests.swift",
    "Tests/LogStoreTestingTests/OperationGuideTests.swift",
    "Tests/ObjectStoreTests/Barriers/BarrierRecipeTests.swift",
    "Tests/ExampleTests/MigrationGuideTests.swift",
    "Tests/ExampleTests/DecimalTextTests.swift",
    "Tests/ExampleTests/CompactionGuideTests.swift",
    "Tests/ExampleTests/ReadmeTests.swift",
    "Examples/QuickStart/Person.swift",
    "MacroTests/Tests/ModelMacroTests/GuideModels.swift",
    "MacroTests/Tests/ModelMacroTests/QuickStartModelTests.swift",
  ]

  @Test(
    "every Swift example of a guide stands in a test, but for its indentation",
    arguments: [
      ("Documentation/Models.md", "# Models and queries"),
      ("Documentation/Migrations.md", "# Migrations"),
      ("Documentation/Compaction.md", "# Compaction"),
      // What comes before are lines of the manifest of an app.
      ("README.md", "<!-- quick start: Examples/QuickStart/Person.swift -->"),
    ])
  func examplesAreTested(page: String, start: String) throws {
    let tested = try Self.sources.map { "\n" + Self.trimmed(try Self.text(of: $0)) + "\n" }
    let parts = try Self.text(of: page).components(separatedBy: start + "\n")
    try #require(parts.count == 2, "\(start) stands once in \(page)")
    let examples = parts[1].components(separatedBy: "```swift\n").dropFirst()
    #expect(!examples.isEmpty)
    for example in examples {
      let code = Self.trimmed(try #require(example.components(separatedBy: "```").first))
      #expect(tested.contains { $0.contains("\n" + code + "\n") }, "no test has:\n\(code)")
    }
  }

  private static func text(of path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The lines that are not empty, without what stands around them.
  private static func trimmed(_ text: String) -> String {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }.joined(separator: "\n")
  }
}
