import Foundation
import Testing

@testable import QuickStart

@Suite struct QuickStartTests {
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  @Test("the quick start of the README is the example, to the letter")
  func theReadmeShowsTheExample() throws {
    let readme = try String(
      contentsOf: Self.root.appendingPathComponent("README.md"), encoding: .utf8)
    let source = try String(
      contentsOf: Self.root.appendingPathComponent("Examples/QuickStart/Person.swift"),
      encoding: .utf8)
    let marked = try #require(readme.components(separatedBy: "<!-- quick start").dropFirst().first)
    let block = try #require(marked.components(separatedBy: "```swift\n").dropFirst().first)
    #expect(block.components(separatedBy: "```").first == source)
  }

  @Test("the example runs, on a new store and on its own")
  func theExampleRuns() throws {
    let path = NSTemporaryDirectory() + "quick-start-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try greet(storeAt: path)
    try greet(storeAt: path)
  }
}
