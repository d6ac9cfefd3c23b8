import SchemaRegistry
import Testing

/// What single operations do to a record.
@Suite("Record operations")
struct RecordOperationTests {
  private func history(
    _ fields: [Field], @OperationBuilder _ operations: () -> [RecordOperation]
  ) -> SchemaHistory {
    SchemaHistory(
      base: Base(
        version: 0,
        types: [
          Type(name: "Person", keyMember: "id", fields: [Field("id", .int64)] + fields)
        ]),
      versions: [
        Version(number: 1, changes: [.records(type: "Person", operations: operations())])
      ])
  }

  private func upgrade(
    _ fields: [Field], _ values: [String: Value],
    @OperationBuilder _ operations: () -> [RecordOperation]
  ) throws -> [String: Value]? {
    let upgrading = Upgrading(history: history(fields, operations), checksPurity: true)
    var values = values
    values["id"] = .int(1)
    var result = try upgrading.run(values, from: 0)
    result?["id"] = nil
    return result
  }

  @Test("An added member has the default of the operation, and explicit values stay (R22)")
  func add() throws {
    #expect(
      try upgrade([Field("a", .string)], ["a": .string("kept")]) {
        Add("score", .int32, default: .int(7))
        Add("note", .optional(.string))
        Add("level", .optional(.int64), default: .int(1))
      } == ["a": .string("kept"), "score": .int(7), "note": .null, "level": .int(1)])
  }

  @Test("Require keeps every value but nil, MakeOptional keeps every value (R26)")
  func optionality() throws {
    let fields = [
      Field("a", .optional(.string)), Field("b", .optional(.string)), Field("c", .string),
    ]
    let values: [String: Value] = ["a": .null, "b": .string("b"), "c": .string("c")]
    #expect(
      try upgrade(fields, values) {
        Require("a", fill: .string("fill"))
        Require("b", fill: .string("fill"))
        MakeOptional("c")
      } == ["a": .string("fill"), "b": .string("b"), "c": .string("c")])
  }

  @Test("The first of two fills wins, and a fill meets added nils (R26)")
  func fills() throws {
    #expect(
      try upgrade([Field("a", .optional(.int64))], ["a": .null]) {
        Require("a", fill: 1)
        MakeOptional("a")
        Require("a", fill: 2)
        Add("b", .optional(.int64))
        Require("b", fill: 3)
        Add("c", .optional(.int32), default: 4)
        Widen("c", to: .optional(.double))
        Require("c", fill: 5.5)
      } == ["a": 1, "b": 3, "c": 4.0])
  }

  @Test("Widening loses nothing (R25)")
  func widen() throws {
    let fields = [
      Field("a", .int32), Field("b", .int32), Field("c", .float), Field("d", .string),
      Field("e", .string), Field("f", .optional(.int32)), Field("g", .optional(.string)),
      Field("h", .optional(.string)), Field("i", .optional(.string)), Field("j", .string),
      Field("k", .optional(.int32)),
    ]
    let values: [String: Value] = [
      "a": .int(-5), "b": .int(6), "c": .float(1.5), "d": .string("d"), "e": .string("e"),
      "f": .null, "g": .null, "h": .string("h"), "i": .null, "j": .string("j"), "k": .int(7),
    ]
    #expect(
      try upgrade(fields, values) {
        Widen("a", to: .int64)
        Widen("b", to: .double)
        Widen("c", to: .optional(.double))
        Widen("d", to: .optional(.string))
        Widen("e", to: .list(.string))
        Widen("f", to: .optional(.double))
        Widen("g", to: .list(.optional(.string)))
        Widen("h", to: .optional(.list(.string)))
        Widen("i", to: .optional(.list(.string)))
        Widen("j", to: .optional(.list(.string)))
        Widen("k", to: .optional(.double))
      } == [
        "a": .int(-5), "b": .double(6), "c": .double(1.5), "d": .string("d"),
        "e": .list([.string("e")]), "f": .null, "g": .list([.null]),
        "h": .list([.string("h")]), "i": .null, "j": .list([.string("j")]), "k": .double(7),
      ])
  }

  @Test("A conversion runs its closure; nil stays nil unless the new type is required (R25)")
  func convert() throws {
    let fields = [
      Field("a", .string), Field("b", .optional(.string)), Field("c", .optional(.string)),
    ]
    let values: [String: Value] = ["a": .string("42"), "b": .null, "c": .null]
    #expect(
      try upgrade(fields, values) {
        Convert("a", to: .int64) { (text: String) in Int(text) ?? 0 }
        Convert("b", to: .optional(.int64)) { (text: String) in Int(text) ?? 0 }
        Convert("c", to: .int64) { (text: String?) in Int(text ?? "9") ?? 0 }
      } == ["a": .int(42), "b": .null, "c": .int(9)])
  }

  @Test("Names can be swapped in one version and renamed in chains (R24)")
  func renames() throws {
    let fields = [Field("a", .string), Field("b", .string), Field("c", .int64)]
    let values: [String: Value] = ["a": .string("A"), "b": .string("B"), "c": .int(3)]
    #expect(
      try upgrade(fields, values) {
        Rename("a", to: "b")
        Rename("b", to: "a")
      } == ["a": .string("B"), "b": .string("A"), "c": .int(3)])
    #expect(
      try upgrade(fields, values) {
        Rename("a", to: "b")
        Rename("b", to: "c")
        Rename("c", to: "a")
      } == ["a": .int(3), "b": .string("A"), "c": .string("B")])
    #expect(
      try upgrade(fields, values) {
        Rename("a", to: "x")
        Rename("x", to: "y")
      } == ["y": .string("A"), "b": .string("B"), "c": .int(3)])
  }

  @Test("A rename applies a new optionality in the same operation (R24)")
  func renameOptionality() throws {
    #expect(
      try upgrade(
        [Field("a", .optional(.int64)), Field("b", .int64)], ["a": .null, "b": .int(2)]
      ) {
        Rename("a", to: "x", as: .int64, fill: .int(0))
        Rename("b", to: "y", as: .optional(.int64))
      } == ["x": .int(0), "y": .int(2)])
  }

  @Test("Described expressions compute without code")
  func expressions() throws {
    let fields = [
      Field("name", .string), Field("zip", .string), Field("size", .string),
      Field("nick", .optional(.string)), Field("count", .int32),
    ]
    let values: [String: Value] = [
      "name": .string("Lovelace, Ada [Countess]"), "zip": .string(" 1234 "),
      "size": .string("1.5e2"), "nick": .null, "count": .int(7),
    ]
    let name = ValueExpression.member("name")
    #expect(
      try upgrade(fields, values) {
        Derive("last", .string, name.textBefore(","))
        Derive("first", .string, name.textAfter(",").textBefore("[").trimmed)
        Derive("title", .string, name.textBetween("[", "]").lowercased)
        Derive("suffix", .string, name.textAfter(";").orElse(.constant(.string("none"))))
        Derive("label", .string, .member("nick").orElse(.member("last")))
        Derive(
          "line", .string,
          .join([.member("nick"), .member("first"), .member("count").toString], separator: "-"))
        Convert("zip", to: .int64, .member("zip").trimmed.parseInteger)
        Convert("size", to: .double, .member("size").parseDouble)
        Remove("name")
      } == [
        "zip": .int(1234), "size": .double(150), "nick": .null, "count": .int(7),
        "last": .string("Lovelace"), "first": .string("Ada"), "title": .string("countess"),
        "suffix": .string("none"), "label": .string("Lovelace"), "line": .string("Ada-7"),
      ])
  }

  @Test("An expression without a value makes the step fail and is named (R19)")
  func expressionFailure() throws {
    #expect(
      throws: SchemaError.migrationFailed(
        type: "Person", keyText: "1", fromVersion: 0, operationID: "v1/Person/1",
        underlying: "the text is not a whole number")
    ) {
      try upgrade([Field("zip", .string)], ["zip": .string("secret")]) {
        Convert("zip", to: .int64, .member("zip").parseInteger)
      }
    }
  }

  @Test("A record can be dropped by its step (R20)")
  func drop() throws {
    for (flag, isDropped) in [(true, true), (false, false)] {
      let result = try upgrade([Field("isDraft", .bool)], ["isDraft": .bool(flag)]) {
        Rewrite { old, _ in old["isDraft"] == .bool(true) ? .drop : .keep }
      }
      #expect((result == nil) == isDropped)
    }
  }

  @Test("A step that gives a value of the wrong kind or no value fails (R12)")
  func wrongResults() throws {
    #expect(throws: SchemaError.self) {
      try upgrade([], [:]) {
        Add("name", .string)
        Rewrite { _, _ in .keep }
      }
    }
    #expect(throws: SchemaError.self) {
      try upgrade([Field("a", .string)], ["a": .string("")]) {
        Convert("a", to: .int32) { (_: String) in Value.int(1 << 40) }
      }
    }
  }

  @Test("A closure that gives different results is found when purity is checked (R14)")
  func purity() throws {
    final class Counter: @unchecked Sendable {
      var count = 0
    }
    let counter = Counter()
    #expect {
      try upgrade([Field("a", .string)], ["a": .string("")]) {
        Convert("a", to: .int64) { (_: String) in
          counter.count += 1
          return counter.count
        }
      }
    } throws: { "\($0)".contains("not pure") }
  }

  @Test("Embedded objects, lists and dictionaries pass through as they are")
  func nested() throws {
    let address = FieldType.object([MemberShape("zip", .int32), MemberShape("city", .string)])
    let home = Value.object(["zip": .int(1), "city": .string("c")])
    let value: [String: Value] = [
      "home": home, "all": .list([home]), "byName": .dictionary(["x": .null]), "n": .int(1),
    ]
    var expected = value
    expected["n"] = nil
    #expect(
      try upgrade(
        [
          Field("home", address), Field("all", .list(address)),
          Field("byName", .dictionary(.optional(.bool))), Field("n", .int32),
        ], value
      ) { Remove("n") } == expected)
  }

  @Test("Derived members see what earlier operations left, typed by parameter packs")
  func derive() throws {
    #expect(
      try upgrade(
        [Field("a", .int32), Field("b", .optional(.string)), Field("c", .list(.double))],
        ["a": .int(2), "b": .null, "c": .list([.double(1), .double(2)])]
      ) {
        Rename("a", to: "x")
        Derive("sum", from: "x", "b", "c") { (a: Int, b: String?, c: [Double]) in
          Double(a) + c.reduce(0, +) + (b == nil ? 100 : 0)
        }
        Derive("copy", .uuid, from: "id") { (_: Value) in
          Value.uuid(UniqueIdentifier(high: 1, low: 2))
        }
      } == [
        "x": .int(2), "b": .null, "c": .list([.double(1), .double(2)]), "sum": .double(105),
        "copy": .uuid(UniqueIdentifier(high: 1, low: 2)),
      ])
  }
}
