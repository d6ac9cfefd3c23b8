import Foundation
import StorageTestSupport
import Testing

@testable import LogStoreCommands

@Suite("Who opens a store with a damaged manifest is told")
struct ManifestDamageTests {
  let bench: CommandBench

  init() throws { bench = try CommandBench() }

  private var out: String { bench.directory.path + "/out" }

  private func makeDamagedStore() throws {
    try? FileManager.default.removeItem(atPath: bench.store)
    bench.makeReadings()
    var bytes = try #require(try bench.contents()["MANIFEST"])
    bytes[bytes.count / 2] ^= 1
    try bench.write(bytes, to: "MANIFEST")
  }

  private func commands() throws -> [[String]] {
    let page = bench.directory.path + "/page.html"
    return [
      bench.words("get STORE Reading 1"), bench.words("dump STORE"),
      bench.words("schema show STORE"), bench.words("schema explain STORE"),
      bench.words("compact STORE --dry-run"), bench.words("compact STORE"),
      bench.words("import STORE --type Reading"), ["backup", bench.store, out],
      bench.words("top STORE --count 2 --interval 0"), ["report", bench.store, "--html", page],
    ]
  }

  @Test("A note says it to people, once")
  func people() throws {
    for words in try commands() {
      try makeDamagedStore()
      let outcome = bench.run(words)
      #expect(outcome.status == 0, "\(words): \(outcome.errors)")
      let notes = outcome.errors.split(separator: "\n").filter {
        $0.contains("MANIFEST is damaged")
      }
      #expect(notes.count == 1, "\(words): \(outcome.errors)")
      #expect(!bench.run(words + ["--json"]).errors.contains("Note"), "\(words)")
    }
  }

  @Test("A member of the report says it to programs", arguments: [false, true])
  func programs(isDamaged: Bool) throws {
    for words in [
      bench.words("stats STORE"), bench.words("import STORE --type Reading"),
      ["backup", bench.store, out], bench.words("compact STORE"),
      bench.words("top STORE --count 1"),
    ] {
      if isDamaged { try makeDamagedStore() } else { bench.makeReadings() }
      let damage = try bench.run(words + ["--json"]).report()["manifestDamage"]
      if isDamaged {
        guard case .text(let reason)? = damage, !reason.isEmpty else {
          Issue.record("\(words): \(String(describing: damage))")
          continue
        }
      } else {
        #expect(damage == .null, "\(words)")
      }
      // The next one copies a store of its own.
      try? FileManager.default.removeItem(atPath: out)
    }
  }
}
