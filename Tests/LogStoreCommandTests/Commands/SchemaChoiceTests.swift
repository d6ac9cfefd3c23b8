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
}
