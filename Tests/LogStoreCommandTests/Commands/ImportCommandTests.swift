import Foundation
import Testing

@testable import LogStoreCommands

@Suite("import stores objects in durable batches, or says in which line it stopped")
struct ImportCommandTests {
  let bench: CommandBench

  init() throws { bench = try CommandBench() }

  @Test("The first import infers the shape from all rows, shows it and stores it")
  func infers() throws {
    // The last row has a member that no other has; a pipe can be read only once.
    let rows = (0..<3000).map { "{\"id\":\"k\($0)\",\"size\":\($0)}\n" }.joined()
    let outcome = bench.run(
      "import STORE --type Line --key id --infer",
      input: rows + "{\"id\":\"last\",\"size\":1.5,\"rare\":true}\n")
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains("id: string  (key)"))
    #expect(outcome.errors.contains("size: double"))
    #expect(outcome.errors.contains("rare: bool?"))
    #expect(outcome.output.hasPrefix("Imported 3,001 objects of type Line under schema version 0"))
    let shown = bench.run("schema show STORE")
    #expect(shown.lines.first == "Version 0")
    #expect(shown.output.contains("    rare: bool?\n"))
    let last = bench.run("get STORE Line last")
    #expect(last.output == "{\"id\":\"last\",\"rare\":true,\"size\":1.5}\n")
  }

  @Test("Later imports take the stored shape, and put objects in the place of older ones")
  func laterImports() throws {
    bench.makeReadings(count: 3)
    let outcome = bench.run(
      "import STORE --type Reading --json", input: "{\"id\":1,\"text\":\"new\"}\n")
    #expect(outcome.status == 0)
    #expect(try outcome.report()["imported"] == .integer(1))
    #expect(try outcome.report()["inferred"] == nil)
    #expect(
      bench.run("dump STORE").lines == [
        #"{"id":0,"text":"0"}"#, #"{"id":1,"text":"new"}"#, #"{"id":2,"text":"20"}"#,
      ])
  }

  @Test("A second type is added to a store; lines of a dump then name their types")
  func secondType() throws {
    bench.makeReadings(count: 1)
    let outcome = bench.run(
      "import STORE --type Aspect --key name --infer --format csv --json",
      input: "name,weight\na,1\n")
    #expect(outcome.status == 0)
    #expect(try outcome.report()["inferred"]?["key"] == .text("name"))
    #expect(
      bench.run("dump STORE").lines == [
        #"{"object":{"name":"a","weight":"1"},"type":"Aspect"}"#,
        #"{"object":{"id":0,"text":"0"},"type":"Reading"}"#,
      ])
    #expect(bench.run("dump STORE --type Aspect").lines == [#"{"name":"a","weight":"1"}"#])
    #expect(bench.run("verify STORE").status == 0)
  }

  @Test(
    "The format follows from the name of a file, or from the option", arguments: ["tsv", "csv"])
  func formats(format: String) throws {
    let separator = format == "tsv" ? "\t" : ","
    let text = "id\(separator)text\n1\(separator)one\n"
    let path = try bench.file("rows.\(format)", text)
    #expect(
      bench.run(["import", bench.store, "--type", "A", "--key", "id", "--infer", path]).status == 0)
    #expect(bench.run("import STORE --type A --format \(format) -", input: text).status == 0)
    #expect(bench.run("dump STORE").lines == [#"{"id":"1","text":"one"}"#])
  }

  @Test("An input that changes between the two times that it is read is no success")
  func changedInput() throws {
    let path = try bench.file("rows.jsonl", "{\"id\":1}\n{\"id\":2}\n")
    // What was inferred is told between the two.
    let errors = SurprisingOutput { try? Data().write(to: URL(filePath: path)) }
    let output = MemoryOutput()
    let console = Console(output: output, errors: errors) { MemoryInput("") }
    let status = LogStoreCommand<HistoryFile>.execute(
      ["import", bench.store, "--type", "A", "--key", "id", "--infer", path], on: console)
    #expect(status == 4)
    #expect(errors.text.contains("inferred from 2 rows, and 0 were there"), "\(errors.text)")
  }

  @Test("--ack tells after each batch how many objects are durable")
  func acknowledges() throws {
    let rows = (0..<5).map { "{\"id\":\($0)}\n" }.joined()
    let outcome = bench.run(
      "import STORE --type Line --key id --infer --batch 2 --ack", input: rows)
    #expect(outcome.lines.prefix(3) == ["ACK 2", "ACK 4", "ACK 5"])
    #expect(outcome.lines.count == 4)
    let forPrograms = bench.run(
      "import STORE --type Line --batch 2 --ack --json", input: rows)
    let reports = try forPrograms.lines.map { try json($0) }
    #expect(reports.prefix(3).map { $0["ack"] } == [.integer(2), .integer(4), .integer(5)])
    #expect(reports.last?["imported"] == .integer(5))
    #expect(reports.count == 4)
  }

  @Test("A row that does not fit is named by its line, and nothing of its batch is stored")
  func rejectsRows() throws {
    let rows = ["1", "2", "3", "4"].map { "{\"id\":\($0),\"text\":\"secret\"}\n" }
    bench.run("import STORE --type Reading --key id --infer", input: rows[0])
    let bad = "{\"id\":5,\"text\":\"secret\",\"more\":\"secret\"}\n"
    let outcome = bench.run(
      "import STORE --type Reading --batch 2 --ack",
      input: rows[1] + rows[2] + rows[3] + bad)
    #expect(outcome.status == 64)
    #expect(outcome.output == "ACK 2\n")
    #expect(outcome.errors.contains("line 4 has a member \"more\" that the type lacks"))
    #expect(outcome.errors.contains("2 objects were imported before the error"))
    #expect(!outcome.errors.contains("secret"))
    #expect(try bench.run("stats STORE --json").report()["objects"] == .integer(3))
    let reported = try bench.run("import STORE --type Reading --json", input: bad).error()
    #expect(reported["line"] == .integer(1))
    #expect(reported["exitCode"] == .integer(64))
    #expect(reported["error"] == .text("usage"))
  }

  @Test("A value that no declared case has ends the import, as one of another type does")
  func unknownCase() throws {
    let members = #"{"name":"id","type":"int64"},{"name":"s","type":"string","cases":["a","b"]}"#
    let path = try bench.file(
      "cases.json",
      #"{"format":1,"base":{"version":0,"types":[{"name":"Line","key":"id","members":["#
        + members + "]}]}}")
    let outcome = bench.run(
      ["import", bench.store, "--type", "Line", "--history", path, "--json"],
      input: #"{"id":1,"s":"a"}"# + "\n" + #"{"id":2,"s":"secret"}"# + "\n")
    #expect(outcome.status == 64)
    #expect(!outcome.errors.contains("secret"))
    let error = try outcome.error()
    #expect(error["line"] == .integer(2))
    #expect(
      error["message"]
        == .text(
          #"line 2 has a value in the member "s" that cannot be stored: "#
            + #"the history declares no such case of it; its cases are "a", "b""#))
    #expect(bench.run("dump STORE").lines == [])
  }

  @Test("An error says for programs, too, how many objects were stored before it")
  func importedBeforeError() throws {
    let rows = (0..<5).map { "{\"id\":\($0)}\n" }.joined()
    bench.run("import STORE --type Line --key id --infer", input: rows)
    let error = try bench.run(
      "import STORE --type Line --batch 2 --json", input: rows + "{\"id\":\"x\"}\n"
    ).error()
    #expect(error["imported"] == .integer(4))
    #expect(error["line"] == .integer(6))
    #expect(error["exitCode"] == .integer(64))
  }

  @Test("A dictionary may have more keys than an object has members; dump and import agree")
  func largeDictionary() throws {
    let path = try bench.file(
      "counts.json",
      #"{"format":1,"base":{"version":0,"types":[{"name":"T","key":"id","members":["#
        + #"{"name":"id","type":"int64"},{"name":"counts","type":"{string: int64}"}]}]}}"#)
    let counts = (10_000..<80_000).map { #""k\#($0)":1"# }.joined(separator: ",")
    let row = #"{"counts":{\#(counts)},"id":1}"# + "\n"
    let outcome = bench.run("import STORE --type T --history \(path)", input: row)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(bench.run("dump STORE").output == row)
    let wide = bench.run("import STORE --type T", input: "{\(counts)}\n")
    #expect(wide.status == 64)
    #expect(wide.errors.contains("members"), "\(wide.errors)")
  }

  @Test("Numbers with a fraction or an exponent are keys as they are written, or none")
  func largeNumbers() throws {
    bench.run("import STORE --type Line --key id --infer", input: "{\"id\":1}\n")
    let outcome = bench.run(
      "import STORE --type Line",
      input: "{\"id\":9007199254740992.0}\n{\"id\":9007199254740993.0}\n")
    #expect(outcome.status == 0)
    #expect(
      bench.run("dump STORE").lines == [
        #"{"id":1}"#, #"{"id":9007199254740992}"#, #"{"id":9007199254740993}"#,
      ])
    let rounded = bench.run("import STORE --type Line", input: "{\"id\":4503599627370497.5}\n")
    #expect(rounded.status == 64)
  }

  @Test("A header that does not fit the type is refused without a row, too")
  func headers() throws {
    bench.makeReadings(count: 1)
    for (header, advice) in [
      ("id,text,more\n", "line 1 has a member \"more\""), ("id\n", "line 1 lacks the member"),
      ("id,text\r2,b\r", "line 1 has a carriage return at byte 8"),
    ] {
      let outcome = bench.run("import STORE --type Reading --format csv", input: header)
      #expect(outcome.status == 64, "\(header)")
      #expect(outcome.errors.contains(advice), "\(outcome.errors)")
    }
    #expect(
      bench.run("import STORE --type Reading --format csv", input: "text,id\n").status == 0)
    #expect(bench.run("import STORE --type Reading --format csv", input: "").status == 0)
  }

  @Test("An import whose first batch fails leaves no shape behind that was only guessed")
  func failedInference() throws {
    let words = "import STORE --type Line --key id --infer"
    #expect(bench.run(words, input: "{\"id\":\"a\"}\n{\"id\":\"\"}\n").status == 64)
    #expect(!bench.run("schema show STORE").output.contains("Line"))
    #expect(bench.run(words, input: "{\"id\":1}\n").status == 0)
    #expect(bench.run("dump STORE").lines == [#"{"id":1}"#])
  }

  @Test("--infer is said to change nothing where the store has the type")
  func needlessInference() throws {
    bench.makeReadings(count: 1)
    let outcome = bench.run(
      "import STORE --type Reading --infer --key id", input: "{\"id\":7,\"text\":\"x\"}\n")
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains("the store has the type Reading"), "\(outcome.errors)")
    let reported = bench.run("import STORE --type Reading --infer --key id --json")
    #expect(reported.errors.isEmpty)
  }

  @Test(
    "Keys that cannot be stored are named by their line",
    arguments: ["", String(repeating: "k", count: 4097)])
  func rejectsKeys(key: String) throws {
    let outcome = bench.run(
      "import STORE --type Line --key id --infer --json",
      input: "{\"id\":\"a\"}\n{\"id\":\"\(key)\"}\n")
    #expect(outcome.status == 64)
    #expect(try outcome.error()["line"] == .integer(2))
  }

  @Test("A history declares the type; members that rows lack are empty")
  func history() throws {
    let path = try bench.history(#"{"add":"note","type":"string?"}"#)
    let outcome = bench.run(
      "import STORE --type Reading --key id --history \(path)",
      input: "{\"id\":1,\"text\":\"one\"}\n")
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("under schema version 1"))
    #expect(bench.run("dump STORE").lines == [#"{"id":1,"note":null,"text":"one"}"#])
    let unknown = bench.run("import STORE --type Other --history \(path)")
    #expect(unknown.status == 64)
    #expect(unknown.errors.contains("has no type Other"))
  }

  @Test(
    "What does not fit together is refused with advice, and no store is created",
    arguments: [
      ("import STORE --type Line --key id", "--infer"),
      ("import STORE --type Line --infer", "--key MEMBER"),
      ("import STORE --type Line --key id --infer", "no rows"),
      ("import STORE --type Line --key id --infer --batch 0", "--batch must be"),
      ("import STORE --type Line --key id --infer --format xml", "xml"),
      ("import STORE --key id --infer", "--type"),
    ])
  func refusals(line: String, advice: String) throws {
    let outcome = bench.run(line)
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains(advice), "\(outcome.errors)")
    #expect(!FileManager.default.fileExists(atPath: bench.store))
  }

  @Test("Rows that no inferred type holds exactly are refused before there is a store")
  func roundedInteger() {
    let outcome = bench.run(
      "import STORE --type Line --key id --infer",
      input: "{\"id\":1,\"n\":1.5}\n{\"id\":2,\"n\":9007199254740993}\n")
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("an integer that a double would round in line 2"))
    #expect(!FileManager.default.fileExists(atPath: bench.store))
  }

  @Test("Another key than the stored one, and --infer beside --history, are refused")
  func contradictions() throws {
    bench.makeReadings(count: 1)
    let key = bench.run("import STORE --type Reading --key text")
    #expect(key.status == 64)
    #expect(key.errors.contains("the key of Reading is id, not text"))
    let path = try bench.history("")
    let both = bench.run("import STORE --type Reading --key id --infer --history \(path)")
    #expect(both.status == 64)
    #expect(both.errors.contains("not both"))
  }

  @Test("A file that cannot be read is an error of input")
  func missingFile() throws {
    let outcome = bench.run("import STORE --type A --key id --infer /nowhere/at/all.jsonl --json")
    #expect(outcome.status == 4)
    #expect(try outcome.error()["path"] == .text("/nowhere/at/all.jsonl"))
  }

  @Test("Lists of a history are imported from cells with JSON, and a bad one is named (decision 2)")
  func listsFromCells() throws {
    let path = try bench.file(
      "lists.json",
      #"{"format":1,"base":{"version":0,"types":[{"name":"T","key":"id","members":["#
        + #"{"name":"id","type":"int64"},{"name":"tags","type":"[string]"}]}]}}"#)
    let line = "import STORE --type T --history \(path) --format csv"
    #expect(bench.run(line, input: "id,tags\n1,\"[\"\"a\"\",\"\"b\"\"]\"\n").status == 0)
    #expect(bench.run("dump STORE").lines == [#"{"id":1,"tags":["a","b"]}"#])
    let bad = bench.run(line, input: "id,tags\n2,[]\n3,a\n")
    #expect(bad.status == 64)
    #expect(bad.errors.contains(#"line 3 has a value in the member "tags""#), "\(bad.errors)")
  }
}
