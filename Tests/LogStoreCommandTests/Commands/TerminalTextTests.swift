import FileIO
import Testing

@testable import LogStoreCommands

@Suite("A terminal shows what is stored, and does not obey it")
struct TerminalTextTests {
  let bench: CommandBench

  init() throws { bench = try CommandBench() }

  /// What DEL, CSI and OSC of one byte, and characters that turn the direction, do to a terminal.
  static let text = "a\u{1B}[2J\u{7F}\u{9B}2J\u{9D}0;x\u{9C}\u{202E}\u{2066}\u{2028}é\u{1F600}"

  private func run(_ arguments: [String], isTerminal: Bool) -> CommandBench.Outcome {
    let (output, errors) = (MemoryOutput(), MemoryOutput())
    let console = Console(output: output, errors: errors, isTerminal: isTerminal) {
      MemoryInput("")
    }
    let status = LogStoreCommand<HistoryFile>.execute(arguments, on: console)
    return CommandBench.Outcome(status: status, output: output.text, errors: errors.text)
  }

  private func makeStore() {
    var writer = JSONWriter()
    writer.append(Self.text)
    let row = "{\"id\":\(writer.text),\"text\":\(writer.text)}\n"
    let outcome = bench.run("import STORE --type Word --key id --infer", input: row)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(bench.run("dump STORE").output == row)
  }

  @Test("get and dump escape what it would obey, and give pipes the same bytes as ever")
  func objects() throws {
    makeStore()
    let row = bench.run("dump STORE").output
    for words in [
      ["dump", bench.store], ["dump", bench.store, "--json"],
      ["get", bench.store, "Word", Self.text],
    ] {
      #expect(run(words, isTerminal: false).output == row, "\(words)")
      let shown = run(words, isTerminal: true)
      #expect(shown.status == 0)
      #expect(!shown.output.dropLast().unicodeScalars.contains(where: VisibleText.isControl))
      #expect(shown.output.contains(#"\u007f\u009b2J\u009d0;x\u009c\u202e\u2066\u2028é"#))
      let value = try json(String(shown.output.dropLast()))
      #expect(value["text"] == .text(Self.text))
      #expect(value["id"] == .text(Self.text))
    }
  }

  @Test("So do errors for programs")
  func errors() throws {
    let missing = "/nowhere/" + Self.text
    let error = run(["stats", missing, "--json"], isTerminal: true)
    #expect(!error.errors.dropLast().unicodeScalars.contains(where: VisibleText.isControl))
    #expect(try error.error()["message"] != nil)
  }
}
