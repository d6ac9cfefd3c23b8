import BinaryCoding
import FileIO
import Foundation
import ObjectStore
import Testing

@testable import LogStoreCommands

@Suite("Every way to fail has its exit code, a sentence, and a report for programs")
struct ExitCodeTests {
  let bench: CommandBench

  init() throws { bench = try CommandBench() }

  static let commands = [
    "get STORE Reading 1", "dump STORE", "stats STORE", "schema show STORE", "verify STORE",
    "compact STORE", "compact STORE --dry-run", "import STORE --type Reading",
  ]

  @Test("A store that is open for writing can be read")
  func besideWriter() throws {
    bench.makeReadings()
    let store = try Store.open(at: bench.store)
    defer { try? store.close() }
    for line in Self.commands where !Self.locking.contains(line) {
      #expect(bench.run(line).status == 0)
    }
    #expect(bench.run("dump STORE").lines.count == 20)
  }

  /// What needs the store for itself.
  static let locking = ["verify STORE", "compact STORE", "import STORE --type Reading"]

  @Test("A store that is open for writing is not written or verified, with the holder's pid: 3")
  func inUse() throws {
    bench.makeReadings()
    let store = try Store.open(at: bench.store)
    defer { try? store.close() }
    for line in Self.locking {
      let outcome = bench.run(line)
      #expect(outcome.status == 3)
      let holder = "process \(ProcessInfo.processInfo.processIdentifier)"
      if FileManager.default.fileExists(atPath: "/proc/locks") {
        #expect(outcome.errors.contains(holder), "\(outcome.errors)")
      }
      #expect(try bench.run(line + " --json").error()["error"] == .text("storeInUse"))
    }
  }

  @Test("A writer is refused while readers keep writers out; readers share the store")
  func readers() throws {
    bench.makeReadings()
    var configuration = StoreConfiguration.readOnly
    configuration.log.admitsWriters = false
    let reader = try Store.open(at: bench.store, configuration: configuration)
    #expect(bench.run("dump STORE").lines.count == 20)
    #expect(bench.run("verify STORE").status == 0)
    #expect(bench.run("compact STORE").status == 3)
    #expect(bench.run("import STORE --type Reading").status == 3)
    #expect(try reader.snapshot().object(ofType: "Reading", key: .int(1)) != nil)
  }

  @Test("A store that does not exist is an error of input: 4")
  func missing() throws {
    for line in Self.commands where !line.hasPrefix("import") {
      let outcome = bench.run(line)
      #expect(outcome.status == 4)
      #expect(outcome.errors.contains("there is no store at"))
    }
    #expect(!FileManager.default.fileExists(atPath: bench.store))
  }

  @Test("A store without its manifest is read, and verify tells of it: 2")
  func noManifest() throws {
    bench.makeReadings()
    try FileManager.default.removeItem(atPath: bench.store + "/MANIFEST")
    let before = try bench.contents()
    for line in Self.commands where !Self.locking.contains(line) {
      #expect(bench.run(line).status == 0)
    }
    #expect(bench.run("verify STORE").status == 2)
    #expect(bench.run("dump STORE").lines.count == 20)
    #expect(bench.run("dump STORE").errors.contains("rebuilt from the log"))
    #expect(bench.run("stats STORE").lines.contains { $0.contains("rebuilt from the log") })
    #expect(try bench.contents() == before)
    #expect(bench.run("compact STORE").status == 0)
    #expect(bench.run("verify STORE").status == 0)
    #expect(bench.run("dump STORE").lines.count == 20)
  }

  @Test("A directory that is no store: 2")
  func noStore() throws {
    bench.makeReadings()
    for name in try bench.contents().keys where name != "segment-00000001.log" {
      try FileManager.default.removeItem(atPath: bench.store + "/" + name)
    }
    try bench.write(Data([1, 2, 3]), to: "segment-00000001.log")
    let before = try bench.contents()
    for line in Self.commands { #expect(bench.run(line).status == 2) }
    #expect(try bench.contents() == before)
  }

  @Test("Damage is reported with file and offset: 2")
  func damage() throws {
    bench.makeReadings()
    let name = "segment-00000001.log"
    var bytes = try #require(try bench.contents()[name])
    bytes[200] ^= 1
    try bench.write(bytes, to: name)
    let verified = bench.run("verify STORE --json")
    #expect(verified.status == 2)
    let report = try verified.report()
    #expect(report["intact"] == .bool(false))
    guard case .list(let damages)? = report["damages"], let damage = damages.first else {
      Issue.record("damages must be listed")
      return
    }
    #expect(damage["file"] == .text(name))
    #expect(damage["offset"] == .integer(128))
    let text = bench.run("verify STORE")
    #expect(text.output.contains("DAMAGED: \(name) is damaged at offset 128"))
    #expect(text.output.contains("is damaged:"))
  }

  @Test("A format of the future is refused and left alone: 5")
  func futureFormat() throws {
    bench.makeReadings()
    var bytes = [UInt8](try #require(try bench.contents()["MANIFEST"]))
    // The reader minimum, as Documentation/Format.md has it, and a checksum that fits.
    bytes[10] = 99
    let end = bytes.count - 4
    let checksum = bytes[..<end].withUnsafeBytes { Checksum.crc32c($0) }
    bytes.replaceSubrange(
      end..., with: (0..<4).map { UInt8(truncatingIfNeeded: checksum >> (8 * $0)) })
    try bench.write(Data(bytes), to: "MANIFEST")
    let before = try bench.contents()
    for line in Self.commands {
      let outcome = bench.run(line)
      #expect(outcome.status == 5)
      #expect(outcome.errors.contains("update the library"))
    }
    #expect(try bench.contents() == before)
  }

  @Test("R4: a history that is older than the store is refused and leaves it alone: 5")
  func newerSchema() throws {
    bench.makeReadings()
    let latest = try bench.history(CommandBench.conversion)
    #expect(bench.run("compact STORE --history \(latest)").status == 0)
    let before = try bench.contents()
    let base = try bench.history("")
    for command in ["dump STORE", "compact STORE", "import STORE --type Reading"] {
      let outcome = bench.run("\(command) --history \(base) --json")
      #expect(outcome.status == 5)
      #expect(try outcome.error()["stored"] == .integer(1))
      #expect(try outcome.error()["requested"] == .integer(0))
    }
    #expect(try bench.contents() == before)
  }

  @Test("R5: a history that describes another store is refused with every difference: 7")
  func mismatch() throws {
    bench.makeReadings()
    let path = try bench.file(
      "other.json",
      #"{"format":1,"base":{"version":0,"types":[{"name":"Reading","key":"id","members":["#
        + #"{"name":"id","type":"int64"},{"name":"text","type":"int64"},"#
        + #"{"name":"more","type":"bool"}]}]}}"#)
    let outcome = bench.run("dump STORE --history \(path) --json")
    #expect(outcome.status == 7)
    guard case .list(let differences)? = try outcome.error()["differences"] else {
      Issue.record("differences must be listed")
      return
    }
    #expect(differences.count == 2)
  }

  @Test("A full disk under the output ends a command with 4; a reader that has gone, quietly")
  func output() throws {
    bench.makeReadings()
    let full = bench.run(
      bench.words("dump STORE"), output: MemoryOutput(failure: (.noSpace, 10)))
    #expect(full.status == 4)
    #expect(full.errors.contains("no space is left"))
    let gone = bench.run(
      bench.words("dump STORE"), output: MemoryOutput(failure: (.brokenPipe, 10)))
    #expect(gone.status == 0)
    #expect(gone.errors.isEmpty)
  }

  @Test("Wrong arguments: 64, as text with the usage, or as JSON")
  func usage() throws {
    for line in ["frobnicate", "get STORE", "dump STORE --tpye A", "import STORE"] {
      let text = bench.run(line)
      #expect(text.status == 64)
      #expect(text.errors.contains("Usage: logstore"))
      let report = try bench.run(line + " --json").error()
      #expect(report["exitCode"] == .integer(64))
      #expect(report["error"] == .text("usage"))
    }
  }

  @Test("Help and version are no errors")
  func help() throws {
    #expect(bench.run("--version").output == "0.1.0\n")
    let help = bench.run("")
    #expect(help.status == 0)
    for name in ["import", "get", "dump", "stats", "schema", "verify", "compact"] {
      #expect(help.output.contains("  \(name) "), "\(name)")
      #expect(bench.run("\(name) --help").status == 0)
    }
  }
}
