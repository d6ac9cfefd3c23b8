import SchemaRegistry
import Testing

/// Embedded objects that leave optional members out are valid; they are the same as those that have
/// nil there, whoever gives them and whenever they are stored.
@Suite("Members that values leave out")
struct LeftOutMemberTests {
  static let home = FieldType.object([
    MemberShape("city", .string), MemberShape("zip", .optional(.int32)),
  ])
  static let short: Value = .object(["city": "none"])
  static let whole: Value = .object(["city": "none", "zip": .null])

  /// Ways to give a record a member called `home` that leaves something out.
  static let ways: [(fields: [Field], operations: [RecordOperation])] = {
    func operations(@OperationBuilder _ parts: () -> [RecordOperation]) -> [RecordOperation] {
      parts()
    }
    let list = FieldType.list(home)
    return [
      ([], operations { Add("home", home, default: short) }),
      ([], operations { Add("home", .optional(home), default: short) }),
      ([], operations { Add("home", list, default: .list([whole, short])) }),
      ([], operations { Add("home", .dictionary(home), default: .dictionary(["a": short])) }),
      ([], operations { Derive("home", home, from: "name") { (_: String) in short } }),
      ([], operations { Derive("home", home, .constant(short)) }),
      ([Field("home", .optional(home))], operations { Require("home", fill: short) }),
      (
        [Field("old", .optional(home))],
        operations { Rename("old", to: "home", as: home, fill: short) }
      ),
      ([Field("home", .string)], operations { Convert("home", to: home, .constant(short)) }),
      (
        [Field("home", .optional(home))],
        operations {
          Rewrite { _, new in
            new["home"] = short
            return .keep
          }
        }
      ),
      (
        [Field("home", .object([MemberShape("owner", .string)]))],
        operations { On("home") { Add("at", home, default: short) } }
      ),
      (
        [Field("home", .object([MemberShape("owner", .string)]))],
        operations { On("home") { Derive("at", home, from: "owner") { (_: String) in short } } }
      ),
    ]
  }()

  static func history(_ fields: [Field], _ operations: [RecordOperation]) -> SchemaHistory {
    SchemaHistory(
      base: Base(
        version: 0,
        types: [
          Type(
            name: "Person", keyMember: "id",
            fields: [Field("id", .int64), Field("name", .string)] + fields)
        ]),
      versions: [
        Version(number: 1, changes: [.records(type: "Person", operations: operations)]),
        Version(2) {
          On("Person") { Derive("seen", from: "home") { (home: Value) in "\(home.memberCount)" } }
        },
      ])
  }

  @Test(
    "H8, H9: code of a later version sees the same, stored in between or not", arguments: 0..<12)
  func byEveryWay(_ number: Int) throws {
    let way = Self.ways[number]
    let upgrading = Upgrading(history: Self.history(way.fields, way.operations))
    #expect(upgrading.history.issues == [])
    var record: [String: Value] = ["id": 1, "name": "none"]
    for field in way.fields {
      if case .object = field.type { record[field.name] = .object(["owner": "o"]) }
      if case .string = field.type { record[field.name] = "h" }
    }
    let direct = try upgrading.run(record, from: 0)
    let between = try #require(try upgrading.run(record, from: 0, to: 1))
    #expect(try upgrading.run(between, from: 1) == direct)
    #expect(direct?["seen"] != nil)
  }

  @Test("Conditions and mappings know an object whether it leaves something out or not")
  func comparisons() throws {
    func upgraded(@OperationBuilder _ parts: () -> [RecordOperation]) throws -> [String: Value]? {
      let history = SchemaHistory(
        base: Base(0) {
          Type("Person", key: "id") {
            Field("id", .int64)
            Field("home", Self.home)
            Field("homes", .list(Self.home))
          }
        },
        versions: [Version(number: 1, changes: [.records(type: "Person", operations: parts())])])
      #expect(history.issues == [])
      return try Upgrading(history: history).run(
        ["id": 1, "home": Self.whole, "homes": .list([Self.whole])], from: 0)
    }
    let other: Value = .object(["city": "other", "zip": 1])
    #expect(
      try upgraded { DropRecords(where: .isEqual(.member("home"), .constant(Self.short))) } == nil)
    #expect(
      try upgraded {
        DropRecords(where: .isEqual(.member("homes"), .constant(.list([Self.short]))))
      } == nil)
    #expect(
      try upgraded { DropRecords(where: .isEqual(.member("home"), .constant(other))) } != nil)
    #expect(
      try upgraded {
        Convert(
          "home", to: Self.home,
          .mapped(
            .member("home"), [CaseMapping(from: Self.short, to: other)], otherwise: nil))
      }?["home"] == other)
  }
}

extension Value {
  /// How many members and elements there are, in all that it holds.
  fileprivate var memberCount: Int {
    switch self {
    case .object(let values), .dictionary(let values):
      values.values.reduce(values.count) { $0 + $1.memberCount }
    case .list(let values): values.reduce(values.count) { $0 + $1.memberCount }
    default: 0
    }
  }
}
