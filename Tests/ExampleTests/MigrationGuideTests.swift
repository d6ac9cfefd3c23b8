import FileIO
import LogStoreTesting
import ObjectStore
import Testing

/// The examples of `Documentation/Migrations.md` that `OperationGuideTests` and
/// `BarrierRecipeTests` do not have, as they stand there.
@Suite("What the guide to migrations shows compiles, is valid, and runs")
struct MigrationGuideTests {
  static let cases = SchemaHistory {
    Base(0) {
      Type("Order", key: "id") {
        Field("id", .uuid)
        Field("status", .string, cases: ["new", "paid", "void"])
      }
    }
    Version(1) { On("Order") { AddCases("status", ["refunded"]) } }
    Version(2) {
      On("Order") {
        RenameCase("status", "new", to: "open")
        RemoveCase("status", "void", to: "refunded")
      }
    }
  }

  static let inside = SchemaHistory {
    Base(0) {
      Type("Person", key: "id") { Field("id", .uuid) }
      Type("House", key: "id") {
        Field("id", .uuid)
        Field(
          "home", .object([MemberShape("kind", .string), MemberShape("owner", .uuid)]),
          inside: ["kind": .cases(["house", "flat"]), "owner": .linksTo("Person")])
      }
    }
  }

  static let move = SchemaHistory {
    Base(0) {
      Type("Person", key: "id") {
        Field("id", .int64)
        Field("kind", .string)
      }
      Type("Customer", key: "id") {
        Field("id", .int64)
        Field("since", .int64)
      }
    }
    Version(1) {
      Move(
        "Person", to: "Customer", defaults: ["since": 2000], dropping: ["kind"],
        where: .member("kind").isEqual(to: "customer"))
    }
  }

  static let changes = On("Parcel") {
    Remove("title", readAs: "none")
    MakeOptional("text", readAs: "")
    AddCases("status", ["refunded"], readAs: "paid")
    Convert("zip", to: .string, inverse: ValueExpression.member("zip").parseInteger.orElse(0)) {
      (zip: Int) in "\(zip)"
    }
    Split(
      "name", into: "first", "last", at: " ",
      inverse: .trimmed(.join([.member("first"), .member("last")], separator: " ")))
  }
  static let parcels = Base(0) {
    Type("Parcel", key: "id") {
      Field("id", .int64)
      Field("title", .string)
      Field("text", .string)
      Field("status", .string, cases: ["new", "paid"])
      Field("zip", .int64)
      Field("name", .string)
    }
  }
  static let waysBack = SchemaHistory {
    parcels
    Version(1) { changes }
  }

  @Test(
    "Each history is valid, and runs on records that are made up",
    arguments: ["cases", "inside", "move", "waysBack"])
  func group(_ name: String) throws {
    let histories = [
      "cases": Self.cases, "inside": Self.inside, "move": Self.move, "waysBack": Self.waysBack,
    ]
    let history = try #require(histories[name])
    #expect(history.issues == [])
    #expect(try history.selfTest().isEmpty)
  }

  @Test("Objects that satisfy a condition go to another type")
  func moved() throws {
    let fixture = MigrationFixture(Self.move)
    try fixture.write(
      "Person", version: 0, [["id": 1, "kind": "customer"], ["id": 2, "kind": "staff"]])
    #expect(try fixture.differences("Customer", key: 1, from: ["since": 2000]) == [])
    #expect(try fixture.differences("Person", key: 2, from: ["kind": "staff"]) == [])
  }

  @Test("With ways back an older app reads what the newer one wrote")
  func readBack() throws {
    let fileSystem = InMemoryFileSystem()
    func open(_ history: SchemaHistory) throws -> Store {
      var configuration = StoreConfiguration()
      configuration.compaction = .off
      configuration.newerStore = .projected
      return try Store.open(
        at: "/parcels", history: history, configuration: configuration, fileSystem: fileSystem)
    }
    let newer = try open(Self.waysBack)
    try newer.write { transaction in
      let members: [String: Value] = [
        "id": 1, "text": .null, "status": "refunded", "zip": "8000", "first": "Ada",
        "last": "King",
      ]
      try transaction.put(transaction.makeObject(ofType: "Parcel", members))
    }
    try newer.close()
    let older = try open(SchemaHistory { Self.parcels })
    let parcel = try older.snapshot().object(ofType: "Parcel", key: 1)
    let expected: [String: Value] = [
      "title": "none", "text": "", "status": "paid", "zip": 8000, "name": "Ada King",
    ]
    for (member, value) in expected { #expect(parcel?[member] == value, "\(member)") }
    try older.close()
  }

  @Test("Indexes that lack objects are built after a store is opened")
  func indexes() throws {
    let fileSystem = InMemoryFileSystem()
    func open(_ model: any StorableObject.Type) throws -> Store {
      try Store.open(at: "/people", models: [model], evolution: .additive, fileSystem: fileSystem)
    }
    let former = try open(Person.self)
    try former.write { transaction in try transaction.put(Person(id: 1, name: "Ada")) }
    try former.close()
    let store = try open(IndexedPerson.self)
    #expect(store.incompleteIndexes.count == 1)

    if !store.incompleteIndexes.isEmpty { try store.buildIndexes() }

    #expect(store.incompleteIndexes.isEmpty)
    try store.close()
  }

  @Test("Objects are written as the app of an old version did, and histories test themselves")
  func testing() throws {
    let history = SchemaHistory {
      Base(3) {
        Type("Person", key: "id") {
          Field("id", .int64)
          Field("first", .string)
          Field("last", .string)
        }
      }
      Version(4) { On("Person") { Merge("name", from: "first", "last", separator: " ") } }
    }

    let fixture = MigrationFixture(history)
    try fixture.write("Person", version: 3, json: #"{"id": 1, "first": "Ada", "last": "King"}"#)
    #expect(try fixture.differences("Person", key: 1, from: ["name": "Ada King"]) == [])
    #expect(try history.selfTest().isEmpty)
  }

  struct Person: StorableObject {
    static let primaryKey = "id"
    var id = 0
    var name = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("name", &name)
    }
  }

  /// The same in a release that looks people up by their names.
  struct IndexedPerson: StorableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let indexes = [IndexDeclaration("name")]
    var id = 0
    var name = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("name", &name)
    }
  }
}
