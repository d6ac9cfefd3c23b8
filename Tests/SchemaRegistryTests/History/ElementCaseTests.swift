import SchemaRegistry
import Testing

/// Cases that the elements of lists and dictionaries have.
@Suite("Cases of elements are mapped one by one")
struct ElementCaseTests {
  static let base = Base(0) {
    Type("Order", key: "id") {
      Field("id", .int64)
      Field("marks", .list(.string), cases: ["gift", "late"])
      Field("levels", .optional(.dictionary(.optional(.int32))), cases: [1, 2])
      Field("grid", .list(.list(.string)), cases: ["x", "o"])
      Field("tags", .list(.string))
      Field(
        "lines", .list(.object([MemberShape("kinds", .list(.string))])),
        inside: ["kinds": .cases(["a", "b"])])
    }
  }

  static let record: [String: Value] = [
    "id": 1, "marks": .list(["gift", "late", "gift"]),
    "levels": .dictionary(["a": 1, "b": .null, "c": 2]),
    "grid": .list([.list(["x"]), .list([]), .list(["o", "x"])]), "tags": .list(["p", "q"]),
    "lines": .list([.object(["kinds": .list(["a", "b"])]), .object(["kinds": .list([])])]),
  ]

  static func history(
    @OperationBuilder _ operations: () -> [RecordOperation]
  ) -> SchemaHistory {
    SchemaHistory(
      base: base,
      versions: [Version(number: 1, changes: [.records(type: "Order", operations: operations())])])
  }

  static func upgraded(
    _ record: [String: Value] = record, @OperationBuilder _ operations: () -> [RecordOperation]
  ) throws -> [String: Value] {
    let written = history(operations)
    try #require(written.issues == [])
    let read = try HistoryFiles.read(HistoryFiles.write(written))
    #expect(try read.fingerprint(at: 1) == written.fingerprint(at: 1))
    #expect(written.typesNeedingCode == [])
    let found = try Upgrading(history: written, typeName: "Order", checksPurity: true)
      .run(record, from: 0)
    #expect(
      try Upgrading(history: read, typeName: "Order", checksPurity: true)
        .run(record, from: 0) == found)
    return try #require(found)
  }

  @Test("RenameCase gives each element that has the case the new one, at any depth")
  func renamed() throws {
    let found = try Self.upgraded {
      RenameCase("marks", "gift", to: "present")
      RenameCase("levels", 2, to: 7)
      RenameCase("grid", "x", to: "o")
      RenameCase("tags", "q", to: "r")
      Each("lines") { RenameCase("kinds", "a", to: "c") }
    }
    #expect(found["marks"] == .list(["present", "late", "present"]))
    #expect(found["levels"] == .dictionary(["a": 1, "b": .null, "c": 7]))
    #expect(found["grid"] == .list([.list(["o"]), .list([]), .list(["o", "o"])]))
    #expect(found["tags"] == .list(["p", "r"]))
    #expect(
      found["lines"]
        == .list([.object(["kinds": .list(["c", "b"])]), .object(["kinds": .list([])])]))
    #expect(
      try Self.upgraded(Self.record.merging(["levels": .null]) { $1 }) {
        RemoveCase("levels", 2, to: 1)
      }["levels"] == .null)
  }

  @Test("RemoveCase and MapCases do, too, and the cases are those that are left")
  func removed() throws {
    let found = try Self.upgraded {
      RemoveCase("marks", "late", to: "gift")
      MapCases("levels", of: [1, 2], [1: 10, 2: 20])
    }
    #expect(found["marks"] == .list(["gift", "gift", "gift"]))
    #expect(found["levels"] == .dictionary(["a": 10, "b": .null, "c": 20]))
    let history = Self.history {
      RemoveCase("marks", "late", to: "gift")
      RenameCase("grid", "x", to: "y")
    }
    var cases: [String: [Value]] = [:]
    for member in try history.cases(at: 1) { cases[member.member] = member.cases }
    #expect(cases["marks"] == ["gift"])
    #expect(cases["grid"] == ["y", "o"])
  }

  @Test("An element that a total mapping does not name fails the step, and the record stays")
  func total() throws {
    let history = Self.history { MapCases("tags", of: ["p"], ["p": "z"]) }
    #expect(throws: SchemaError.self) {
      try Upgrading(history: history, typeName: "Order").run(Self.record, from: 0)
    }
  }

  @Test("Mappings of elements are checked like others: known cases, none forgotten, their type")
  func issues() {
    func count(@OperationBuilder _ operations: () -> [RecordOperation]) -> Int {
      Self.history(operations).issues.count
    }
    #expect(count { RenameCase("marks", "gone", to: "x") } == 1)
    #expect(count { RemoveCase("marks", "late", to: "gone") } == 1)
    #expect(count { MapCases("marks", of: ["gift"], ["gift": "a"]) } == 1)
    #expect(count { RenameCase("marks", 5, to: 6) } > 0)
    #expect(count { RenameCase("marks", .null, to: "gift") } > 0)
    #expect(count { RenameCase("lines", "a", to: "b") } > 0)
    // What maps whole values is as it always was.
    #expect(count { RenameCase("tags", .list(["p"]), to: .list([])) } == 0)
    #expect(count { RenameCase("marks", .list(["gift"]), to: .list([])) } == 1)
  }

  @Test("Older apps cannot be given other elements, and leave such types alone")
  func older() {
    let order = TypeIdentity(introducedIn: 0, originalName: "Order")
    let inner = Self.history { Each("lines") { RenameCase("kinds", "a", to: "c") } }
    for history in [Self.history { RenameCase("marks", "gift", to: "present") }, inner] {
      #expect(history.forwardGrade(of: order, since: 0) == .refused)
    }
  }
}
