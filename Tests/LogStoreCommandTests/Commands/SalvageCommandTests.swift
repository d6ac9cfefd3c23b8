import Foundation
import LogStore
import StorageTestSupport
import Testing

@testable import LogStoreCommands

@Suite("What salvage says that it saved and lost is what it saved and lost")
struct SalvageCommandTests {
  let bench: CommandBench

  init() throws { bench = try CommandBench() }

  private var backup: String { bench.directory.path + "/backup" }

  private func saved(_ number: Int) -> String { bench.directory.path + "/saved\(number)" }

  @Test("Of an object that was replaced a hundred times one record is saved, and one is counted")
  func replacedRecords() throws {
    let rows = (0..<100).map { "{\"id\":1,\"text\":\"\($0)\"}\n" }.joined()
    let imported = bench.run(
      "import STORE --type Reading --key id --infer --batch 1", input: rows)
    #expect(imported.status == 0, "\(imported.errors)")
    let before = try bench.run("verify STORE --json").report()
    let report = try bench.run(["salvage", bench.store, saved(1), "--json"]).report()
    let after = try bench.run(["verify", saved(1), "--json"]).report()
    guard case .integer(let all)? = before["records"], case .integer(let count)? = report["records"]
    else {
      Issue.record("\(before) \(report)")
      return
    }
    #expect(all >= 100 && count < 50, "\(count) of \(all)")
    #expect(after["records"] == report["records"])
    #expect(bench.run(["dump", saved(1)]).lines == [#"{"id":1,"text":"99"}"#])
  }

  /// A copy of a store whose last segment is open, and was durable as far as it goes: its name, and
  /// a place amid its records.
  private func makeBackup() throws -> (file: URL, middle: Int) {
    bench.makeReadings(count: 1)
    let log = try Log.open(at: bench.store)
    // Nothing that compression makes small: the frames are of one size, and ten are most of it.
    var generator = SeededGenerator(seed: 4)
    for key: UInt8 in 0..<10 {
      try log.put(
        [key], in: CollectionIdentifier(9), schemaVersion: 0, payload: generator.bytes(2000))
    }
    let active = try #require(try log.statistics().segments.first { $0.isActive })
    try log.backup(to: backup)
    try log.close()
    let names = try FileManager.default.contentsOfDirectory(atPath: backup)
    let name = try #require(names.filter { $0.hasPrefix("segment-") }.max())
    return (URL(fileURLWithPath: backup + "/" + name), Int(active.byteCount) / 2)
  }

  @Test("A file whose end is gone is lost from there on, one that is gone as a whole")
  func places() throws {
    let (file, middle) = try makeBackup()
    let name = file.lastPathComponent
    let whole = try Data(contentsOf: file)
    try whole.prefix(middle).write(to: file)
    let torn = bench.run(["salvage", backup, saved(1), "--json"])
    #expect(torn.status == 2)
    guard case .list(let losses)? = try torn.report()["losses"],
      case .integer(let start)? = losses.first?["start"]
    else {
      Issue.record("\(torn)")
      return
    }
    #expect(losses.count == 1 && start > 128, "\(torn)")
    let told = bench.run(["salvage", backup, saved(2)])
    #expect(told.output.contains("LOST: \(name), bytes \(start)..<\(middle): "), "\(told)")
    #expect(told.output.hasSuffix("; \(ByteCount(UInt64(middle) - UInt64(start))) do not verify\n"))

    // The same records are there, and nothing of the next one.
    try whole.prefix(Int(start)).write(to: file)
    let cut = bench.run(["salvage", backup, saved(3)])
    #expect(cut.status == 2)
    #expect(cut.output.contains("LOST: \(name), what followed offset \(start): "), "\(cut)")
    #expect(cut.output.hasSuffix("; 1 loss is of unknown size\n"), "\(cut)")

    try FileManager.default.removeItem(at: file)
    let gone = bench.run(["salvage", backup, saved(4)])
    #expect(gone.status == 2)
    #expect(gone.output.contains("LOST: \(name), all of it: it is missing\n"), "\(gone)")
    #expect(gone.output.hasSuffix("; 1 loss is of unknown size\n"), "\(gone)")
  }
}
