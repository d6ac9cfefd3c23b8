import Foundation
import SchemaRegistry
import Testing

@Suite("History files")
struct HistoryDocumentTests {
  private func read(_ text: String) throws -> SchemaHistory { try HistoryFiles.read(text) }

  private func write(_ history: SchemaHistory) throws -> String { try HistoryFiles.write(history) }

  /// The full example of Documentation/HistoryFile.md.
  private func example() throws -> String {
    let document = try HistoryFiles.documentation()
    let start = try #require(document.range(of: "```json\n"))
    let end = try #require(document.range(of: "\n```", range: start.upperBound..<document.endIndex))
    return String(document[start.upperBound..<end.lowerBound])
  }

  @Test("The example of the documentation is a valid history that upgrades records")
  func documentedExample() throws {
    let history = try read(example())
    #expect(history.issues == [])
    #expect(history.typesNeedingCode == [])
    let contact = try Upgrading(history: history).run(
      [
        "id": 1, "name": "Lovelace, Ada", "age": "36 years", "email": "old@example.com",
        "nick": .null, "score": 5, "home": .object(["street": "S", "zip": 1]),
      ], from: 0)
    #expect(
      contact == [
        "id": 1, "fullName": "Ada Lovelace", "lastName": "Lovelace", "age": 36, "email": .null,
        "alias": "none", "points": 5, "home": .object(["street": "S", "zip": 1]),
        "joined": .date(0), "balance": .double(.infinity), "flags": .list([true, .null]),
      ])
    // Texts without a separator, and what is no number, do not make the upgrade fail.
    let other = try Upgrading(history: history).run(
      [
        "id": 2, "name": "Plato", "age": "old", "email": "", "nick": "P", "score": 5,
        "home": .object(["street": "S", "zip": 1]),
      ], from: 0)
    #expect(other?["fullName"] == "Plato" && other?["lastName"] == "unknown")
    #expect(other?["age"] == 0)
  }

  @Test("A written history reads back with the same shapes, ids and fingerprints")
  func roundTrip() throws {
    let history = try read(example())
    let text = try write(history)
    let again = try read(text)
    #expect(try write(again) == text)
    #expect(again.operations == history.operations)
    for version in history.base.version.rawValue...history.latestVersion.rawValue {
      let version = SchemaVersion(version)
      #expect(try again.shape(at: version) == history.shape(at: version))
      #expect(try again.fingerprint(at: version) == history.fingerprint(at: version))
    }
    let squashed = try history.squashed(floor: 2)
    let squashedAgain = try read(write(squashed))
    #expect(try squashedAgain.shape(at: 3) == history.shape(at: 3))
    #expect(try squashedAgain.fingerprint(at: 3) == history.fingerprint(at: 3))
  }

  @Test("Every kind of expression and constant reads back")
  func expressions() throws {
    let text = ValueExpression.member("a")
    let constants: [Value] = [
      .null, true, 5, .float(1.5), 2.5, "t", .data([1, 255]), .date(0.25),
      .uuid(UniqueIdentifier(high: 1, low: 2)), .list([1, .null]), .dictionary(["k": "v"]),
      .object(["x": 1]), .double(.nan), .double(-.infinity), .int(.min), .list([]),
    ]
    let expressions: [ValueExpression] =
      [
        text.textBefore("x"), text.textAfter("x"), text.textBetween("(", ")"), text.trimmed,
        text.lowercased, text.parseInteger, text.parseDouble, text.toString,
        .join([text, text], separator: ", "), text.orElse(text.trimmed),
        text.reshaped([ObjectPart("a", text.trimmed), ObjectPart("b", text.reshaped([]))]),
      ] + constants.map { .constant($0) }
    let history = SchemaHistory(
      base: Base(version: 0, types: []),
      versions: [
        Version(
          number: 1,
          changes: [
            .records(
              type: "T",
              operations: expressions.map {
                .derive(
                  member: "m", type: .string, inputs: $0.memberNames,
                  computation: .expression($0))
              })
          ])
      ])
    guard case .records(_, let operations) = try read(write(history)).versions[0].changes[0] else {
      Issue.record("operations expected")
      return
    }
    for (operation, expected) in zip(operations, expressions) {
      guard case .derive(_, _, _, .expression(let found), _) = operation else {
        Issue.record("an expression is expected")
        continue
      }
      #expect(found == expected)
    }
    #expect(operations.count == expressions.count)
  }

  @Test("Closures are written with their revision and read back as needing the app's code")
  func closures() throws {
    let history = SchemaHistory {
      Base(0) {
        Type("Person", key: "id") {
          Field("id", .int64)
          Field("a", .string)
        }
        Type("Pet", key: "id") { Field("id", .int64) }
      }
      Version(1) {
        On("Person") {
          Derive("b", from: "a", revision: 3) { (a: String) in a }
          Convert("a", to: .int64, revision: 4) { (_: String) in 1 }
          Rewrite(revision: 5) { _, _ in .keep }
        }
        On("Pet") { Add("name", .optional(.string)) }
      }
    }
    let text = try write(history)
    #expect(text.contains(#""rewrite":{"closure":{"revision":5}}"#))
    let again = try read(text)
    #expect(again.issues == [])
    #expect(history.typesNeedingCode == [])
    #expect(again.typesNeedingCode == ["Person"])
    #expect(try again.fingerprint(at: 1) == history.fingerprint(at: 1))
    #expect(
      throws: SchemaError.needsApplicationCode(
        type: "Person", operationIDs: ["v1/Person/1", "v1/Person/2", "v1/Person/3"])
    ) {
      try Upgrading(history: again).plan(from: 0)
    }
    #expect(
      try Upgrading(history: again, typeName: "Pet").run(["id": 1], from: 0)?["name"] == .null)
  }

  @Test(
    "Anything unknown or of the wrong form is refused with the way to it",
    arguments: [
      (#"[]"#, "the top level"), (#"{"format": 2, "base": {}}"#, "format"),
      (#"{"format": 1}"#, "the top level"),
      (#"{"format": 1, "base": {"version": 0, "types": []}, "more": 1}"#, "the top level"),
      (#"{"format": 1, "base": {"version": -1, "types": []}}"#, "base.version"),
      (#"{"format": 1, "base": {"version": 0, "types": [{"name": "T"}]}}"#, "base.types[0]"),
      (
        #"""
        {"format": 1, "base": {"version": 0, "types": [{"name": "T", "key": "id", "members":
        [{"name": "id", "type": "int"}]}]}}
        """#, "base.types[0].members[0].type"
      ),
      (
        #"{"format": 1, "base": {"version": 0, "types": [], "fingerprint": "x"}}"#,
        "base.fingerprint"
      ),
    ])
  func strict(_ text: String, _ path: String) throws {
    try expectRefusal(text, path)
  }

  @Test(
    "Operations of the wrong form are refused with the way to them",
    arguments: [
      (#"{"drop": "a"}"#, ""), (#"{"remove": 5}"#, ".remove"),
      (#"{"remove": "a", "to": "b"}"#, ""), (#"{"rename": "a"}"#, ""),
      (#"{"add": "a", "type": "int32", "default": 4294967296}"#, ".default"),
      (#"{"add": "a", "type": "uuid", "default": "x"}"#, ".default"),
      (#"{"add": "a", "type": "data", "default": "0"}"#, ".default"),
      (#"{"add": "a", "type": "[bool]", "default": [true, 1]}"#, ".default[1]"),
      (#"{"add": "a", "type": "(x: bool)", "default": {}}"#, ".default"),
      (#"{"convert": "a", "to": "bool"}"#, ""),
      (#"{"derive": "a", "type": "bool", "closure": {"revision": 1}}"#, ""),
      (
        #"{"derive": "a", "type": "bool", "from": [], "expression": {"member": "b"}}"#, ""
      ),
      (#"{"derive": "a", "type": "bool", "expression": {"upper": 1}}"#, ".expression"),
      (#"{"derive": "a", "type": "bool", "expression": {}}"#, ".expression"),
      (
        #"""
        {"derive": "a", "type": "bool", "expression":
        {"join": {"of": [{"member": 1}], "separator": ""}}}
        """#,
        ".expression.join.of[0].member"
      ),
      (#"{"rewrite": {"closure": {"revision": -1}}}"#, ".rewrite.closure.revision"),
    ])
  func strictOperations(_ operation: String, _ path: String) throws {
    try expectRefusal(
      #"""
      {"format": 1, "base": {"version": 0, "types": []}, "versions": [{"version": 1, "changes":
      [{"on": "T", "operations": [\#(operation)]}]}]}
      """#, "versions[0].changes[0].operations[0]" + path)
  }

  @Test(
    "A file that nests deeper than 400 is refused by that, also where the deepest list is empty")
  func depth() throws {
    func text(_ count: Int) -> String {
      #"{"base": {}, "format": "# + String(repeating: "[", count: count - 1)
        + String(repeating: "]", count: count - 1) + "}"
    }
    try expectRefusal(text(400), "format")
    for count in [401, 450] {
      let refusal = SchemaError.invalidHistoryDocument(
        path: "", reason: "the file nests deeper than 400 levels")
      #expect(throws: refusal) { try read(text(count)) }
    }
  }

  @Test("A place costs nothing but its step, and a long key is cut in the way to it")
  func longKeys() throws {
    let key = String(repeating: "k", count: 1 << 20)
    let elements = String(repeating: "0,", count: 10_000)
    func text(_ last: String) -> String {
      #"""
      {"format": 1, "base": {"version": 0, "types": []}, "versions": [{"version": 1, "changes":
      [{"on": "T", "operations": [{"add": "a", "type": "{string: [int64]}", "default":
      {"\#(key)": [\#(elements)\#(last)]}}]}]}]}
      """#
    }
    _ = try read(text("1"))
    try expectRefusal(
      text("true"),
      "versions[0].changes[0].operations[0].default.\(key.prefix(80))[10000]")
  }

  private func expectRefusal(_ text: String, _ path: String) throws {
    do {
      _ = try read(text)
      Issue.record("the file was accepted")
    } catch SchemaError.invalidHistoryDocument(let found, let reason) {
      #expect(found == path, "\(reason)")
    }
  }
}
