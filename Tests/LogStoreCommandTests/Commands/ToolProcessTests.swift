import Foundation
import LogStore
import StorageTestSupport
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

  /// Runs a line of the shell in which `$0` is the tool, and `$1` and those behind are given.
  private func shell(
    _ script: String, _ arguments: [String]
  ) throws -> (status: Int32, output: String, errors: String) {
    let (output, errors) = (Pipe(), Pipe())
    let tool = try #require(Self.tool)
    let process = try process(
      ["-c", script, tool.path] + arguments, of: URL(filePath: "/bin/sh"), output: output,
      errors: errors)
    let lines = try output.fileHandleForReading.readToEnd() ?? Data()
    let text = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (
      process.terminationStatus, String(decoding: lines, as: UTF8.self),
      String(decoding: text, as: UTF8.self)
    )
  }

  @Test(
    "A page goes behind what the file of standard output or error holds", .enabled(if: tool != nil),
    arguments: [
      (#""$0" report "$1" --html /dev/stdout >> "$2""#, "Wrote /dev/stdout"),
      (#""$0" report "$1" --html "$2" >> "$2""#, "Wrote "),
      (#""$0" report "$1" --html /dev/stderr 2>> "$2""#, "Wrote /dev/stderr"),
    ])
  func appendedPage(script: String, told: String) throws {
    let bench = try CommandBench()
    bench.makeReadings(count: 2)
    let path = try bench.file("all.html", "before\n")
    let outcome = try shell(script, [bench.store, path])
    #expect(outcome.status == 0, "\(outcome.errors)")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.hasPrefix("before\n<!DOCTYPE html>"), "\(text.prefix(40))")
    #expect(text.hasSuffix("</html>\n"), "\(text.suffix(40))")
    #expect((outcome.output + outcome.errors).contains(told))
    #expect(try FileManager.default.contentsOfDirectory(atPath: bench.directory.path).count == 2)
  }

  @Test(
    "A page has nothing before it nor behind it where standard error leads to its file, too",
    .enabled(if: tool != nil),
    arguments: [
      (#""$0" report "$1" --html /dev/stdout > "$2" 2>&1"#, false),
      (#""$0" report "$1" --html "$2" > "$2" 2>&1"#, false),
      (#""$0" report "$1" --html "$2" --json > "$2" 2>&1"#, false),
      (#""$0" report "$1" --html "$2" 2> "$2""#, true),
    ])
  func pageOfErrors(script: String, isTold: Bool) throws {
    let bench = try CommandBench()
    bench.makeReadings(count: 2)
    // So that there is something to say before the page, too.
    try FileManager.default.removeItem(atPath: bench.store + "/MANIFEST")
    let path = bench.directory.path + "/page.html"
    let outcome = try shell(script, [bench.store, path])
    #expect(outcome.status == 0, "\(outcome.errors)")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.hasPrefix("<!DOCTYPE html>"), "\(text.prefix(80))")
    #expect(text.hasSuffix("</html>\n"), "\(text.suffix(80))")
    #expect(outcome.output == (isTold ? "Wrote \(path)\n" : ""))
    #expect(outcome.errors == "")
  }

  @Test(
    "An argument that is not UTF-8 is refused, and names no other file", .enabled(if: tool != nil))
  func argumentBytes() throws {
    let bench = try CommandBench()
    bench.makeReadings(count: 2)
    let before = try FileManager.default.contentsOfDirectory(atPath: bench.directory.path)
    for (line, position) in [
      (#"report "$1" --html "$2/$(printf 'b\351')""#, 4),
      (#"backup "$1" "$2/$(printf 'b\351')""#, 3),
      (#"get "$1" Reading "$(printf '\377')""#, 4),
    ] {
      let outcome = try shell("\"$0\" \(line)", [bench.store, bench.directory.path])
      #expect(outcome.status == 64, "\(line)")
      #expect(outcome.output == "")
      #expect(outcome.errors.hasPrefix("Error: argument \(position), "), "\(outcome.errors)")
      #expect(outcome.errors.contains("UTF-8"))
    }
    let json = try shell(#""$0" get "$1" --json "$(printf '\377')""#, [bench.store])
    #expect(json.status == 64)
    #expect(json.errors.hasPrefix("{"), "\(json.errors)")
    let after = try FileManager.default.contentsOfDirectory(atPath: bench.directory.path)
    #expect(after.sorted() == before.sorted())
  }
}
