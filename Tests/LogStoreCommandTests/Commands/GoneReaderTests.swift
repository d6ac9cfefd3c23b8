import FileIO
import Foundation
import StorageTestSupport
import Testing

@testable import LogStoreCommands

@Suite("A reader that has gone takes neither work nor a status from a command")
struct GoneReaderTests {
  let bench: CommandBench

  init() throws { bench = try CommandBench() }

  private var out: String { bench.directory.path + "/out" }

  /// Runs a command of whose output nothing arrives after `byteCount` bytes.
  private func run(
    _ arguments: [String], input: String = "", after byteCount: Int = 0
  ) -> CommandBench.Outcome {
    bench.run(
      arguments, input: input, output: MemoryOutput(failure: (.brokenPipe, byteCount)))
  }

  private func damage() throws {
    let files = try bench.contents().filter { $0.key.hasPrefix("segment-") }
    var (name, bytes) = try #require(files.max { $0.value.count < $1.value.count })
    bytes[200] ^= 1
    try bench.write(bytes, to: name)
  }

  @Test("Damage that verify finds is told by its status", arguments: [[], ["--json"]])
  func verify(options: [String]) throws {
    bench.makeReadings()
    #expect(run(["verify", bench.store] + options).status == 0)
    try damage()
    let outcome = run(["verify", bench.store] + options)
    #expect(outcome.status == 2)
    #expect(outcome.errors.isEmpty)
  }

  @Test("So is that of salvage, of a backup and of what cannot be upgraded")
  func others() throws {
    bench.makeReadings { $0 == 7 ? "seven" : "\($0)" }
    let history = try bench.history(CommandBench.conversion)
    #expect(run(["compact", bench.store, "--history", history]).status == 7)
    try damage()
    #expect(run(["backup", bench.store, out]).status == 2)
    #expect(run(["salvage", bench.store, out + "2"]).status == 2)
  }

  @Test("An import goes on without acknowledgements, and ends by its own outcome")
  func acknowledgements() throws {
    let rows = (0..<50).map { "{\"id\":\($0)}\n" }.joined()
    let words = bench.words("import STORE --type Line --key id --infer --batch 5 --ack")
    let outcome = run(words, input: rows, after: 12)
    #expect(outcome.status == 0)
    #expect(outcome.output == "ACK 5\nACK 10\n".prefix(6))
    #expect(bench.run("dump STORE").lines.count == 50)
    let bad = run(words, input: rows + "{\"id\":50,\"more\":1}\n", after: 12)
    #expect(bad.status == 64)
  }

  @Test("What prints for its reader ends with it, quietly")
  func printing() {
    bench.makeReadings(count: 5000)
    for line in ["dump STORE", "top STORE --interval 0.001"] {
      let outcome = run(bench.words(line), after: 10)
      #expect(outcome.status == 0)
      #expect(outcome.errors.isEmpty)
    }
  }
}
