import FileIO
import Foundation
import LogStore
import ObjectStore
import Testing

@testable import LogStoreCommands

@Suite("Where closing fails, what was done before is told all the same")
struct FailedClosingTests {
  let bench: CommandBench

  init() throws { bench = try CommandBench() }

  /// Imports three objects; after the first one no manifest can be written any more.
  private func importing(_ options: [String]) -> CommandBench.Outcome {
    let rows = (100..<103).map { "{\"id\":\($0),\"text\":\"\"}\n" }.joined()
    let obstacle = bench.store + "/MANIFEST.new"
    let output = SurprisingOutput {
      try? FileManager.default.createDirectory(
        atPath: obstacle, withIntermediateDirectories: false)
    }
    let errors = MemoryOutput()
    let console = Console(output: output, errors: errors) { MemoryInput(rows) }
    let status = LogStoreCommand<HistoryFile>.execute(
      ["import", bench.store, "--type", "Reading", "--batch", "1", "--ack"] + options,
      on: console)
    return CommandBench.Outcome(status: status, output: output.text, errors: errors.text)
  }

  @Test("An import says how many objects are stored")
  func imported() throws {
    bench.makeReadings(count: 1)
    let outcome = importing(["--json"])
    #expect(outcome.status == 4)
    #expect(outcome.lines.count == 3)
    #expect(try outcome.error()["imported"] == .integer(3), "\(outcome.errors)")
    try FileManager.default.removeItem(atPath: bench.store + "/MANIFEST.new")
    #expect(bench.run("dump STORE").lines.count == 4)
    let text = importing([])
    #expect(text.status == 4)
    #expect(text.errors.contains("3 objects were imported before the error\n"), "\(text.errors)")
  }

  @Test("A compaction reports what it did, and then the error", arguments: [false, true])
  func compacted(json: Bool) throws {
    let (output, errors) = (MemoryOutput(), MemoryOutput())
    let console = Console(output: output, errors: errors) { MemoryInput("") }
    let text = CompactionText(path: bench.store, report: CompactionReport(), typesNeedingCode: [])
    let cause = FileIOError(.noSpace, operation: "write", path: "/store/MANIFEST.new")
    #expect(throws: LogError.fileIO(cause)) {
      _ = try text.tell(on: console, json: json) { throw LogError.fileIO(cause) }
    }
    try console.output.flush()
    #expect(output.text.contains(json ? "bytesAfter" : "Compacted \(bench.store)"))
    #expect(try text.tell(on: console, json: json) {} == .success)
  }

  @Test("A full disk says that nothing was written only of what was refused as a whole")
  func fullDisk() {
    let cause = FileIOError(.noSpace, operation: "write", path: "/store/MANIFEST.new")
    let refused = LogError.diskFull(cause: cause, needed: 100, free: 7)
    #expect(refused.description.contains("100 bytes were needed, 7 are free; nothing was written."))
    let closing = LogError.diskFull(cause: cause, needed: nil, free: 7)
    #expect(!closing.description.contains("nothing was written"))
    #expect(closing.description.contains("7 are free. Delete and compact"), "\(closing)")
  }
}
