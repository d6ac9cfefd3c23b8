import Foundation
import SchemaRegistry
import Testing

/// Every error of a history as its author reads it, in one file for review.
///
/// A change of a text shows in the file: run with `LOGSTORE_WRITE_GOLDEN=1` to write it, and read
/// it.
@Suite("The texts of all issues of histories")
struct ErrorGoldenTests {
  private static let base = Base(0) {
    Type("Person", key: "id") {
      Field("id", .int64)
      Field("name", .string)
      Field("nick", .optional(.string))
      Field("age", .int32)
      Field("tags", .list(.string))
      Field("home", .object([MemberShape("zip", .int32)]))
    }
    Type("Pet", key: "id") { Field("id", .int64) }
  }

  /// A history with everything wrong that one version can have, each by itself.
  private static let wrong: [(String, [SchemaChange])] = {
    func on(@OperationBuilder _ operations: () -> [RecordOperation]) -> [SchemaChange] {
      [.records(type: "Person", operations: operations())]
    }
    func changes(@ChangeBuilder _ changes: () -> [SchemaChange]) -> [SchemaChange] { changes() }
    return [
      ("unknown member", on { Remove("email") }),
      ("unknown type", changes { On("Ghost") { Remove("a") } }),
      ("taken name", on { Add("name", .optional(.string)) }),
      ("invalid name", on { Add("a b", .optional(.string)) }),
      ("no default", on { Add("email", .string) }),
      ("default of another type", on { Add("email", .string, default: 5) }),
      ("invalid type", on { Add("x", .optional(.optional(.bool))) }),
      (
        "removed before",
        on {
          Remove("name")
          Convert("name", to: .int64) { (text: String) in text.count }
        }
      ),
      (
        "created later",
        on {
          Derive("a", from: "b") { (b: String) in b }
          Add("b", .string, default: "")
        }
      ),
      (
        "twice in a version",
        on {
          Add("a", .optional(.bool))
          Remove("a")
          Add("a", .optional(.bool))
        }
      ),
      ("key touched", on { Remove("id") }),
      ("link to nothing", on { Add("owner", .optional(.int64), linksTo: "Ghost") }),
      ("link of another type", on { Add("owner", .optional(.string), linksTo: "Pet") }),
      (
        "link to nothing in an embedded object",
        on { On("home") { Add("pet", .optional(.int64), linksTo: "Ghost") } }
      ),
      (
        "removed type with links",
        changes {
          On("Person") { Add("pet", .optional(.int64), linksTo: "Pet") }
          RemoveType("Pet")
        }
      ),
      (
        "removed type with links in an embedded object",
        changes {
          On("Person") { On("home") { Add("pet", .optional(.int64), linksTo: "Pet") } }
          RemoveType("Pet")
        }
      ),
      (
        "inside of no object",
        on { Add("owner", .optional(.int64), inside: ["id": .linksTo("Pet")]) }
      ),
      (
        "inside of nothing",
        on {
          Add(
            "work", .optional(.object([MemberShape("zip", .int32)])),
            inside: ["code": .cases([1, 2])])
        }
      ),
      ("way back of another type", on { Remove("age", readAs: "none") }),
      ("way back from nothing", on { Remove("name", readAs: .member("title")) }),
      (
        "way back of another type in an embedded object",
        on { On("home") { MakeOptional("zip", readAs: "none") } }
      ),
      ("lossy widening", on { Widen("age", to: .string) }),
      ("fill of another type", on { Require("nick", fill: 5) }),
      ("parameter of another type", on { Derive("a", from: "age") { (age: String) in age } }),
      ("wrong number of parameters", on { Derive("a", from: "age") { (_: Int, _: Int) in 1 } }),
      ("result of another type", on { Convert("age", to: .bool) { (age: Int) in age } }),
      ("unknown result", on { Derive("a", from: "age") { (age: Value) in age } }),
      ("expression of another type", on { Convert("nick", to: .int64, .member("nick").trimmed) }),
      ("expression on another type", on { Derive("a", .int64, .member("age").parseInteger) }),
      ("empty separator", on { Derive("a", .string, .member("name").textBefore("")) }),
      ("no such part", on { Derive("a", nil, .member("home").field("none")) }),
      ("first of no list", on { Head("name", as: .string) }),
      (
        "after a rewrite",
        on {
          Rewrite { _, _ in .keep }
          Remove("nick")
        }
      ),
      ("rename to nothing", on { Rename("name", to: "name") }),
      ("rename to a taken name", on { Rename("name", to: "nick") }),
      ("rename to another type", on { Rename("age", to: "years", as: .string) }),
      ("rename without fill", on { Rename("nick", to: "alias", as: .string) }),
      ("rename with a wrong fill", on { Rename("nick", to: "alias", as: .string, fill: 5) }),
      (
        "rename and remove",
        on {
          Rename("nick", to: "alias")
          Remove("alias")
        }
      ),
      (
        "rename and introduce again",
        on {
          Rename("nick", to: "alias")
          Add("nick", .optional(.string))
        }
      ),
      ("no embedded object", on { On("name") { Remove("a") } }),
      ("no list of objects", on { Each("home") { Remove("zip") } }),
      ("nothing left of an object", on { On("home") { Remove("zip") } }),
      ("dropping inside an object", on { On("home") { DropRecords(where: .constant(true)) } }),
      ("case of another type", on { RenameCase("name", 1, to: 2) }),
      ("case twice", on { MapCases("name", of: ["a"], ["a": "b", "a": "c"]) }),
      ("mapping not total", on { MapCases("name", of: ["a", "b"], ["a": "b"]) }),
      ("condition of another type", on { DropRecords(where: .member("name")) }),
      ("type taken", changes { Type("Pet", key: "id") { Field("id", .int64) } }),
      ("type without its key", changes { Type("Toy", key: "id") { Field("a", .int64) } }),
      ("type renamed to a taken name", changes { RenameType("Pet", to: "Person") }),
      ("type renamed to an invalid name", changes { RenameType("Pet", to: "a b") }),
      (
        "type of this version changed",
        changes {
          Type("Toy", key: "id") { Field("id", .int64) }
          On("Toy") { Add("a", .optional(.bool)) }
        }
      ),
      ("key already", changes { Rekey("Person", to: "id") }),
      ("key of another kind", changes { Rekey("Person", to: "nick") }),
      (
        "key with other changes",
        changes {
          On("Person") { Remove("nick") }
          Rekey("Person", to: "name")
        }
      ),
      ("barrier without types", changes { Barrier("b") { _ in } }),
      (
        "two barriers on a type",
        changes {
          Barrier("a", touching: "Pet") { _ in }
          Barrier("b", touching: "Pet") { _ in }
        }
      ),
      (
        "barrier twice",
        changes {
          Barrier("a", touching: "Pet") { _ in }
          Barrier("a", touching: "Person") { _ in }
        }
      ),
    ]
  }()

  private static let caseBase = Base(0) {
    Type("Order", key: "id") {
      Field("id", .int64)
      Field("name", .string)
      Field("status", .string, cases: ["new", "paid"])
      Field("marks", .list(.string), cases: ["gift"])
      Field("home", .object([MemberShape("zip", .int32)]))
    }
  }

  /// What is wrong with operations on members whose cases are declared.
  private static let wrongCases: [(String, [RecordOperation])] = {
    func on(@OperationBuilder _ operations: () -> [RecordOperation]) -> [RecordOperation] {
      operations()
    }
    return [
      ("unknown case", on { RenameCase("status", "open", to: "new") }),
      ("target that is no case", on { RemoveCase("status", "new", to: "payed") }),
      ("case forgotten", on { MapCases("status", of: ["new"], ["new": "a"]) }),
      ("mapping of elements", on { RenameCase("marks", .list(["gift"]), to: .list([])) }),
      ("cases of nothing", on { AddCases("name", ["a"]) }),
      ("no cases", on { AddCases("status", []) }),
      ("case that is there", on { AddCases("status", ["paid"]) }),
      ("added case of another type", on { AddCases("status", [5]) }),
      ("readAs that is no case", on { AddCases("status", ["lost"], readAs: "lost") }),
      ("readAs of elements", on { AddCases("marks", ["late"], readAs: "gift") }),
      ("default that is no case", on { Add("kind", .string, default: "c", cases: ["a", "b"]) }),
      (
        "fill that is no case",
        on {
          MakeOptional("status")
          Require("status", fill: "c")
        }
      ),
      ("readAs of nil that is no case", on { MakeOptional("status", readAs: "lost") }),
      ("readAs of a removal that is no case", on { Remove("status", readAs: "lost") }),
      (
        "inverse that gives no case",
        on {
          Convert(
            "status", to: .int32, .constant(0),
            inverse: .toString(.member("status")).orElse("lost"))
        }
      ),
      ("cases of nothing in an embedded object", on { On("home") { AddCases("zip", [1]) } }),
    ]
  }()

  /// Moves of people to a type of guests, which this version adds, or to another one.
  private static let wrongMoves: [(String, [SchemaChange])] = {
    func move(
      _ target: String = "Guest", _ fields: [Field] = [], key: FieldType = .int64,
      defaults: [String: Value] = [:], dropping: [String] = [],
      where condition: ValueExpression = .constant(true)
    ) -> [SchemaChange] {
      let move = Move(
        "Person", to: target, defaults: defaults, dropping: dropping, where: condition)
      let guest = Type(name: "Guest", keyMember: "id", fields: [Field("id", key)] + fields)
      return [.addType(guest)] + ChangeBuilder.buildExpression(move)
    }
    let name = Field("name", .string)
    let since = Field("since", .int64)
    var found: [(String, [SchemaChange])] = []
    found.append(("to itself", move("Person")))
    found.append(("to nothing", move("Ghost")))
    found.append(("condition of another type", move("Guest", [name], where: .member("name"))))
    found.append(("lost member", move()))
    found.append(("member that is not lost", move("Guest", [name], dropping: ["id", "name"])))
    found.append(("required member", move("Guest", [name, since])))
    found.append(("member of another type", move("Guest", [Field("name", .int64)])))
    found.append(("default of another type", move("Guest", [name], defaults: ["name": 5])))
    found.append(("default of no member", move("Guest", [name], defaults: ["id": 5])))
    found.append(("link to the type", move("Guest", [name])))
    found.append(("key of another type", move("Guest", [name], key: .string)))
    let cases = Field("name", .string, cases: ["a"])
    found.append(("values that are no cases", move("Guest", [cases])))
    found.append(("default that is no case", move("Guest", [cases], defaults: ["name": "b"])))
    return found
  }()

  /// Moves between types with members that have cases or links.
  private static let wrongMembersOfMoves: [(String, SchemaHistory)] = {
    func history(
      _ old: [Field], _ new: [Field], isNew: Bool = false, keys: [Value]? = nil,
      newKeys: [Value]? = nil
    ) -> SchemaHistory {
      let person = Type(
        name: "Person", keyMember: "id", fields: [Field("id", .int64, cases: keys)] + old)
      let guest = Type(
        name: "Guest", keyMember: "id", fields: [Field("id", .int64, cases: newKeys)] + new)
      let others = ["Pet", "Dog"].map { name in
        Type(name: name, keyMember: "id", fields: [Field("id", .int64)])
      }
      let move = Move("Person", to: "Guest", where: .constant(true))
      return SchemaHistory(
        base: Base(version: 0, types: (isNew ? [person] : [person, guest]) + others),
        versions: [
          Version(
            number: 1,
            changes: (isNew ? [.addType(guest)] : []) + ChangeBuilder.buildExpression(move))
        ])
    }
    let three = Field("kind", .string, cases: ["a", "b", "c"])
    let two = Field("kind", .string, cases: ["a", "b"])
    let boss = Field("boss", .optional(.int64), linksTo: "Person")
    let aide = Field("aide", .optional(.int64), linksTo: "Person")
    return [
      ("case that the other type lacks", history([three], [two])),
      ("case that a new type lacks", history([three], [two], isNew: true)),
      ("cases of keys", history([], [], keys: [1, 2, 3], newKeys: [1, 2])),
      ("links in the types themselves", history([boss], [boss])),
      ("links in a new type", history([boss], [boss], isNew: true)),
      (
        "links to different types",
        history(
          [Field("pet", .optional(.int64), linksTo: "Pet")],
          [Field("pet", .optional(.int64), linksTo: "Dog")])
      ),
      ("two links in a type", history([boss, aide], [boss, aide])),
    ]
  }()

  /// The issues of a history that must have some, below their name.
  private static func text(_ name: String, _ history: SchemaHistory) -> String {
    if history.issues.isEmpty { Issue.record("\(name) is no issue") }
    var text = "# \(name)\n"
    for issue in history.issues {
      if issue.suggestion.isEmpty { Issue.record("\(name) suggests nothing") }
      text += "\(issue)\n"
    }
    return text
  }

  @Test("Each says which operation, which member, what is wrong and what to do; see the file")
  func golden() throws {
    var text = ""
    for (name, changes) in Self.wrong {
      let history = SchemaHistory(
        base: Self.base, versions: [Version(number: 1, changes: changes)])
      text += Self.text(name, history)
    }
    for (name, numbers) in [
      ("gap", [1, 3]), ("order", [2, 1]), ("reserved", [1, UInt64.max]),
    ] as [(String, [UInt64])] {
      text += "# versions: \(name)\n"
      let history = SchemaHistory(
        base: Self.base, versions: numbers.map { Version(number: SchemaVersion($0), changes: []) })
      for issue in history.issues { text += "\(issue)\n" }
    }
    text += "# key that links hold\n"
    let linked = SchemaHistory {
      Base(0) {
        Type("Person", key: "id") {
          Field("id", .int64)
          Field("name", .string)
        }
        Type("Pet", key: "id") {
          Field("id", .int64)
          Field("owner", .optional(.int64), linksTo: "Person")
        }
      }
      Version(1) { Rekey("Person", to: "name") }
    }
    for issue in linked.issues { text += "\(issue)\n" }
    for (name, operations) in Self.wrongCases {
      let history = SchemaHistory(
        base: Self.caseBase,
        versions: [Version(number: 1, changes: [.records(type: "Order", operations: operations)])])
      text += Self.text(name, history)
    }
    for (name, change) in Self.wrongMoves {
      let history = SchemaHistory(
        base: linked.base, versions: [Version(number: 1, changes: change)])
      text += Self.text("move: \(name)", history)
    }
    for (name, history) in Self.wrongMembersOfMoves {
      text += Self.text("move: \(name)", history)
    }
    try compare(text)
  }

  private func compare(_ text: String) throws {
    let path = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../Fixtures/history-issues.txt").standardized
    if ProcessInfo.processInfo.environment["LOGSTORE_WRITE_GOLDEN"] != nil {
      try text.write(to: path, atomically: true, encoding: .utf8)
    }
    let golden = try String(contentsOf: path, encoding: .utf8).split(separator: "\n")
    let found = text.split(separator: "\n")
    for (old, new) in zip(golden, found) where old != new {
      Issue.record("the file has:\n\(old)\nbut the text is:\n\(new)")
      return
    }
    #expect(golden.count == found.count)
  }
}
