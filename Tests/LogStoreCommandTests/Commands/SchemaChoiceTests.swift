import StorageTestSupport
import Testing

@testable import LogStoreCommands

@Suite("What schema commands leave to authors, and what they refuse")
struct SchemaChoiceTests {
  let bench: CommandBench

  init() throws { bench = try CommandBench() }

  @Test("check refuses versions that the history does not have, and two answers to one question")
  func since() throws {
    let path = try bench.history(CommandBench.conversion)
    let outside = bench.run("schema check --mode forward --history \(path) --since 9")
    #expect(outside.status == 7 && outside.output.isEmpty)
    #expect(outside.errors.contains("no version 9"), "\(outside.errors)")
    #expect(bench.run("schema check --mode forward --history \(path) --since 0").status == 7)
    #expect(bench.run("schema check --mode forward --history \(path) --since 1").status == 0)
    let both = bench.run("schema check --history \(path) --since 0 --against \(path)")
    #expect(both.status == 64)
    #expect(both.errors.contains("--since") && both.errors.contains("--against"))
  }

  /// A file whose base has these types; each has a key and the members, all of them texts.
  private func types(_ types: [(name: String, key: String, members: [String])]) throws -> String {
    let texts = types.map { type in
      let members = type.members.map { #"{"name":"\#($0)","type":"string"}"# }
      return #"{"name":"\#(type.name)","key":"id","members":[{"name":"id","type":"\#(type.key)"}"#
        + members.map { ",\($0)" }.joined() + "]}"
    }
    let text = #"{"format":1,"base":{"version":0,"types":[\#(texts.joined(separator: ","))]}}"#
    return try bench.file("types-\(text.hashValue).json", text)
  }

  @Test("suggest removes no type that may have another name now: it offers both")
  func renamedType() throws {
    let old = try types([("Person", "int64", ["name", "mail"]), ("Draft", "uuid", [])])
    let new = try types([
      ("Contact", "int64", ["name", "phone"]), ("Other", "string", ["name", "mail"]),
    ])
    let suggestion = bench.run("schema suggest \(old) \(new)")
    #expect(!suggestion.lines.contains { $0.hasPrefix("  RemoveType(\"Person\")") })
    #expect(!suggestion.lines.contains { $0.hasPrefix("  Type(\"Contact\"") })
    #expect(suggestion.lines.contains(#"  RemoveType("Draft")"#))
    #expect(suggestion.lines.contains { $0.hasPrefix("  Type(\"Other\"") })
    #expect(
      suggestion.lines.contains(
        #"// To decide: RenameType("Person", to: "Contact") or RemoveType("Person"); "#
          + #"Type("Contact", key: "id") { Field("id", .int64); Field("name", .string); "#
          + #"Field("phone", .string) }"#), "\(suggestion.output)")
    #expect(
      suggestion.lines.contains(#"// Perhaps instead: RenameType("Person", to: "Contact")"#))
  }

  @Test("suggest from a file without types gives those of the other as Swift, for a first base")
  func firstBase() throws {
    let empty = try bench.file(
      "empty.json", #"{"format": 1, "base": {"version": 0, "types": []}}"#)
    let models = try types([("Author", "uuid", ["name"])])
    #expect(
      bench.run("schema suggest \(empty) \(models)").lines == [
        "Version(1) {",
        #"  Type("Author", key: "id") { Field("id", .uuid); Field("name", .string) }"#, "}",
      ])
  }

  @Test("suggest removes no member that may have another name now, nor a key")
  func renamedMember() throws {
    func file(_ name: String, _ key: String, _ members: String) throws -> String {
      try bench.file(
        name,
        #"{"format":1,"base":{"version":0,"types":[{"name":"Person","key":"\#(key)","#
          + #""members":[\#(members)]}]}}"#)
    }
    let id = #"{"name":"id","type":"int64"}"#
    let mail = #"{"name":"mail","type":"string"}"#
    let old = try file("old.json", "id", "\(id),\(mail)," + #"{"name":"nick","type":"string?"}"#)
    let new = try file("new.json", "id", "\(id),\(mail)," + #"{"name":"alias","type":"string?"}"#)
    let renamed = bench.run("schema suggest \(old) \(new)")
    #expect(!renamed.lines.contains { $0.hasPrefix("  On(") }, "\(renamed.output)")
    #expect(
      renamed.lines.contains(
        #"// To decide: On("Person") { Rename("nick", to: "alias") or Remove("nick") }"#),
      "\(renamed.output)")
    let rekeyed = try file("key.json", "mail", mail)
    let suggestion = bench.run("schema suggest \(old) \(rekeyed)")
    #expect(!suggestion.lines.contains { $0.hasPrefix(#"  On("Person") { Remove("id")"#) })
    #expect(
      suggestion.lines.contains {
        $0.hasPrefix("// To decide: ")
          && $0.contains(#"Rekey, and Remove("id") in a later version"#)
      }, "\(suggestion.output)")
  }

  @Test("schema show prints a base at every version, with what types and members are")
  func shown() throws {
    bench.makeReadings()
    let path = try bench.history(#"{"rename":"text","to":"label"}"#)
    #expect(bench.run("compact STORE --history \(path)").status == 0)
    guard
      case .list(let versions)? = try bench.run(
        "schema show STORE --json --history \(path)"
      ).report()["versions"]
    else {
      Issue.record("versions must be a list")
      return
    }
    var writer = JSONWriter()
    CanonicalJSON.append(try #require(versions.last), to: &writer)
    #expect(writer.text.contains("\"originalName\":\"text\""), "\(writer.text)")
    let base = try bench.file("base.json", "{\"format\":1,\"base\":\(writer.text)}")
    let dumped = bench.run("dump STORE --history \(base)")
    #expect(dumped.status == 0, "\(dumped.errors)")
    #expect(dumped.output == bench.run("dump STORE --history \(path)").output)
  }

  @Test("R8, H15: a base that show prints is enough for check to find edits of what came before it")
  func shownFingerprint() throws {
    bench.makeReadings()
    func history(_ value: Int) throws -> String {
      let removed = #"{"version":2,"changes":[{"removeType":"Draft"}]}"#
      let draft = #"{"name":"Draft","key":"id","members":[{"name":"id","type":"int64"}]}"#
      return try bench.file(
        "edited-\(value).json",
        #"{"format":1,"base":{"version":0,"types":[{"name":"Reading","key":"id","members":"#
          + #"[{"name":"id","type":"int64"},{"name":"text","type":"string"}]}]},"versions":["#
          + #"{"version":1,"changes":[{"addType":\#(draft)},{"on":"Reading","operations":"#
          + #"[{"add":"count","type":"int64","default":\#(value)}]}]},\#(removed)]}"#)
    }
    let path = try history(0)
    #expect(bench.run("compact STORE --history \(path)").status == 0)
    func base(_ options: String = "") throws -> String {
      guard
        case .list(let versions)? = try bench.run("schema show STORE --json \(options)").report()[
          "versions"], let last = versions.last
      else { return "" }
      var writer = JSONWriter()
      CanonicalJSON.append(last, to: &writer)
      return try bench.file("base.json", "{\"format\":1,\"base\":\(writer.text)}")
    }
    let shown = try base()
    let good = bench.run("schema check --history \(path) --against \(shown)")
    #expect(good.status == 0 && good.lines.count == 1, "\(good.output)\(good.errors)")
    let edited = bench.run("schema check --history \(try history(1)) --against \(shown)")
    #expect(edited.status == 7)
    #expect(edited.output.contains("operationEdited version 2 (base 2)"), "\(edited.output)")
  }

  @Test("R29: a base that show prints names the types that are gone, as a squashed history does")
  func shownRemovals() throws {
    let members = #"[{"name":"id","type":"int64"}]"#
    let draft = #"{"name":"Draft","key":"id","members":\#(members)}"#
    let note = #"{"name":"Note","key":"id","members":\#(members)}"#
    func file(_ name: String, _ versions: String) throws -> String {
      try bench.file(
        name,
        #"{"format":1,"base":{"version":0,"types":[\#(draft),\#(note)]},"versions":[\#(versions)]}"#
      )
    }
    let old = try file("old.json", "")
    let new = try file(
      "new.json",
      #"{"version":1,"changes":[{"removeType":"Draft"},{"on":"Note","operations":"#
        + #"[{"add":"text","type":"string?"}]}]}"#)
    for type in ["Draft", "Note"] {
      let imported = bench.run(
        "import STORE --type \(type) --history \(old)", input: "{\"id\":1}\n")
      #expect(imported.status == 0, "\(imported.errors)")
    }
    #expect(bench.run("compact STORE --history \(new)").status == 0)
    let shown = bench.run("schema show STORE --json").output
    #expect(
      shown.contains(#""removedTypes":[{"introducedIn":0,"originalName":"Draft"}]"#), "\(shown)")
  }

  @Test("H15: check says what it could not check, and finds nothing wrong in that")
  func unchecked() throws {
    let path = try bench.history(CommandBench.conversion)
    let squashed = try bench.file(
      "squashed.json", bench.run("schema squash --floor 1 --history \(path)").output)
    let told = bench.run("schema check --history \(squashed)")
    #expect(told.status == 0)
    #expect(told.lines.first?.hasPrefix("Not checked: Records of versions before 1") == true)
    let report = try bench.run("schema check --json --history \(squashed)").report()
    guard case .list(let unchecked)? = report["unchecked"] else {
      Issue.record("unchecked must be a list")
      return
    }
    #expect(unchecked.count == 1)
    let whole = try bench.run("schema check --json --history \(path)").report()
    #expect(whole["unchecked"] == .list([]))
  }
}
