import Foundation
import Testing

@testable import LogStore

/// What Documentation/Format.md says of itself.
@Suite struct FormatDocumentTests {
  @Test("The first paragraph and the table of versions name the newest format")
  func newestVersion() throws {
    let path = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Documentation/Format.md").standardized
    let lines = try String(contentsOf: path, encoding: .utf8).split(separator: "\n")
    let newest = FormatVersion.current
    #expect(
      lines[1].contains("format versions 1 to \(newest); what came with 2 to \(newest) says so"))
    #expect(lines.contains { $0.hasPrefix("| \(newest) | manifests \(newest);") })
    #expect(!lines.contains { $0.hasPrefix("| \(newest + 1) | manifests") })
  }
}
