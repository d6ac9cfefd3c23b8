import Foundation
import LogStore
import StorageTestSupport
import Testing

@testable import LogStoreCommands

@Suite("backup, restore, salvage, top and the options of compact")
struct OperationsCommandTests {
  let bench: CommandBench

  init() throws { bench = try CommandBench() }

  private var out: String { bench.directory.path + "/out" }
  private var restored: String { bench.directory.path + "/restored" }

  @Test("A backup is taken, added to, and put back; objects are equal then")
  func backup() throws {
    bench.makeReadings(count: 200)
    let first = try bench.run(["backup", bench.store, out, "--json"]).report()
    #expect(first["copiedSegments"] == .integer(1))
    bench.run("import STORE --type Reading", input: "{\"id\":0,\"text\":\"new\"}\n")
    let second = bench.run(["backup", bench.store, out])
    #expect(second.status == 0, "\(second.errors)")
    #expect(second.output.contains("were there already"))
    let outcome = bench.run(["restore", out, restored])
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(bench.run(["dump", restored]).output == bench.run("dump STORE").output)
    #expect(bench.run(["verify", restored]).status == 0)
    #expect(bench.run(["restore", out, restored]).status == 64)
  }

  @Test("A damaged backup is not restored, and the damaged store is salvaged with a list of losses")
  func salvage() throws {
    bench.makeReadings(count: 200)
    bench.run(["backup", bench.store, out])
    let name = "segment-00000001.log"
    var bytes = try #require(try bench.contents()[name])
    bytes[600] ^= 4
    try bench.write(bytes, to: name)
    try bytes.write(to: URL(fileURLWithPath: out + "/" + name))
    #expect(bench.run(["restore", out, restored]).status == 2)
    #expect(bench.run("verify STORE").status == 2)
    let outcome = bench.run(["salvage", bench.store, restored])
    #expect(outcome.status == 2)
    #expect(outcome.output.contains("LOST: \(name), bytes"))
    #expect(bench.run(["verify", restored]).status == 0)
    let lines = bench.run(["dump", restored]).lines
    #expect(lines.count >= 198 && lines.count < 200, "\(lines.count)")
    #expect(bench.run(["salvage", bench.store, restored]).status == 64)
  }

  @Test("A copy that was not finished is refused by all but salvage, and by who finishes it")
  func unfinished() throws {
    for _ in 0..<4 { bench.makeReadings() }
    var count = 0
    let log = try Log.open(at: bench.store)
    try log.backup(to: out) { _, _ in
      count += 1
      return count <= 2
    }
    try log.close()
    for words in [
      ["get", out, "Reading", "1"], ["dump", out], ["stats", out], ["schema", "show", out],
      ["verify", out], ["compact", out], ["import", out, "--type", "Reading"],
      ["restore", out, restored], ["backup", out, restored], ["top", out, "--count", "1"],
    ] {
      let outcome = bench.run(words + ["--json"])
      #expect(outcome.status == 2, "\(words)")
      #expect(outcome.errors.contains("unfinished copy"), "\(words): \(outcome.errors)")
      #expect(try outcome.error()["path"] == .text(out))
    }
    #expect(bench.run(["salvage", out, restored]).status == 2)
    #expect(bench.run(["backup", bench.store, out]).status == 0)
    #expect(bench.run(["dump", out]).output == bench.run("dump STORE").output)
  }

  @Test("Salvaging an intact store loses nothing")
  func intact() throws {
    bench.makeReadings(count: 50)
    let report = try bench.run(["salvage", bench.store, out, "--json"]).report()
    #expect(report["losses"] == .list([]))
    #expect(bench.run(["dump", out]).output == bench.run("dump STORE").output)
  }

  @Test("top shows segments by live part and version, as often as it is asked to")
  func top() throws {
    bench.makeReadings(count: 100)
    bench.makeReadings(count: 100)
    let outcome = bench.run("top STORE --count 2 --interval 0")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("v0 100 %"))
    #expect(outcome.output.contains("####"))
    #expect(outcome.lines.filter { $0.contains("objects") }.count == 2)
    let report = try bench.run("top STORE --count 1 --json").report()
    #expect(report["objects"] == .integer(100))
    #expect(report["recordsPerSecond"] == .null)
    let looks = bench.run("top STORE --count 2 --interval 0 --json").lines
    #expect(try looks.map { try json($0)["recordsPerSecond"] } == [.null, .integer(0)])
    // Looks follow each other at once, but take their time.
    #expect(outcome.lines.count { $0.hasSuffix(" records/s") } == 1)
    #expect(bench.run("top STORE --count 0").status == 64)
    for interval in ["1e-300", "0.0001", "nan", "1e300"] {
      #expect(bench.run("top STORE --count 2 --interval \(interval)").status == 64, "\(interval)")
    }
    #expect(bench.run("top STORE --count 2 --interval 0.001").status == 0)
  }

  @Test(
    "The store itself is no place for a copy of it or what is saved, nor is a directory in it",
    arguments: [
      ("salvage", "the damaged store"), ("backup", "the store"), ("restore", "the backup"),
    ])
  func places(command: String, source: String) throws {
    bench.makeReadings()
    let before = try bench.contents()
    let link = bench.directory.path + "/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: bench.store)
    for place in [bench.store, bench.store + "/", bench.store + "/../store", link] {
      let outcome = bench.run([command, bench.store, place])
      #expect(outcome.status == 64)
      #expect(outcome.errors.contains("is \(source) itself"), "\(outcome.errors)")
    }
    for place in [bench.store + "/out", link + "/out"] {
      let outcome = bench.run([command, bench.store, place])
      #expect(outcome.status == 64)
      #expect(outcome.errors.contains("lies in \(source)"), "\(outcome.errors)")
    }
    #expect(try bench.contents() == before)
  }

  @Test("A page takes the place of nothing in the store, whatever leads there")
  func pagePlaces() throws {
    bench.makeReadings()
    let before = try bench.contents()
    let link = bench.directory.path + "/link"
    let page = bench.directory.path + "/page.html"
    let files = FileManager.default
    try files.createSymbolicLink(atPath: link, withDestinationPath: bench.store)
    try files.createSymbolicLink(
      atPath: page, withDestinationPath: bench.store + "/segment-00000001.log")
    for place in [
      bench.store + "/MANIFEST", bench.store + "/page.html", link + "/MANIFEST", page, bench.store,
    ] {
      let outcome = bench.run(["report", bench.store, "--html", place])
      #expect(outcome.status == 64, "\(place)")
      #expect(outcome.errors.contains("the store"), "\(outcome.errors)")
    }
    #expect(try bench.contents() == before)
  }

  @Test("A copy is not made through a link into what is copied")
  func linkedPlaces() throws {
    bench.makeReadings()
    let link = bench.directory.path + "/inner"
    let files = FileManager.default
    try files.createDirectory(atPath: bench.store + "/inside", withIntermediateDirectories: false)
    try files.createSymbolicLink(atPath: link, withDestinationPath: bench.store + "/inside")
    let outcome = bench.run(["salvage", bench.store, link])
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("lies in the damaged store"), "\(outcome.errors)")
  }

  @Test("compact tells what the files take when it has ended, without what was allocated ahead")
  func sizeAfter() throws {
    // A large store has segments that are allocated by the half megabyte; the upgrade begins one.
    bench.makeReadings(count: 20_000)
    bench.makeReadings(count: 20_000)
    let path = try bench.history(CommandBench.conversion)
    let report = try bench.run(["compact", bench.store, "--history", path, "--json"]).report()
    let files = try bench.contents().filter { !$0.key.hasPrefix("RESERVE") }
    let sizes = files.values.reduce(0) { $0 + $1.count }
    guard case .integer(let told)? = report["bytesAfter"] else {
      Issue.record("\(report)")
      return
    }
    #expect(abs(Int(told) - sizes) < 4096, "\(told) were told, the files have \(sizes)")
  }

  @Test("verify reads with any number of threads, and finds the same")
  func threads() throws {
    bench.makeReadings(count: 50)
    bench.makeReadings(count: 50)
    for threads in [1, 2, 7] {
      let report = try bench.run("verify STORE --json --threads \(threads)").report()
      #expect(report["objects"] == .integer(50))
      #expect(report["intact"] == .bool(true))
    }
    #expect(bench.run("verify STORE --threads 0").status == 64)
  }

  @Test("The name of a foreign file says nothing to a terminal, nor in the command's own name")
  func foreignNames() throws {
    bench.makeReadings()
    let name = "x\n\(bench.store) is intact: \u{1B}[2J\u{202E}all"
    try bench.write(Data(), to: name.replacingOccurrences(of: "/", with: "_"))
    try bench.write(Data(), to: "x\nStore is intact\u{1B}[2J\u{9B}\u{202E}")
    let outcome = bench.run("verify STORE")
    #expect(outcome.status == 0)
    #expect(outcome.output.utf8.allSatisfy { $0 >= 0x20 || $0 == 0x0A })
    #expect(outcome.output.unicodeScalars.allSatisfy { $0 != "\u{9B}" && $0 != "\u{202E}" })
    #expect(outcome.lines.count { !$0.hasPrefix("Note: ") && $0.contains("is intact") } == 1)
    #expect(outcome.lines.contains { $0.hasPrefix(#"Note: x\u{a}Store is intact\u{1b}[2J"#) })
    let notes = try bench.run("verify STORE --json").report()["notes"]
    guard case .list(let texts)? = notes else {
      Issue.record("notes must be a list")
      return
    }
    #expect(
      texts.contains { text in
        if case .text(let text) = text { text.hasPrefix("x\nStore is intact\u{1B}") } else { false }
      })
  }

  @Test("A dry run tells bytes and time, and changes nothing")
  func dryRun() throws {
    bench.makeReadings(count: 100)
    bench.makeReadings(count: 100)
    let before = try bench.contents()
    let report = try bench.run("compact STORE --dry-run --json").report()
    #expect(report["liveRecords"] != .integer(0))
    #expect(report["seconds"] != .null)
    let text = bench.run("compact STORE --dry-run").output
    #expect(text.contains("would be left of"))
    #expect(try bench.contents() == before)
  }

  @Test("A size that is reached already asks for nothing, and one that is not is reached")
  func toSize() throws {
    bench.makeReadings(count: 500)
    #expect(bench.run("compact STORE --dry-run --to-size 1G").output.contains("nothing to"))
    for _ in 0..<3 { bench.makeReadings(count: 500) }
    let outcome = bench.run("compact STORE --to-size 1")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try bench.run("stats STORE --json").report()["deadRecords"] == .integer(0))
  }

  @Test("Upgrading only leaves dead records where they are")
  func upgradeOnly() throws {
    bench.makeReadings()
    bench.makeReadings()
    #expect(bench.run("compact STORE --upgrade-only --dry-run").output.contains("nothing to"))
    let path = try bench.history(CommandBench.conversion)
    let outcome = bench.run("compact STORE --upgrade-only --history \(path)")
    #expect(outcome.output.contains("20 upgraded"), "\(outcome)")
  }

  @Test("Options that contradict each other are refused, policies have names")
  func options() throws {
    bench.makeReadings()
    #expect(bench.run("compact STORE --to-size 1M --upgrade-only").status == 64)
    #expect(bench.run("compact STORE --io-limit 0").status == 64)
    #expect(bench.run("compact STORE --policy newest").status == 64)
    for policy in PolicyName.allCases {
      #expect(bench.run("compact STORE --policy \(policy.rawValue) --io-limit 64M").status == 0)
    }
  }

  @Test("A report is one page with everything in it, and takes nothing from elsewhere")
  func report() throws {
    bench.makeReadings(count: 100)
    bench.makeReadings(count: 100)
    bench.run("compact STORE")
    bench.makeReadings(count: 50)
    let page = bench.directory.path + "/page.html"
    let outcome = bench.run(["report", bench.store, "--html", page])
    #expect(outcome.status == 0, "\(outcome.errors)")
    let text = try String(contentsOfFile: page, encoding: .utf8)
    for part in ["Reading", "version 0", "compaction", "</html>", "<svg"] {
      #expect(text.contains(part), "\(part)")
    }
    for part in ["http:", "https:", "<script", "src=", "@import", "url("] {
      #expect(!text.contains(part), "\(part)")
    }
    #expect(bench.run(["report", bench.store, "--html", "/nowhere/page.html"]).status == 4)
    // A file of somebody else beside it stays as it is.
    try "mine".write(toFile: page + ".new", atomically: true, encoding: .utf8)
    #expect(bench.run(["report", bench.store, "--html", page]).status == 0)
    #expect(try String(contentsOfFile: page + ".new", encoding: .utf8) == "mine")
  }

  @Test("Where a page goes to a pipe or a device, what is said of it stands elsewhere")
  func reportOnDevice() throws {
    bench.makeReadings()
    let outcome = bench.run(["report", bench.store, "--html", "/dev/null"])
    #expect(outcome.status == 0)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors == "Wrote /dev/null\n")
    let told = bench.run(["report", bench.store, "--html", "/dev/null", "--json"])
    #expect(told.output.isEmpty)
    #expect(try told.error()["html"] == .text("/dev/null"))
    let page = bench.directory.path + "/page.html"
    #expect(bench.run(["report", bench.store, "--html", page]).output == "Wrote \(page)\n")
  }

  @Test("Sizes are bytes with or without a suffix")
  func sizes() {
    #expect(ByteSize(argument: "4096")?.byteCount == 4096)
    #expect(ByteSize(argument: "64K")?.byteCount == 65_536)
    #expect(ByteSize(argument: "1.5g")?.byteCount == 1_610_612_736)
    #expect(ByteSize(argument: "2MiB")?.byteCount == 2 << 20)
    for text in ["", "K", "-1", "1X", "nan", "1e400", "0x10", "0X1P4", "1e3", "+1", ".", "1.2.3"] {
      #expect(ByteSize(argument: text) == nil, "\(text)")
    }
  }
}
