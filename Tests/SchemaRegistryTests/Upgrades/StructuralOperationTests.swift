import SchemaRegistry
import Testing

/// Operations that split, merge, move and look into members; each also goes through a file.
@Suite("Operations on parts of members")
struct StructuralOperationTests {
  private static let address = FieldType.object([
    MemberShape("street", .string), MemberShape("zip", .int32),
  ])

  private let base = Base(0) {
    Type("Person", key: "id") {
      Field("id", .int64)
      Field("name", .string)
      Field("nick", .optional(.string))
      Field("state", .string)
      Field("tags", .list(.string))
      Field("home", address)
      Field("work", .optional(address))
      Field("lines", .list(.object([MemberShape("price", .int32)])))
    }
  }

  private let record: [String: Value] = [
    "id": 1, "name": "Ada Lovelace King", "nick": .null, "state": "open",
    "tags": .list(["a", "b"]),
    "home": .object(["street": "Main", "zip": 5]), "work": .null,
    "lines": .list([.object(["price": 3]), .object(["price": 4])]),
  ]

  private func upgraded(
    _ changes: [String: Value] = [:], @OperationBuilder _ operations: () -> [RecordOperation]
  ) throws -> [String: Value]? {
    let history = SchemaHistory(
      base: base,
      versions: [
        Version(number: 1, changes: [.records(type: "Person", operations: operations())])
      ])
    try #require(history.issues == [])
    return try Upgrading(history: history, checksPurity: true)
      .run(record.merging(changes) { $1 }, from: 0)
  }

  @Test("Split and merge: a text in two at the first separator, and back")
  func splitAndMerge() throws {
    let split = try upgraded { Split("name", into: "first", "rest", at: " ") }
    #expect(split?["first"] == "Ada")
    #expect(split?["rest"] == "Lovelace King")
    #expect(split?["name"] == nil)
    let single = try upgraded(["name": "Ada"]) { Split("name", into: "first", "rest", at: " ") }
    #expect(single?["first"] == "Ada")
    #expect(single?["rest"] == "")
    for (nick, expected) in [("A-B", "B"), ("AB", "")] as [(String, Value)] {
      let optional = try upgraded(["nick": .string(nick)]) {
        Split("nick", into: "a", "b", at: "-", as: .optional(.string))
      }
      #expect(optional?["b"] == expected)
    }
    let absent = try upgraded {
      Split("nick", into: "a", "b", at: "-", as: .optional(.string))
    }
    #expect(absent?["a"] == .null)
    #expect(absent?["b"] == .null)
    let merged = try upgraded { Merge("label", from: "name", "nick", "state", separator: "/") }
    #expect(merged?["label"] == "Ada Lovelace King/open")
    #expect(merged?["name"] == nil)
  }

  @Test("Members move into a new embedded object and out of one; nil objects give nil")
  func moves() throws {
    let into = try upgraded { MoveInto("about", "name", "nick") }
    #expect(into?["about"] == .object(["name": "Ada Lovelace King", "nick": .null]))
    #expect(into?["name"] == nil)
    let out = try upgraded { MoveOut("home", "street", "zip") }
    #expect(out?["street"] == "Main")
    #expect(out?["zip"] == 5)
    #expect(out?["home"] == nil)
    let absent = try upgraded { MoveOut("work", "zip", keepingRest: true) }
    #expect(absent?["zip"] == .null)
    #expect(absent?["work"] == .null)
    let rest = try upgraded { MoveOut("home", "zip", keepingRest: true) }
    #expect(rest?["home"] == .object(["street": "Main"]))
    let setting = try upgraded {
      Convert(
        "home",
        to: .object([
          MemberShape("street", .string), MemberShape("zip", .int32), MemberShape("name", .string),
        ]), .member("home").setting("name", to: .member("name")))
    }
    #expect(
      setting?["home"] == .object(["street": "Main", "zip": 5, "name": "Ada Lovelace King"]))
  }

  @Test("A value becomes a list, and a list its first element")
  func lists() throws {
    let wrapped = try upgraded { Widen("state", to: .list(.string)) }
    #expect(wrapped?["state"] == .list(["open"]))
    #expect(try upgraded { Head("tags", as: .string, default: "none") }?["tags"] == "a")
    let empty = try upgraded(["tags": .list([])]) { Head("tags", as: .string, default: "none") }
    #expect(empty?["tags"] == "none")
    let absent = try upgraded(["tags": .list([])]) { Head("tags", as: .optional(.string)) }
    #expect(absent?["tags"] == .null)
  }

  @Test("On and Each change embedded objects as if they were records")
  func embedded() throws {
    let result = try upgraded {
      On("home") {
        Rename("zip", to: "code")
        Widen("code", to: .int64)
        Add("country", .optional(.string))
        Derive(
          "label", .string, .join([.member("street"), .member("code").toString], separator: " "))
      }
      On("work") { Remove("zip") }
      Each("lines") {
        Add("count", .int32, default: 1)
        Derive("net", from: "price") { (price: Int) in price * 2 }
      }
    }
    #expect(
      result?["home"]
        == .object(["street": "Main", "code": 5, "country": .null, "label": "Main 5"]))
    #expect(result?["work"] == .null)
    #expect(
      result?["lines"]
        == .list([
          .object(["price": 3, "count": 1, "net": 6]), .object(["price": 4, "count": 1, "net": 8]),
        ]))
  }

  @Test("A case of an enumeration is renamed or removed; a mapping of all is total")
  func cases() throws {
    #expect(try upgraded { RenameCase("state", "open", to: "active") }?["state"] == "active")
    #expect(try upgraded { RenameCase("state", "closed", to: "done") }?["state"] == "open")
    #expect(try upgraded { RemoveCase("state", "open", to: "done") }?["state"] == "done")
    let mapped = try upgraded {
      MapCases("state", of: ["open", "done"], ["open": "a", "done": "b"])
    }
    #expect(mapped?["state"] == "a")
    #expect(throws: SchemaError.self) {
      try upgraded(["state": "other"]) { MapCases("state", of: ["open"], ["open": "a"]) }
    }
  }

  @Test("Records are dropped by a predicate in code or described (R20)")
  func drops() throws {
    #expect(
      try upgraded { DropRecords(from: "state") { (state: String) in state == "open" } } == nil)
    #expect(try upgraded { DropRecords(from: "state") { (state: String) in state == "x" } } != nil)
    #expect(try upgraded { DropRecords(where: .member("nick").isNil) } == nil)
    #expect(try upgraded { DropRecords(where: .member("state").isEqual(to: "x")) } != nil)
    // What the dropped record would have failed at is not run.
    let failing = try upgraded {
      DropRecords(where: .member("nick").isNil)
      Convert("name", to: .int64, .member("name").parseInteger)
    }
    #expect(failing == nil)
  }

  @Test("Wrong use is an issue that names operation and member")
  func issues() {
    func issues(@OperationBuilder _ operations: () -> [RecordOperation]) -> [String] {
      SchemaHistory(
        base: base,
        versions: [
          Version(number: 1, changes: [.records(type: "Person", operations: operations())])
        ]
      ).issues.map { "\($0.operationID) \($0.member ?? "")" }
    }
    #expect(issues { On("name") { Remove("a") } } == ["v1/Person/1 Person.name"])
    #expect(issues { On("lines") { Remove("price") } } == ["v1/Person/1 Person.lines"])
    #expect(issues { Each("home") { Remove("zip") } } == ["v1/Person/1 Person.home"])
    #expect(issues { On("home") { Remove("none") } } == ["v1/Person/1.1 Person.home.none"])
    #expect(
      issues {
        On("home") {
          Remove("zip")
          Remove("street")
        }
      } == ["v1/Person/1 Person.home"])
    #expect(issues { On("home") { DropRecords(where: .constant(true)) } }.count == 1)
    #expect(
      issues { MapCases("state", of: ["a", "b"], ["a": "c"]) } == ["v1/Person/1 Person.state"])
    #expect(issues { RenameCase("state", 5, to: 6) }.count == 2)
    #expect(issues { DropRecords(where: .member("name")) } == ["v1/Person/1 Person.name"])
    #expect(issues { MoveOut("home", "none") } == ["v1/Person/1 Person.none"])
    #expect(issues { Head("name", as: .string) } == ["v1/Person/1 Person.name"])
  }

  @Test("Every word reads back from a file as it was written")
  func files() throws {
    let history = SchemaHistory(
      base: base,
      versions: [
        Version(1) {
          On("Person") {
            Split("name", into: "first", "rest", at: " ")
            MoveOut("home", "street", keepingRest: true)
            On("work") { Rename("zip", to: "code") }
            Each("lines") { Add("count", .int32, default: 1) }
            RenameCase("state", "open", to: "active")
            Head("tags", as: .optional(.string))
            DropRecords(where: .member("first").isNil.not.isEqual(to: false))
            MoveInto("about", "first", "rest")
            Derive(
              "x", .object([MemberShape("a", .int64)]), .object([ObjectPart("a", .constant(1))]))
            Derive(
              "y", nil,
              .mapped(.member("state"), [CaseMapping(from: "a", to: 2)], otherwise: .constant(3)))
          }
        },
        Version(2) {
          On("Person") {
            MapCases("state", of: ["active"], ["active": "b"])
            Convert(
              "x", to: .object([MemberShape("a", .string)]),
              .member("x").setting("a", to: .constant("b")))
            DropRecords(from: "state", revision: 4) { (state: String) in state.isEmpty }
          }
        },
      ])
    #expect(history.issues == [])
    let again = try HistoryFiles.read(HistoryFiles.write(history))
    #expect(again.issues == [])
    #expect(again.operations.map(\.id) == history.operations.map(\.id))
    #expect(try again.fingerprint(at: 2) == history.fingerprint(at: 2))
    #expect(again.typesNeedingCode == ["Person"])
  }
}
