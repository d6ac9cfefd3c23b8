import StorageTestSupport
import Testing

@testable import LogStoreCommands

@Suite("schema explains, checks, exports, squashes and suggests")
struct SchemaCommandTests {
  let bench: CommandBench

  init() throws { bench = try CommandBench() }

  @Test("R40: explain names the operations that objects need, and the floor")
  func explain() throws {
    bench.makeReadings()
    let path = try bench.history(CommandBench.conversion)
    let without = bench.run("schema explain STORE")
    #expect(without.lines == ["Version 0, floor 0", "Reading of version 0: 20"])
    let with = bench.run("schema explain STORE --history \(path)")
    #expect(with.lines.last == "Reading of version 0: 20, need v1/Reading/1")
    #expect(bench.run("compact STORE --history \(path)").status == 0)
    let after = bench.run("schema explain STORE --history \(path)")
    #expect(after.lines == ["Version 1, floor 1", "Reading of version 1: 20, current"])
    let edited = try bench.history(CommandBench.correctedConversion)
    let told = bench.run("schema explain STORE --history \(edited)")
    #expect(told.lines.last == "Edited after they shipped: v1/Reading/1")
    let report = try bench.run("schema explain STORE --json --history \(edited)").report()
    #expect(report["edited"] == .list([.text("v1/Reading/1")]))
    #expect(report["floor"] == .integer(1))
  }

  @Test("R16: explain names no operations that add cases only, as objects are the same after them")
  func explainCases() throws {
    bench.makeReadings()
    func value(_ text: String) -> String { #"{"type":"string","value":"\#(text)"}"# }
    let members =
      #"[{"name":"id","type":"int64"},{"name":"text","type":"string","cases":["a"]}]"#
    let path = try bench.file(
      "cases.json",
      #"{"format":1,"base":{"version":0,"types":[{"name":"Reading","key":"id","members":"#
        + #"\#(members)}]},"versions":[{"version":1,"changes":[{"on":"Reading","operations":"#
        + #"[{"addCases":"text","cases":[\#(value("b"))]}]}]}]}"#)
    let explained = bench.run("schema explain STORE --history \(path)")
    #expect(explained.lines.last == "Reading of version 0: 20, current", "\(explained.errors)")
    let report = bench.run("schema explain STORE --json --history \(path)").output
    #expect(report.contains(#""operations":[]"#) || report.contains(#""operations": []"#))
  }

  @Test("check ends with 7 when something is found, and says what to do")
  func check() throws {
    let path = try bench.history(CommandBench.conversion)
    #expect(bench.run("schema check --history \(path)").status == 0)
    let forward = bench.run("schema check --mode forward --history \(path)")
    #expect(forward.status == 7)
    #expect(forward.output.contains("typeMismatch Reading.text (v1/Reading/1)"))
    let json = try bench.run("schema check --json --mode full --history \(path)").report()
    guard case .list(let found)? = json["found"] else {
      Issue.record("found must be a list")
      return
    }
    #expect(found.map { $0["code"] } == [.text("typeMismatch")])
    let edited = try bench.history(CommandBench.correctedConversion)
    let against = bench.run("schema check --history \(edited) --against \(path)")
    #expect(against.status == 7)
    #expect(against.output.contains("operationEdited"))
    #expect(bench.run("schema check --mode sideways --history \(path)").status == 64)
    #expect(bench.run("schema check").status == 64)
  }

  @Test("export gives the same file again, and squash one whose base is later")
  func exportAndSquash() throws {
    let path = try bench.history(CommandBench.conversion)
    let exported = bench.run("schema export --history \(path)")
    let again = try bench.file("exported.json", exported.output)
    #expect(bench.run("schema export --history \(again)").output == exported.output)
    let squashed = bench.run("schema squash --floor 1 --history \(path)")
    #expect(squashed.output.contains("\"originalName\" : \"Reading\""))
    let later = try bench.file("squashed.json", squashed.output)
    #expect(bench.run("schema check --history \(later)").status == 0)
    #expect(bench.run("schema squash --floor 9 --history \(path)").status == 7)
  }

  @Test("H15: squash asks stores and backups, changes none, and names who needs older versions")
  func squashAsks() throws {
    bench.makeReadings()
    let backup = bench.directory.path + "/backup"
    #expect(bench.run(["backup", bench.store, backup]).status == 0)
    let path = try bench.history(CommandBench.conversion)
    let command = "schema squash --floor 1 --history \(path) --store STORE --store \(backup)"
    let before = try bench.contents()
    let both = bench.run(command)
    #expect(both.status == 7 && both.output.isEmpty)
    for place in [bench.store, backup] {
      let line = "  \(place), version 0: 20 objects of Reading, the oldest of version 0"
      #expect(both.errors.split(separator: "\n").map(String.init).contains(line), "\(both.errors)")
    }
    #expect(both.errors.contains("choose a floor of at most 0"))
    #expect(bench.run(command + " --floor 0").status == 0)
    #expect(try bench.contents() == before)
    #expect(bench.run("compact STORE --history \(path)").status == 0)
    let error = try bench.run(command + " --json").error()
    #expect(error["exitCode"] == .integer(7) && error["floor"] == .integer(1))
    guard case .list(let stores)? = error["stores"] else {
      Issue.record("stores must be a list")
      return
    }
    #expect(stores.map { $0["path"] } == [.text(backup)])
    #expect(stores.map { $0["highestFloor"] } == [.integer(0)])
    #expect(bench.run(["compact", backup, "--history", path]).status == 0)
    let passed = bench.run(command)
    #expect(passed.status == 0 && passed.errors.isEmpty)
    let alone = bench.run("schema squash --floor 1 --history \(path)")
    #expect(alone.output == passed.output && alone.errors.contains("No store was asked"))
    let missing = bench.run(command + " --store \(backup)x")
    #expect(missing.status == 4, "\(missing.errors)")
  }

  @Test("A Move of a history file is explained, and runs when the store is opened for writing")
  func move() throws {
    bench.makeReadings()
    let members = #"[{"name":"id","type":"int64"},{"name":"text","type":"string"}]"#
    func type(_ name: String) -> String {
      #"{"name":"\#(name)","key":"id","members":\#(members)}"#
    }
    let condition = #"{"isEqual":[{"member":"text"},{"constant":{"type":"string","value":"50"}}]}"#
    let path = try bench.file(
      "move.json",
      #"{"format":1,"base":{"version":0,"types":[\#(type("Reading"))]},"versions":[{"version":1,"#
        + #""changes":[{"addType":\#(type("Other"))},{"move":"Reading","to":"Other","#
        + #""where":{"expression":\#(condition)}}]}]}"#)
    let exported = bench.run("schema export --history \(path)")
    let again = try bench.file("exported.json", exported.output)
    #expect(bench.run("schema export --history \(again)").output == exported.output)
    let explained = bench.run("schema explain STORE --history \(path)")
    #expect(explained.lines.last == "Run when the store is opened: v1/Reading/1")
    let squashed = bench.run("schema squash --floor 1 --history \(path) --store STORE")
    #expect(squashed.errors.contains("v1/Reading/1 did not run"), "\(squashed.errors)")
    #expect(bench.run("compact STORE --history \(again)").status == 0)
    #expect(bench.run("dump STORE --type Other").output.contains("50"))
    let after = bench.run("schema explain STORE --history \(path)")
    #expect(after.lines.contains("Reading of version 1: 19, current"), "\(after.output)")
  }

  @Test("diff and suggest: what is beyond doubt is Swift, renames are offered only")
  func diffAndSuggest() throws {
    let old = try bench.history("")
    let new = try bench.history(
      #"{"rename":"text","to":"label"},{"add":"unit","type":"string?"}"#)
    let diff = bench.run("schema diff \(old) \(new)")
    #expect(diff.output.contains("Reading.unit was added as string?"))
    let suggestion = bench.run("schema suggest \(old) \(new)")
    #expect(suggestion.lines.contains(#"  On("Reading") { Add("unit", .optional(.string)) }"#))
    #expect(suggestion.lines.contains("// To decide: Reading.label was added as string"))
    #expect(
      suggestion.lines.contains(
        #"// Perhaps instead: On("Reading") { Rename("text", to: "label") }"#))
    #expect(bench.run("schema diff \(old) \(old)").lines == ["Nothing differs"])
    #expect(bench.run("schema diff \(old) none.json").status == 4)
  }

  @Test("diff and suggest: cases that came are an operation; where some went, decide")
  func cases() throws {
    let added = #"{"add":"state","type":"string?","cases":["new","paid"]}"#
    let old = try bench.history(added)
    let new = try bench.history(
      added + #",{"addCases":"state","cases":[{"type":"string","value":"lost"}]},"#
        + #"{"mapCases":"state","cases":[{"from":{"type":"string","value":"new"},"#
        + #""to":{"type":"string","value":"paid"}}]}"#)
    let line = #"Reading.state has "lost" besides and lacks "new""#
    #expect(bench.run("schema diff \(old) \(new)").lines == [line])
    let suggestion = bench.run("schema suggest \(old) \(new)")
    #expect(
      suggestion.lines == [
        "Version(2) {", "}",
        #"// To decide: On("Reading") { RenameCase("state", "new", to: "lost") } or "#
          + #"On("Reading") { AddCases("state", ["lost"]); RemoveCase("state", "new", to: …) }"#,
      ])
    let more = try bench.history(
      added + #",{"addCases":"state","cases":[{"type":"string","value":"lost"}]}"#)
    #expect(
      bench.run("schema suggest \(old) \(more)").lines == [
        "Version(2) {", #"  On("Reading") { AddCases("state", ["lost"]) }"#, "}",
      ])
    #expect(
      try bench.run("schema suggest \(bench.history("")) \(old)").lines.contains(
        #"  On("Reading") { Add("state", .optional(.string), cases: ["new", "paid"]) }"#))
  }

  @Test("suggest: what is inside of embedded objects is said there, and changed by On and Each")
  func inside() throws {
    func added(_ more: String = "") -> String {
      #"{"add":"spots","type":"[(kind: string, at: (zone: string)?)]?","inside":"#
        + #"{"kind":{"cases":["hut"]},"at":{"inside":{"zone":{"cases":["n","s"]}}}}}"# + more
    }
    let old = try bench.history(added())
    #expect(
      try bench.run("schema suggest \(bench.history("")) \(old)").lines.contains(
        #"  On("Reading") { Add("spots", .optional(.list(.object([MemberShape("kind", .string), "#
          + #"MemberShape("at", .optional(.object([MemberShape("zone", .string)])))]))), inside: "#
          + #"["at": .inside(["zone": .cases(["n", "s"])]), "kind": .cases(["hut"])]) }"#))
    let zone = #"{"addCases":"zone","cases":[{"type":"string","value":"w"}]}"#
    let new = try bench.history(
      added(
        #",{"each":"spots","operations":[{"on":"at","operations":["# + zone + "]}]}"))
    #expect(
      bench.run("schema suggest \(old) \(new)").lines.contains(
        #"  On("Reading") { Each("spots") { On("at") { AddCases("zone", ["w"]) } } }"#))
  }
}
