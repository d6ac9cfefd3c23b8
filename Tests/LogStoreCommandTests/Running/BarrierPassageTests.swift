import Testing

@testable import LogStoreCommands
@testable import ObjectStore

@Suite("Barriers that a compaction passes first have progress, keep to its pace, and are told of")
struct BarrierPassageTests {
  let bench: CommandBench

  init() throws { bench = try CommandBench() }

  private static let history = SchemaHistory {
    Base(0) {
      Type("Reading", key: "id") {
        Field("id", .int64)
        Field("text", .string)
      }
    }
    Version(1) { Rekey("Reading", to: "text") }
  }

  /// The same as a file.
  private func historyFile() throws -> String {
    try bench.file(
      "rekeyed.json",
      #"{"format":1,"base":{"version":0,"types":[{"name":"Reading","key":"id","members":["#
        + #"{"name":"id","type":"int64"},{"name":"text","type":"string"}]}]},"#
        + #""versions":[{"version":1,"changes":[{"rekey":"Reading","to":"text"}]}]}"#)
  }

  @Test("What was passed is reported, and the bytes before are those before it")
  func report() throws {
    bench.makeReadings(count: 300)
    let path = try historyFile()
    let before = try bench.run("compact STORE --dry-run --json").report()["bytesBefore"]
    let refusal = try bench.run("compact STORE --dry-run --json --history \(path)").error()
    let report = try bench.run("compact STORE --json --history \(path)").report()
    let barriers = try #require(report["barriers"])
    #expect(barriers["records"] == .integer(300))
    #expect(barriers["operations"] == refusal["barriers"])
    #expect(barriers["bytes"] != nil && barriers["seconds"] != nil)
    #expect(before != nil && report["bytesBefore"] == before)
    let again = try bench.run("compact STORE --json --history \(path)").report()
    #expect(again["barriers"] == .null)
  }

  @Test("People are told in a line of its own")
  func line() throws {
    bench.makeReadings(count: 2)
    let path = try historyFile()
    let outcome = bench.run("compact STORE --io-limit 1G --history \(path)")
    #expect(outcome.status == 0, "\(outcome)")
    let passed = try #require(outcome.lines.first)
    #expect(passed.hasPrefix("Passed v1/") && passed.contains(" over 2 records of "), "\(passed)")
    #expect(outcome.lines.dropFirst().first?.hasPrefix("Compacted ") == true, "\(outcome)")
    #expect(!bench.run("compact STORE --history \(path)").output.contains("Passed"))
  }

  @Test("The bar shows how far they have come")
  func progress() throws {
    bench.makeReadings(count: 600)
    var passage = try #require(BarrierPassage.pending(at: bench.store, history: Self.history))
    #expect(passage.estimate.recordCount == 600)
    let output = MemoryOutput()
    let bar = ProgressBar(title: "Passing", output: output, columnCount: { 60 })
    let store = try passage.open(
      bench.store, history: Self.history, pace: .unlimited, bar: bar)
    try store.close()
    #expect(output.text.contains("Passing"))
    #expect(BarrierPassage.pending(at: bench.store, history: Self.history) == nil)
  }

  @Test("They rest as long as the limit of bytes asks for, and not at all without one")
  func pace() {
    let estimate = BarrierEstimate(
      operationIDs: ["v1/Reading/1"], recordCount: 1000, byteCount: 1_000_000)
    func milliseconds(_ done: UInt64, _ elapsed: Duration, limit: UInt64?) -> Int {
      BarrierPassage.milliseconds(
        toRestAfter: BarrierProgress(
          operationID: "v1/Reading/1", recordCount: done, estimate: estimate),
        elapsed: elapsed, CompactionPace(byteCountPerSecond: limit, processorShare: 1))
    }
    #expect(milliseconds(500, .seconds(2), limit: 100_000) == 3000)
    #expect(milliseconds(1000, .zero, limit: 100_000) == 10_000)
    #expect(milliseconds(500, .seconds(6), limit: 100_000) == 0)
    #expect(milliseconds(500, .zero, limit: nil) == 0)
  }
}
