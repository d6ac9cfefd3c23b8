import Foundation
import Testing

@testable import LogStoreCommands

@Suite("compact makes upgrades permanent and reports what it did")
struct CompactCommandTests {
  let bench: CommandBench

  init() throws { bench = try CommandBench() }

  @Test("R39: compaction upgrades every record, and reads stay equal")
  func upgrades() throws {
    bench.makeReadings()
    let path = try bench.history(CommandBench.conversion)
    let lazy = bench.run("dump STORE --history \(path)").output
    let plan = try bench.run("compact STORE --dry-run --history \(path) --json").report()
    #expect(plan["staleRecords"] == .integer(20))
    let report = try bench.run("compact STORE --history \(path) --json").report()
    #expect(report["upgraded"] == .integer(20))
    #expect(report["kept"] == .integer(0))
    #expect(report["failed"] == .integer(0))
    #expect(report["typesNeedingCode"] == .list([]))
    #expect(bench.run("dump STORE").output == lazy)
    #expect(try bench.run("stats STORE --json").report()["oldestStoredVersion"] == .integer(1))
    #expect(bench.run("verify STORE").status == 0)
    let again = bench.run("compact STORE --dry-run --history \(path)")
    #expect(again.output == "There is nothing to compact.\n")
  }

  @Test("Without a history, compaction gives space back and changes no version")
  func space() throws {
    bench.makeReadings()
    for _ in 0..<3 { bench.makeReadings() }
    let before = bench.run("dump STORE").output
    let outcome = bench.run("compact STORE")
    #expect(outcome.status == 0)
    // Those of the last import live, and their segment is left alone.
    #expect(outcome.output.contains("3 segments replaced"))
    #expect(outcome.output.contains("0 upgraded, 0 kept, 0 failed, 0 dropped"))
    let statistics = try bench.run("stats STORE --json").report()
    #expect(statistics["deadRecords"] == .integer(0))
    #expect(statistics["schemaVersion"] == .integer(0))
    #expect(bench.run("dump STORE").output == before)
  }

  @Test("R19: a record whose step fails keeps its bytes, is listed, and ends the command with 7")
  func failingStep() throws {
    bench.makeReadings(count: 1000) { $0 == 400 ? "broken" : "\($0)" }
    let failing = try bench.history(CommandBench.conversion)
    let outcome = bench.run("compact STORE --history \(failing) --json")
    #expect(outcome.status == 7)
    let report = try outcome.report()
    #expect(report["upgraded"] == .integer(999))
    #expect(report["failed"] == .integer(1))
    #expect(report["kept"] == .integer(0))
    let again = bench.run("compact STORE --history \(failing)").output
    #expect(again.contains("0 upgraded, 999 kept, 1 failed"))
    guard case .list(let failures)? = report["failures"], let failure = failures.first else {
      Issue.record("failures must be listed")
      return
    }
    #expect(failure["type"] == .text("Reading"))
    #expect(failure["key"] == .text("400"))
    #expect(failure["version"] == .integer(0))
    #expect(failure["step"] == .text("v1/Reading/1"))
    #expect(!outcome.output.contains("broken"))
    #expect(bench.run("verify STORE").status == 0)
    let corrected = try bench.history(CommandBench.correctedConversion)
    let healed = bench.run("compact STORE --history \(corrected)")
    #expect(healed.status == 0)
    #expect(healed.output.contains("1 upgraded, 999 kept"))
    #expect(bench.run("get STORE Reading 400").output == "{\"id\":400,\"text\":-1}\n")
  }

  @Test("A type that needs code of the app is compacted as it is stored, and named")
  func closures() throws {
    bench.makeReadings()
    bench.makeReadings()
    let before = bench.run("dump STORE").output
    let path = try bench.history(#"{"convert":"text","to":"int64","closure":{"revision":1}}"#)
    let outcome = bench.run("compact STORE --history \(path)")
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("Kept as stored: Reading"))
    #expect(outcome.output.contains("0 upgraded, 0 kept"))
    #expect(bench.run("dump STORE").output == before)
    #expect(bench.run("get STORE Reading 1 --history \(path)").status == 7)
    let plan = bench.run("compact STORE --dry-run --history \(path) --json")
    #expect(try plan.report()["typesNeedingCode"] == .list([.text("Reading")]))
  }

  @Test("A segment that does not verify is left as it is, and ends the command with 2")
  func damage() throws {
    bench.makeReadings()
    bench.run("import STORE --type Reading", input: "{\"id\":0,\"text\":\"new\"}\n")
    let name = "segment-00000001.log"
    var bytes = try #require(try bench.contents()[name])
    bytes[400] ^= 4
    try bench.write(bytes, to: name)
    let outcome = bench.run("compact STORE --json")
    #expect(outcome.status == 2, "\(outcome)")
    #expect(outcome.output.contains(name) || outcome.errors.contains(name))
    #expect(try bench.contents()[name] == bytes)
  }
}
