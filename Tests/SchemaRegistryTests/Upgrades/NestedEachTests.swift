import SchemaRegistry
import Testing

/// `Each` reaches the objects in containers of any depth.
@Suite struct NestedEachTests {
  private static let object = FieldType.object([
    MemberShape("price", .int32), MemberShape("note", .optional(.string)),
  ])

  private static func history(
    _ type: FieldType, @OperationBuilder _ operations: () -> [RecordOperation]
  ) -> SchemaHistory {
    SchemaHistory(
      base: Base(0) {
        Type("Person", key: "id") {
          Field("id", .int64)
          Field("m", type)
        }
      },
      versions: [
        Version(number: 1, changes: [.records(type: "Person", operations: operations())])
      ])
  }

  /// Types around an object, and a value of each around another value.
  private let shapes: [(type: (FieldType) -> FieldType, value: (Value) -> Value)] = [
    ({ .list(.list($0)) }, { .list([.list([]), .list([$0, $0])]) }),
    ({ .dictionary(.list($0)) }, { .dictionary(["a": .list([]), "b": .list([$0])]) }),
    ({ .list(.dictionary($0)) }, { .list([.dictionary(["a": $0]), .dictionary([:])]) }),
    ({ .dictionary(.dictionary($0)) }, { .dictionary(["a": .dictionary(["b": $0])]) }),
    (
      { .optional(.list(.optional(.dictionary(.list(.optional($0)))))) },
      { .list([.null, .dictionary(["a": .list([.null, $0])])]) }
    ),
    ({ .optional(.list(.list($0))) }, { _ in .null }),
  ]

  @Test("Each changes the objects in containers of containers, and nothing else")
  func values() throws {
    for (type, value) in shapes {
      let history = Self.history(type(Self.object)) {
        Each("m") {
          Widen("price", to: .int64)
          Rename("note", to: "text")
          Add("count", .int32, default: 1)
          Derive("net", from: "price") { (price: Int) in price * 2 }
        }
      }
      try #require(history.issues == [])
      let result = try Upgrading(history: history, checksPurity: true).run(
        ["id": 1, "m": value(.object(["price": 3, "note": "n"]))], from: 0)
      #expect(
        result?["m"] == value(.object(["price": 3, "text": "n", "count": 1, "net": 6])),
        "\(type(Self.object))")
      let shape = try history.shape(at: 1).type(named: "Person")
      #expect(
        shape?.members.first { $0.name == "m" }?.type
          == type(
            .object([
              MemberShape("price", .int64), MemberShape("text", .optional(.string)),
              MemberShape("count", .int32), MemberShape("net", .int64),
            ])))
    }
  }

  @Test("Each needs objects at the end of the containers, and On is for a single one")
  func issues() {
    func issues(
      _ type: FieldType, @OperationBuilder _ operations: () -> [RecordOperation]
    ) -> [String] {
      Self.history(type, operations).issues.map { "\($0.operationID) \($0.member ?? "")" }
    }
    #expect(
      issues(.list(.list(.string))) { Each("m") { Remove("note") } } == ["v1/Person/1 Person.m"])
    #expect(
      issues(.list(.list(Self.object))) { On("m") { Remove("note") } } == ["v1/Person/1 Person.m"])
    #expect(
      issues(.dictionary(.list(Self.object))) { Each("m") { Remove("none") } }
        == ["v1/Person/1.1 Person.m.none"])
  }
}
