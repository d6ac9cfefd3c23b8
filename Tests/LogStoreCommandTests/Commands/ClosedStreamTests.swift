import Foundation
import Testing

@testable import LogStoreCommands

@Suite("A command whose standard streams are closed writes nothing of its own into a store")
struct ClosedStreamTests {
  private static let tool = ToolProcessTests.tool

  /// Runs the tool as a process without standard streams; returns its status.
  private func run(_ words: [String]) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    let script = #"exec "$0" "$@" <&- >&- 2>&-"#
    process.arguments = ["-c", script, try #require(Self.tool).path] + words
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  @Test("Acknowledgements, reports and errors of an import go nowhere", .enabled(if: tool != nil))
  func importing() throws {
    let bench = try CommandBench()
    let rows = (0..<50).map { "{\"id\":\($0),\"text\":\"text \($0)\"}\n" }.joined()
    let path = try bench.file("rows.jsonl", rows)
    let words = bench.words("import STORE --type Reading --key id --infer --batch 5 --ack")
    #expect(try run(words + [path]) == 0)
    #expect(bench.run("verify STORE").status == 0)
    let wrong = try bench.file("wrong.jsonl", rows + "{\"id\":\"none\"}\n")
    #expect(try run(bench.words("import STORE --type Reading --batch 5") + [wrong]) == 64)
    let verified = bench.run("verify STORE")
    #expect(verified.status == 0, "\(verified.output)")
    #expect(bench.run("dump STORE").lines.count == 50)
    // There is nothing to read either.
    #expect(try run(bench.words("import STORE --type Reading")) == 0)
    #expect(try run(bench.words("compact STORE")) == 0)
    #expect(bench.run("verify STORE").status == 0)
  }
}
