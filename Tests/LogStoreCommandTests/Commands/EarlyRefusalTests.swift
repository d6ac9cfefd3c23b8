import Foundation
import StorageTestSupport
import Testing

@testable import LogStoreCommands

@Suite("An import whose input cannot be read leaves the store as it is, or none")
struct EarlyRefusalTests {
  let bench: CommandBench

  init() throws { bench = try CommandBench() }

  /// A history whose barrier runs as soon as a store is opened for writing under it.
  private func rekeyed() throws -> String {
    try bench.file(
      "rekeyed.json",
      #"{"format":1,"base":{"version":0,"types":[{"name":"Reading","key":"id","members":["#
        + #"{"name":"id","type":"int64"},{"name":"text","type":"string"}]}]},"#
        + #""versions":[{"version":1,"changes":[{"rekey":"Reading","to":"text"}]}]}"#)
  }

  /// What cannot be imported, and with which status.
  private func inputs() throws -> [(words: [String], status: Int32)] {
    let wrong = try bench.file("wrong.csv", "id,text,more\n1,a,b\n")
    let broken = try bench.file("broken.csv", "id,id\n")
    return [
      ([bench.directory.path + "/none.jsonl"], 4), ([bench.directory.path], 4), ([wrong], 64),
      ([broken], 64),
    ]
  }

  @Test("No barrier runs for it")
  func barrier() throws {
    bench.makeReadings()
    let before = try bench.contents()
    for (words, status) in try inputs() {
      let command = ["import", bench.store, "--type", "Reading", "--history", try rekeyed()]
      let outcome = bench.run(command + words)
      #expect(outcome.status == status, "\(words): \(outcome.errors)")
      #expect(try bench.contents() == before, "\(words)")
    }
    #expect(bench.run("dump STORE").lines.count == 20)
  }

  @Test("No directory is made for it")
  func directory() throws {
    for (words, status) in try inputs() {
      let command = ["import", bench.store, "--type", "Reading", "--history", try rekeyed()]
      let outcome = bench.run(command + words + ["--json"])
      #expect(outcome.status == status, "\(words): \(outcome.errors)")
      #expect(!FileManager.default.fileExists(atPath: bench.store), "\(words)")
    }
  }

  @Test("Programs are told that nothing was stored where a header does not fit")
  func importedNothing() throws {
    let words = ["import", bench.store, "--type", "Reading", "--history", try bench.history("")]
    let wrong = try bench.file("wrong.csv", "id,more\n")
    let error = try bench.run(words + [wrong, "--json"]).error()
    #expect(error["imported"] == .integer(0))
    #expect(error["line"] == .integer(1))
  }

  @Test("A header that fits is read once, and so is an input that is given only once")
  func headers() throws {
    let history = try bench.history("")
    let rows = try bench.file("rows.csv", "text,id\na,1\nb,2\n")
    let words = ["import", bench.store, "--type", "Reading", "--history", history]
    #expect(bench.run(words + [rows]).status == 0)
    #expect(bench.run(words + ["--format", "csv"], input: "id,text\n3,c\n").status == 0)
    #expect(
      bench.run("dump STORE").lines
        == [#"{"id":1,"text":"a"}"#, #"{"id":2,"text":"b"}"#, #"{"id":3,"text":"c"}"#])
  }
}
