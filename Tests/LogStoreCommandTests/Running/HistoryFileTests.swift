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

  @Test("A file that is not there: 4")
  func missing() throws {
    #expect(bench.run("dump STORE --history /nowhere/history.json").status == 4)
  }
}
