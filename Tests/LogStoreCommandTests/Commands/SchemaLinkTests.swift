import StorageTestSupport
import Testing

@testable import LogStoreCommands

@Suite("schema diff and suggest see what members link to")
struct SchemaLinkTests {
  let bench: CommandBench

  init() throws { bench = try CommandBench() }

  /// A file whose base has notes with these members, persons and animals.
  private func notes(_ members: String, others: [String] = ["Person", "Animal"]) throws -> String {
    let id = #"{"name":"id","type":"int64"}"#
    let types = others.map { #"{"name":"\#($0)","key":"id","members":[\#(id)]}"# }
    let note = #"{"name":"Note","key":"id","members":[\#(id)\#(members)]}"#
    return try bench.file(
      "notes-\((members + others.joined()).hashValue).json",
      #"{"format":1,"base":{"version":0,"types":["#
        + ([note] + types).joined(separator: ",") + "]}}")
  }

  private func author(_ type: String = "int64", to target: String? = nil) throws -> String {
    let link = target.map { #","linksTo":"\#($0)""# } ?? ""
    return try notes(#",{"name":"author","type":"\#(type)"\#(link)}"#)
  }

  private func expect(
    _ old: String, _ new: String, differs: [String], operations: [String] = [],
    undecided: [String], at location: SourceLocation = #_sourceLocation
  ) throws {
    let diff = bench.run("schema diff \(old) \(new)")
    #expect(diff.lines == differs, "\(diff.errors)", sourceLocation: location)
    let found = bench.run("schema suggest \(old) \(new)")
    #expect(
      found.lines == ["Version(1) {"] + operations.map { "  \($0)" } + ["}"]
        + undecided.map { "// To decide: \($0)" }, "\(found.errors)", sourceLocation: location)
  }

  @Test("A link to another type is a Retarget, which sets its member free of other operations")
  func retargeted() throws {
    try expect(
      author(to: "Person"), author(to: "Animal"),
      differs: ["Note.author links to Animal, not to Person"],
      undecided: [
        #"Retarget("Note", "author", to: "Animal") { key in … }, alone for Note in its version "#
          + "(Note.author links to Animal, not to Person)"
      ])
    try expect(
      author(to: "Person"), author("int64?", to: "Animal"),
      differs: [
        "Note.author was made optional", "Note.author links to Animal, not to Person",
      ],
      undecided: [
        #"Retarget("Note", "author", to: "Animal"), which leaves no link, or "#
          + #"Retarget("Note", "author", to: "Animal") { key in … }, alone for Note in its "#
          + "version (Note.author links to Animal, not to Person)"
      ])
  }

  @Test("A plain member that becomes a link is said where it was declared, or converted")
  func linked() throws {
    try expect(
      author(), author(to: "Person"), differs: ["Note.author links to Person now"],
      undecided: [
        #"linksTo: "Person" where Note.author was declared, which is no edit of that version "#
          + "(Note.author links to Person now)"
      ])
    try expect(
      author("string"), author(to: "Person"),
      differs: [
        "Note.author changed from string to int64", "Note.author links to Person now",
      ],
      undecided: [
        #"On("Note") { Convert("author", to: .int64, linksTo: "Person") { … } } "#
          + "(Note.author links to Person now)"
      ])
  }

  @Test("R28: a link that ends is a conversion to the same values, or its type could not go")
  func unlinked() throws {
    try expect(
      author(to: "Person"), author(), differs: ["Note.author links to Person no more"],
      undecided: [
        #"On("Note") { Convert("author", to: .int64, .member("author"), "#
          + #"inverse: .member("author")) } (Note.author links to Person no more)"#
      ])
  }

  @Test("New members and types say what they link to, inside of embedded objects too")
  func added() throws {
    let old = try notes("")
    let home =
      #",{"name":"home","type":"(kind: string, owner: int64?)?","inside":{"kind":"#
      + #"{"cases":["hut"]},"owner":{"linksTo":"Animal"}}}"#
    let new = try notes(
      #",{"name":"author","type":"int64?","linksTo":"Person"}"# + home)
    let suggestion = bench.run("schema suggest \(old) \(new)")
    let objects =
      #".optional(.object([MemberShape("kind", .string), "#
      + #"MemberShape("owner", .optional(.int64))]))"#
    let inside = #"inside: ["kind": .cases(["hut"]), "owner": .linksTo("Animal")]"#
    #expect(
      suggestion.lines == [
        "Version(1) {", #"  On("Note") { Add("author", .optional(.int64), linksTo: "Person") }"#,
        #"  On("Note") { Add("home", \#(objects), \#(inside)) }"#, "}",
      ])
    let types = bench.run("schema suggest \(try notes("", others: ["Person"])) \(new)")
    #expect(types.lines.contains(#"  Type("Animal", key: "id") { Field("id", .int64) }"#))
    let before = try bench.file("none.json", #"{"format":1,"base":{"version":0,"types":[]}}"#)
    #expect(
      bench.run("schema suggest \(before) \(new)").lines.contains(
        #"  Type("Note", key: "id") { Field("id", .int64); "#
          + #"Field("author", .optional(.int64), linksTo: "Person"); "#
          + #"Field("home", \#(objects), \#(inside)) }"#))
  }

  @Test("What means several things inside of an embedded object is said as one meaning")
  func severalMeanings() throws {
    let new = try notes(
      #",{"name":"spot","type":"(owner: int64?)?","inside":{"owner":{"linksTo":"Animal","#
        + #""cases":[1]}}}"#)
    let suggestion = bench.run("schema suggest \(try notes("")) \(new)")
    #expect(
      suggestion.output.contains(
        #"inside: ["owner": MemberMeaning(linksTo: "Animal", cases: [1])])"#),
      "\(suggestion.output)\(suggestion.errors)")
  }

  @Test("Links inside of embedded objects are compared by their path, and converted there")
  func inside() throws {
    func homes(_ target: String) throws -> String {
      try notes(
        #",{"name":"homes","type":"[(owner: int64)]","inside":{"owner":{"linksTo":"\#(target)"}}}"#)
    }
    try expect(
      homes("Person"), homes("Animal"),
      differs: ["Note.homes.owner links to Animal, not to Person"],
      undecided: [
        #"On("Note") { Each("homes") { Convert("owner", to: .int64, linksTo: "Animal") { … } } } "#
          + "(Note.homes.owner links to Animal, not to Person)"
      ])
  }

  @Test("Where a link's type may have another name now, the link follows it")
  func renamed() throws {
    func file(_ target: String) throws -> String {
      try notes(
        #",{"name":"author","type":"int64","linksTo":"\#(target)"}"#, others: [target, "Animal"])
    }
    let found = bench.run("schema suggest \(try file("Person")) \(try file("Human"))")
    #expect(
      found.lines.contains {
        $0.hasPrefix(#"// To decide: RenameType("Person", to: "Human") or Retarget("Note", "#)
      }, "\(found.output)")
  }
}
