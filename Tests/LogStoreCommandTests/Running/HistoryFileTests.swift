import Foundation
import SchemaRegistry
import Testing

@testable import LogStoreCommands

@Suite("A history file that cannot be used is refused with the place of the error")
struct HistoryFileTests {
  let bench: CommandBench

  init() throws {
    bench = try CommandBench()
    bench.makeReadings(count: 2)
  }

  @Test(
    "Its form: 64",
    arguments: [
      ("{\"format\":1,", "not valid JSON at byte 13"),
      ("{\"format\":1,\"format\":1}", "not valid JSON"),
      ("[]", "history"),
      ("{\"format\":1,\"bse\":{}}", "bse"),
      ("{\"format\":2,\"base\":{\"version\":0,\"types\":[]}}", "format"),
    ])
  func form(text: String, place: String) throws {
    let path = try bench.file("broken.json", text)
    let outcome = bench.run("dump STORE --history \(path)")
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains(place), "\(outcome.errors)")
    #expect(outcome.output.isEmpty)
  }

  @Test("Its meaning: 7, with every issue")
  func meaning() throws {
    let path = try bench.history(#"{"remove":"absent"},{"rename":"lost","to":"found"}"#)
    let outcome = bench.run("dump STORE --history \(path)")
    #expect(outcome.status == 7)
    #expect(outcome.errors.contains("absent"))
    #expect(outcome.errors.contains("lost"))
  }

  /// An expression of so many levels, each of which `open` and `close` put around the next.
  private func nested(_ count: Int, _ open: String, _ close: String) -> String {
    String(repeating: open, count: count) + #"{"member":"text"}"#
      + String(repeating: close, count: count)
  }

  private func text(_ history: SchemaHistory) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return String(decoding: try encoder.encode(HistoryDocument(history)), as: UTF8.self)
  }

  @Test(
    "Expressions that nest as deep as they may are read",
    arguments: [
      (30, #"{"setting":{"of":"#, #","name":"a","to":{"member":"id"}}}"#),
      (63, #"{"orElse":{"of":"#, #","else":{"member":"id"}}}"#),
      (
        63, #"{"reshaped":{"of":{"member":"id"},"members":[{"name":"a","value":"#, "}]}}"
      ),
    ])
  func deep(count: Int, open: String, close: String) throws {
    let expression = nested(count, open, close)
    let path = try bench.history(
      #"{"derive":"deep","type":"string","expression":\#(expression)}"#)
    let data = try Data(contentsOf: URL(filePath: path))
    let history = try JSONDecoder().decode(HistoryDocument.self, from: data).history
    let written = try text(history)
    #expect(try text(HistoryFile.read(at: bench.file("written.json", written))) == written)
    #expect(written.contains("deep"))
  }

  @Test("A double may be an integer beyond 64 bits")
  func largeDefault() throws {
    func read(_ number: String) throws -> String {
      let operation = #"{"add":"x","type":"double","default":\#(number)}"#
      return try text(HistoryFile.read(at: bench.history(operation)))
    }
    #expect(try read("10000000000000000000") == read("1e19"))
    #expect(throws: (any Error).self) { try read("1" + String(repeating: "0", count: 400)) }
  }

  @Test("More levels than a history can have are refused by number")
  func tooDeep() throws {
    let path = try bench.file("deep.json", String(repeating: "[", count: 100_000))
    let outcome = bench.run("dump STORE --history \(path)")
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("nest deeper than 400"), "\(outcome.errors)")
  }

  @Test("A file that is not there: 4")
  func missing() throws {
    #expect(bench.run("dump STORE --history /nowhere/history.json").status == 4)
  }
}
