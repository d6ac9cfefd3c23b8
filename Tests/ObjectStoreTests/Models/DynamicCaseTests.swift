import FileIO
import ObjectStore
import Testing

/// Dynamic objects with values that no declared case has.
@Suite struct DynamicCaseTests {
  static let history = SchemaHistory {
    Base(0) {
      Type("Order", key: "id") {
        Field("id", .int64)
        Field("status", .string, cases: ["new", "paid"])
        Field("marks", .list(.string), cases: ["gift"])
        Field("note", .optional(.string), cases: ["x"])
        Field(
          "lines", .list(.object([MemberShape("kind", .int32)])),
          inside: ["kind": .cases([1, 2])])
      }
    }
    Version(1) { On("Order") { RenameCase("status", "new", to: "open") } }
  }

  static let good: [String: Value] = [
    "id": 1, "status": "open", "marks": .list(["gift"]), "note": .null,
    "lines": .list([.object(["kind": 2])]),
  ]

  static func open() throws -> Store {
    try Store.open(
      at: "/s", history: history, configuration: .quiet, fileSystem: InMemoryFileSystem())
  }

  @Test("A dynamic object with a value that no declared case has is refused, by member")
  func refused() throws {
    let store = try Self.open()
    try store.write { try $0.put($0.makeObject(ofType: "Order", Self.good)) }
    let wrong: [(String, String, Value, String)] = [
      ("status", "status", "new", #""open", "paid""#),
      ("marks", "marks", .list(["gift", "zzz"]), #""gift""#),
      ("note", "note", "zzz", #""x""#),
      ("lines", "lines.kind", .list([.object(["kind": 3])]), "1, 2"),
    ]
    for (member, path, value, cases) in wrong {
      let error = try #require(throws: StoreError.self) {
        try store.write { transaction in
          try transaction.put(
            transaction.makeObject(
              ofType: "Order", Self.good.merging([member: value]) { $1 }))
        }
      }
      #expect(
        error
          == .schema(
            .invalidValue(
              type: "Order", member: path,
              reason: "the history declares no such case of it; its cases are \(cases)")))
    }
    #expect(try store.snapshot().count(ofType: "Order") == 1)
    try store.close()
  }

  @Test("What an object had before its cases were declared is not refused when it is put again")
  func known() throws {
    let fileSystem = InMemoryFileSystem()
    func open(_ cases: [Value]?) throws -> Store {
      let history = SchemaHistory {
        Base(0) {
          Type("Order", key: "id") {
            Field("id", .int64)
            Field("status", .string, cases: cases)
            Field("note", .string)
          }
        }
      }
      return try Store.open(
        at: "/s", history: history, configuration: .quiet, fileSystem: fileSystem)
    }
    func put(_ store: Store, _ id: Int64, _ status: Value, _ note: Value) throws {
      try store.write { transaction in
        try transaction.put(
          transaction.makeObject(
            ofType: "Order", ["id": .int(id), "status": status, "note": note]))
      }
    }
    var store = try open(nil)
    try put(store, 1, "odd", "")
    try store.close()
    store = try open(["new"])
    try put(store, 1, "odd", "seen")
    #expect(throws: StoreError.self) { try put(store, 1, "other", "seen") }
    #expect(throws: StoreError.self) { try put(store, 2, "odd", "seen") }
    try store.close()
  }

  @Test("Values in the order of the shape are checked, too")
  func values() throws {
    let store = try Self.open()
    let shape = try #require(store.schema.type(named: "Order"))
    func put(_ changes: [String: Value]) throws {
      let object = Self.good.merging(changes) { $1 }
      try store.write { transaction in
        try transaction.put(shape.members.map { object[$0.name] ?? .null }, ofType: "Order")
      }
    }
    try put([:])
    #expect(throws: StoreError.self) { try put(["id": 2, "status": "zzz"]) }
    #expect(try store.snapshot().count(ofType: "Order") == 1)
    try store.close()
  }
}
