import Foundation
import LogStore
import Testing

@testable import LogStoreCommands

@Suite("The built tool passes status, streams and a broken pipe on to the system")
struct ToolProcessTests {
  /// The executable beside the test bundle; nothing where it was built elsewhere.
  static let tool: URL? = {
    let folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    return ["logstore", "LogStoreTool"].map { folder.appendingPathComponent($0) }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }()

  private func process(
    _ arguments: [String], of program: URL? = tool, output: Pipe, errors: Pipe
  ) throws -> Process {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    return process
  }

  @Test("Exit codes reach the shell", .enabled(if: tool != nil))
  func status() throws {
    let bench = try CommandBench()
    bench.makeReadings(count: 2)
    for (line, status) in [
      ("verify STORE", 0), ("get STORE Reading 9", 1), ("get STORE", 64), ("dump /nowhere", 4),
    ] {
      let output = Pipe()
      let errors = Pipe()
      let process = try process(bench.words(line), output: output, errors: errors)
      let text = try errors.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      #expect(process.terminationStatus == status)
      #expect(text.isEmpty == (status == 0))
    }
  }

  @Test("P12: more segments than the shell lets a process open are read", .enabled(if: tool != nil))
  func manySegments() throws {
    let bench = try CommandBench()
    bench.makeReadings(count: 2)
    let log = try Log.open(at: bench.store)
    for number in 0..<80 {
      try log.delete([UInt8(number)], in: CollectionIdentifier(1))
      try log.sealActiveSegment()
    }
    try log.close()
    let script = "ulimit -Sn 40; exec \"$0\" \"$@\""
    for (line, count) in [("verify STORE", 1), ("dump STORE", 2)] {
      let output = Pipe()
      let errors = Pipe()
      let tool = try #require(Self.tool)
      let process = try process(
        ["-c", script, tool.path] + bench.words(line), of: URL(filePath: "/bin/sh"),
        output: output, errors: errors)
      let lines = try output.fileHandleForReading.readToEnd() ?? Data()
      let text = try errors.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0, "\(String(decoding: text, as: UTF8.self))")
      #expect(lines.split(separator: UInt8(ascii: "\n")).count >= count)
    }
  }

  @Test("A reader that goes away ends a dump quietly", .enabled(if: tool != nil))
  func brokenPipe() throws {
    let bench = try CommandBench()
    bench.makeReadings(count: 20_000)
    let output = Pipe()
    let errors = Pipe()
    let process = try process(bench.words("dump STORE"), output: output, errors: errors)
    try output.fileHandleForWriting.close()
    let first = try output.fileHandleForReading.read(upToCount: 5)
    try output.fileHandleForReading.close()
    process.waitUntilExit()
    #expect(first == Data("{\"id\"".utf8))
    #expect(process.terminationReason == .exit)
    #expect(process.terminationStatus == 0)
    #expect(try errors.fileHandleForReading.readToEnd() ?? Data() == Data())
  }
}
