import SchemaRegistry
import Testing

@Suite("Cases of enumerations in histories")
struct CaseTests {
  static let base = Base(0) {
    Type("Order", key: "id") {
      Field("id", .int64)
      Field("status", .string, cases: ["new", "paid", "void"])
      Field("level", .optional(.int32), cases: [1, 2])
      Field("marks", .list(.string), cases: ["gift", "late"])
      Field("note", .string)
    }
  }

  static func history(_ versions: Version...) -> SchemaHistory {
    SchemaHistory(base: base, versions: versions)
  }

  /// The issues of one version.
  static func issues(@OperationBuilder _ operations: () -> [RecordOperation]) -> [String] {
    SchemaHistory(
      base: base,
      versions: [Version(number: 1, changes: [.records(type: "Order", operations: operations())])]
    ).issues.map(\.description)
  }

  static func cases(
    of member: String, @OperationBuilder after operations: () -> [RecordOperation]
  ) throws -> [Value]? {
    let history = SchemaHistory(
      base: base,
      versions: [Version(number: 1, changes: [.records(type: "Order", operations: operations())])])
    try #require(history.issues == [])
    return try history.cases(at: 1).first { $0.member == member }?.cases
  }

  @Test("Cases follow renames of the member and its type, and end with a conversion or removal")
  func following() throws {
    let history = Self.history(
      Version(1) {
        RenameType("Order", to: "Sale")
        On("Sale") {
          Rename("status", to: "state")
          MakeOptional("state")
          Widen("level", to: .optional(.int64))
          Add("size", .string, default: "small", cases: ["small", "large"])
        }
      },
      Version(2) {
        On("Sale") {
          Convert("state", to: .string, .member("note"))
          Remove("marks")
          Widen("level", to: .list(.optional(.int64)))
        }
      },
      Version(3) { On("Sale") { Add("marks", .list(.string), default: .list([])) } })
    #expect(history.issues == [])
    #expect(
      try history.cases(at: 1).map(\.description) == [
        #"Sale.state is one of "new", "paid", "void""#, "Sale.level is one of 1, 2",
        #"Sale.marks is one of "gift", "late""#, #"Sale.size is one of "small", "large""#,
      ])
    #expect(try history.cases(at: 3).map(\.member) == ["level", "size"])
    let converted = Self.history(
      Version(1) { On("Order") { Widen("level", to: .optional(.double)) } })
    #expect(try converted.cases(at: 1).map(\.member) == ["status", "marks"])
  }

  @Test("Convert and Derive declare cases, too; all of it reads back from a file")
  func computed() throws {
    let history = Self.history(
      Version(1) {
        On("Order") {
          Convert("level", to: .string, cases: ["low", "high"]) { (level: Int?) in
            level == 2 ? "high" : "low"
          }
          Convert("note", to: .int32, cases: [0], .constant(0))
          Derive("kind", .string, from: "status", cases: ["a"]) { (_: String) in "a" }
          Derive("size", cases: ["s", "l"], .constant("s"))
        }
      },
      Version(2) { On("Order") { AddCases("level", ["top"]) } })
    #expect(history.issues == [])
    let expected: [String: [Value]] = [
      "status": ["new", "paid", "void"], "level": ["low", "high", "top"],
      "marks": ["gift", "late"], "note": [0], "kind": ["a"], "size": ["s", "l"],
    ]
    for history in [history, try HistoryFiles.read(HistoryFiles.write(history))] {
      var found: [String: [Value]] = [:]
      for member in try history.cases(at: 2) { found[member.member] = member.cases }
      #expect(found == expected)
    }
    let plain = Self.history(
      Version(1) { On("Order") { Convert("note", to: .int32, .constant(0)) } })
    let declared = Self.history(
      Version(1) { On("Order") { Convert("note", to: .int32, cases: [0], .constant(0)) } })
    #expect(try plain.fingerprint(at: 1) == declared.fingerprint(at: 1))
    #expect(Self.issues { Convert("note", to: .int32, cases: ["x"], .constant(0)) }.count == 1)
  }

  @Test("AddCases, RenameCase and MapCases change the cases; swaps are legal")
  func changing() throws {
    #expect(
      try Self.cases(of: "status") { AddCases("status", ["refunded", "lost"]) }
        == ["new", "paid", "void", "refunded", "lost"])
    #expect(
      try Self.cases(of: "status") { RenameCase("status", "new", to: "open") }
        == ["open", "paid", "void"])
    #expect(
      try Self.cases(of: "status") { RenameCase("status", "void", to: "new") } == ["new", "paid"])
    #expect(
      try Self.cases(of: "status") {
        MapCases(
          "status", of: ["new", "paid", "void"], ["new": "paid", "paid": "new", "void": "gone"])
      } == ["paid", "new", "gone"])
    #expect(
      try Self.cases(of: "status") { RemoveCase("status", "void", to: "new") } == ["new", "paid"])
    #expect(
      try Self.cases(of: "level") { RenameCase("level", .null, to: 7) } == [1, 2, 7])
    #expect(try Self.cases(of: "level") { RenameCase("level", 1, to: .null) } == [2])
    #expect(
      try Self.cases(of: "status") {
        AddCases("status", ["gone"])
        RenameCase("status", "void", to: "gone")
      } == ["new", "paid", "gone"])
    #expect(try Self.cases(of: "marks") { AddCases("marks", ["big"]) } == ["gift", "late", "big"])
  }

  @Test("What is missing is said as operations; where cases came and went, the author decides")
  func suggestions() {
    func operations(_ added: [Value], _ removed: [Value]) -> [[String]] {
      CaseDifference(type: "Order", member: "status", added: added, removed: removed).alternatives
    }
    #expect(operations([1, 2], []) == [[#"AddCases("status", [1, 2])"#]])
    #expect(operations([], ["a"]) == [[#"RemoveCase("status", "a", to: …)"#]])
    #expect(
      operations(["b"], ["a"]) == [
        [#"RenameCase("status", "a", to: "b")"#],
        [#"AddCases("status", ["b"])"#, #"RemoveCase("status", "a", to: …)"#],
      ])
    #expect(
      operations(["b", "c"], ["a"]).first == [#"RenameCase("status", "a", to: …)"#])
  }

  @Test("Cases are shown as code has them: numbers as numbers, texts whole")
  func texts() {
    let text = String(repeating: "long ", count: 40)
    let cases = MemberCases(
      type: "A", member: "b", cases: [.string(text), .double(1.5), .float(0.25), true])
    #expect(cases.caseText == "\"\(text)\", 1.5, 0.25, true")
  }

  @Test("Where all cases become nil, none is declared any more")
  func noneLeft() throws {
    let history = SchemaHistory {
      Base(0) {
        Type("Order", key: "id") {
          Field("id", .int64)
          Field("level", .optional(.int32), cases: [1])
        }
      }
      Version(1) { On("Order") { RenameCase("level", 1, to: .null) } }
      Version(2) { On("Order") { Add("note", .string, default: "") } }
    }
    #expect(history.issues == [])
    #expect(try history.cases(at: 1) == [])
    #expect(try history.squashed(floor: 1).issues == [])
    let order = TypeIdentity(introducedIn: 0, originalName: "Order")
    #expect(history.forwardGrade(of: order, since: 0) == .readOnly)
  }

  @Test("R16: AddCases costs no object anything: the plan hands out the stored bytes")
  func identity() throws {
    let history = Self.history(
      Version(1) { On("Order") { AddCases("status", ["refunded"]) } },
      Version(2) { On("Order") { AddCases("marks", ["big"]) } })
    #expect(history.issues == [])
    let plan = try Upgrading(history: history, typeName: "Order").plan(from: 0)
    #expect(plan.isIdentity)
    #expect(plan.operationIDs == [])
    let order = TypeIdentity(introducedIn: 0, originalName: "Order")
    let status = MemberIdentity(introducedIn: 0, originalName: "status")
    #expect(!history.changesValues(of: status, in: order, after: 0, through: 2))
    #expect(history.operations.map(\.operationClass) == [.fused, .fused])
  }

  @Test("A mapping names known cases only, and a total one forgets none")
  func mappings() {
    #expect(
      Self.issues { RenameCase("status", "open", to: "new") } == [
        #"v1/Order/1 (Order.status): Order.status has no case "open". "#
          + #"The cases here are "new", "paid", "void"."#
      ])
    #expect(
      Self.issues { MapCases("status", of: ["new", "paid"], ["new": "a", "paid": "b"]) } == [
        #"v1/Order/1 (Order.status): The mapping of Order.status is not total: "void" has no new "#
          + "value. Map every case; one that stays is mapped to itself."
      ])
    #expect(
      Self.issues {
        MapCases("level", of: [1, 2, 3], [1: 1, 2: 2, 3: 1])
      } == [
        "v1/Order/1 (Order.level): Order.level has no case 3. The cases here are 1, 2."
      ])
    #expect(
      Self.issues {
        RenameCase("status", "void", to: "gone")
        RenameCase("status", "void", to: "lost")
      }.count == 1)
    #expect(Self.issues { RenameCase("marks", .list(["gift"]), to: .list(["late"])) }.count == 1)
    #expect(
      Self.issues { RemoveCase("status", "void", to: "payed") } == [
        #"v1/Order/1 (Order.status): Order.status has no case "payed". "#
          + #"The cases here are "new", "paid", "void"."#
      ])
    #expect(Self.issues { RemoveCase("note", "a", to: "b") } == [])
    // A member without declared cases is as it always was.
    #expect(Self.issues { RenameCase("note", "a", to: "b") } == [])
  }

  @Test(
    "Cases that RenameCase gives to one another in one version would become one, and are refused")
  func exchanged() {
    let suggestion =
      #"Write both as one MapCases("status", …), or RemoveCase where they are to become one."#
    #expect(
      Self.issues {
        RenameCase("status", "new", to: "paid")
        RenameCase("status", "paid", to: "new")
      } == [
        #"v1/Order/2 (Order.status): "paid" of Order.status is renamed after "new" became the "#
          + "same case, so that the two cannot be told apart. \(suggestion)"
      ])
    #expect(
      Self.issues {
        RenameCase("status", "new", to: "paid")
        RenameCase("status", "paid", to: "done")
      }.count == 1)
    #expect(
      Self.issues {
        RenameCase("level", 1, to: .null)
        RenameCase("level", .null, to: 1)
      }.count == 1)
    #expect(
      Self.issues {
        RenameCase("marks", "gift", to: "late")
        RenameCase("marks", "late", to: "gift")
      }.count == 1)
    // Over a name that is no case, in an order that frees each first, and where it is meant.
    #expect(
      Self.issues {
        RenameCase("status", "new", to: "open")
        RenameCase("status", "paid", to: "new")
        RenameCase("status", "open", to: "paid")
      } == [])
    #expect(
      Self.issues {
        RenameCase("status", "paid", to: "done")
        RenameCase("status", "new", to: "paid")
      } == [])
    #expect(
      Self.issues {
        RemoveCase("status", "new", to: "paid")
        RenameCase("status", "paid", to: "done")
      } == [])
    #expect(
      Self.history(
        Version(1) { On("Order") { RenameCase("status", "new", to: "paid") } },
        Version(2) { On("Order") { RenameCase("status", "paid", to: "new") } }
      ).issues == [])
  }

  @Test("Cases that are added are new, of the right type, and of a member that has some")
  func additions() {
    #expect(Self.issues { AddCases("status", ["new"]) }.count == 1)
    #expect(Self.issues { AddCases("status", ["a", "a"]) }.count == 1)
    #expect(Self.issues { AddCases("status", [5]) }.count == 1)
    #expect(Self.issues { AddCases("status", []) }.count == 1)
    #expect(Self.issues { AddCases("level", [3_000_000_000]) }.count == 1)
    #expect(Self.issues { AddCases("level", [.null]) }.count == 1)
    #expect(Self.issues { AddCases("ghost", ["a"]) }.count == 1)
    #expect(
      Self.issues { AddCases("note", ["a"]) } == [
        "v1/Order/1 (Order.note): The cases of Order.note are not declared. Write cases: where the "
          + "member is added, with those it has there; that is no edit of a shipped version."
      ])
  }

  @Test("Defaults and fills of members with cases are cases")
  func values() {
    #expect(
      Self.issues { Add("size", .string, default: "tiny", cases: ["small"]) } == [
        #"v1/Order/1 (Order.size): The default of Order.size is "tiny", which is no case of it. "#
          + #"The cases here are "small"."#
      ])
    #expect(
      Self.issues { Add("sizes", .list(.string), default: .list(["x"]), cases: ["small"]) }.count
        == 1)
    #expect(Self.issues { Require("level", fill: 3) }.count == 1)
    #expect(Self.issues { Require("level", fill: 2) } == [])
    #expect(Self.issues { Rename("level", to: "rank", as: .int32, fill: 3) }.count == 1)
    #expect(Self.issues { MakeOptional("status", readAs: "lost") }.count == 1)
    #expect(Self.issues { MakeOptional("status", readAs: "new") } == [])
    #expect(Self.issues { Remove("status", readAs: "lost") }.count == 1)
    #expect(Self.issues { Remove("status", readAs: .member("note").orElse("lost")) }.count == 1)
    #expect(Self.issues { Remove("status", readAs: .member("note").orElse("new")) } == [])
    let inverse = ValueExpression.mapped(
      .member("status"), [CaseMapping(from: 1, to: "lost")], otherwise: .constant("new"))
    #expect(
      Self.issues { Convert("status", to: .int32, .constant(1), inverse: inverse) }.count == 1)
    #expect(
      SchemaHistory {
        Base(0) { Type("A", key: "id") { Field("id", .int64, cases: ["x"]) } }
      }.issues.count == 1)
  }

  @Test(
    "H14, R8: cases are in no shape and no fingerprint; AddCases is an operation of its version")
  func metadata() throws {
    let plain = SchemaHistory {
      Base(0) {
        Type("Order", key: "id") {
          Field("id", .int64)
          Field("status", .string)
        }
      }
      Version(1) { On("Order") { Add("size", .string, default: "small") } }
    }
    let declared = SchemaHistory {
      Base(0) {
        Type("Order", key: "id") {
          Field("id", .int64)
          Field("status", .string, cases: ["new"])
        }
      }
      Version(1) { On("Order") { Add("size", .string, default: "small", cases: ["small"]) } }
    }
    #expect(try plain.fingerprint(at: 1) == declared.fingerprint(at: 1))
    #expect(try plain.shape(at: 1).fingerprint == declared.shape(at: 1).fingerprint)
    #expect(declared.comparison(with: plain.ledger(through: 1)) == LedgerComparison())
    func adding(_ cases: [Value]) -> SchemaHistory {
      SchemaHistory(
        base: declared.base,
        versions: declared.versions + [Version(2) { On("Order") { AddCases("status", cases) } }])
    }
    let shipped = adding(["a", "b"]).ledger(through: 2)
    #expect(adding(["b", "a"]).comparison(with: shipped) == LedgerComparison())
    #expect(adding(["a"]).comparison(with: shipped).edited == ["v2/Order/1"])
    #expect(
      try adding(["a"]).shape(at: 2) == SchemaShape(version: 2, types: plain.shape(at: 1).types))
  }

  @Test("Cases stay in squashed histories and in files, as do the operations on them")
  func files() throws {
    let history = Self.history(
      Version(1) {
        On("Order") {
          AddCases("status", ["refunded"])
          AddCases("level", [3])
          Add("size", .optional(.string), cases: ["small", "large"])
        }
      },
      Version(2) { On("Order") { RenameCase("status", "void", to: "gone") } })
    #expect(history.issues == [])
    let cases = try history.cases(at: 2)
    #expect(cases.count == 4)
    let read = try HistoryFiles.read(HistoryFiles.write(history))
    #expect(try read.cases(at: 2) == cases)
    #expect(try read.fingerprint(at: 2) == history.fingerprint(at: 2))
    let squashed = try history.squashed(floor: 1)
    #expect(try squashed.cases(at: 1) == history.cases(at: 1))
    #expect(try squashed.cases(at: 2) == cases)
    #expect(throws: SchemaError.self) {
      try HistoryFiles.read(
        #"""
        {"format": 1, "base": {"version": 0, "types": [{"name": "A", "key": "id", "members": [
          {"name": "id", "type": "int64", "cases": ["x"]}]}]}}
        """#)
    }
  }
}
