import FileIO
import ObjectStore
import Testing

/// The rules of single operations on a real store: read lazily, put again, and compacted.
@Suite("Rules of operations on members and types")
struct MemberRuleTests {
  static let base = Base(0) {
    Type("Person", key: "id") {
      Field("id", .int64)
      Field("first", .string)
      Field("age", .optional(.int32))
      Field("friend", .optional(.int64))
      Field("home", .object([MemberShape("street", .string)]))
    }
  }

  static func history(@OperationBuilder _ operations: () -> [RecordOperation]) -> SchemaHistory {
    SchemaHistory(
      base: base,
      versions: [
        Version(
          number: 1, changes: [.records(type: "Person", operations: operations())])
      ])
  }

  /// Persons 1 with an age, and 2 without; each is the other's friend.
  static func makeStore() throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    let store = try open(fileSystem, SchemaHistory { base })
    try store.write { transaction in
      for id in [1, 2] as [Int64] {
        try transaction.put(
          transaction.makeObject(
            ofType: "Person",
            [
              "id": .int(id), "first": .string("p\(id)"), "age": id == 1 ? 30 : .null,
              "friend": .int(3 - id), "home": .object(["street": .string("s\(id)")]),
            ]))
      }
    }
    try store.close()
    return fileSystem
  }

  static func open(_ fileSystem: InMemoryFileSystem, _ history: SchemaHistory) throws -> Store {
    try Store.open(
      at: "/s", history: history, configuration: .quiet, fileSystem: fileSystem)
  }

  /// What persons 1 and 2 are: read lazily, and again when one was put and all were compacted.
  static func people(
    _ history: SchemaHistory, type: String = "Person"
  ) throws -> [[String: Value]] {
    let store = try open(try makeStore(), history)
    func all() throws -> [[String: Value]] {
      try [1, 2].map { try #require(try store.snapshot().object(ofType: type, key: $0)).members }
    }
    let lazily = try all()
    let object = try #require(try store.snapshot().object(ofType: type, key: 1))
    try store.write { try $0.put(object) }
    try store.compact()
    #expect(try all() == lazily)
    try store.close()
    return lazily
  }

  static func problems(_ history: SchemaHistory) -> [String] { history.issues.map(\.problem) }

  @Test("R22: old objects have the operation's default, explicit values stay, none is an error")
  func addition() throws {
    let people = try Self.people(
      Self.history {
        Add("rank", .int64, default: 7)
        Derive("label", from: "first") { (first: String) in "\(first)!" }
      })
    #expect(people.map { $0["rank"] } == [7, 7])
    #expect(people.map { $0["label"] } == ["p1!", "p2!"])
    #expect(
      Self.problems(Self.history { Add("rank", .int64) }) == [
        "Person.rank is required and has no default, so older records have no value."
      ])
    let store = try Self.open(
      try Self.makeStore(), Self.history { Add("rank", .int64, default: 7) })
    var object = try #require(try store.snapshot().object(ofType: "Person", key: 1))
    object["rank"] = 1
    let changed = object
    try store.write { try $0.put(changed) }
    try store.compact()
    #expect(try store.snapshot().object(ofType: "Person", key: 1)?["rank"] == 1)
    try store.close()
  }

  @Test("R23: a member that was removed and comes back has its default, whatever is jumped over")
  func removal() throws {
    let people = try Self.people(
      SchemaHistory(
        base: Self.base,
        versions: [
          Version(1) { On("Person") { Remove("first") } },
          Version(2) { On("Person") { Add("first", .string, default: "new") } },
        ]))
    #expect(people.map { $0["first"] } == ["new", "new"])
  }

  @Test("R24: renames keep values, in chains, swaps and with another optionality; wrong ones fail")
  func renaming() throws {
    let chained = try Self.people(
      SchemaHistory(
        base: Self.base,
        versions: [
          Version(1) { On("Person") { Rename("first", to: "given") } },
          Version(2) { On("Person") { Rename("given", to: "name") } },
        ]))
    #expect(chained.map { $0["name"] } == ["p1", "p2"])
    let swapped = try Self.people(
      Self.history {
        Rename("age", to: "friend")
        Rename("friend", to: "age")
      })
    #expect(swapped.map { $0["friend"] } == [30, .null])
    #expect(swapped.map { $0["age"] } == [2, 1])
    let required = try Self.people(
      Self.history { Rename("age", to: "years", as: .int32, fill: 5) })
    #expect(required.map { $0["years"] } == [30, 5])
    for wrong in [
      Self.history { Rename("nothing", to: "name") }, Self.history { Rename("age", to: "first") },
      Self.history { Rename("age", to: "years", as: .string) },
    ] {
      #expect(wrong.issues.count == 1)
      #expect(wrong.issues.allSatisfy { $0.member?.hasPrefix("Person.") == true })
    }
  }

  @Test("R25: a conversion may throw for an object, nil stays nil, and widening loses nothing")
  func conversion() throws {
    struct Refused: Error {}
    let people = try Self.people(
      Self.history {
        Convert("age", to: .optional(.string)) { (age: Int) in "\(age) years" }
        Widen("friend", to: .list(.optional(.int64)))
      })
    #expect(people.map { $0["age"] } == ["30 years", .null])
    #expect(people.map { $0["friend"] } == [.list([2]), .list([1])])
    let fileSystem = try Self.makeStore()
    let store = try Self.open(
      fileSystem,
      Self.history {
        Convert("first", to: .int64) { (first: String) throws -> Int in
          if first == "p1" { throw Refused() }
          return 2
        }
      })
    #expect(throws: StoreError.self) { try store.snapshot().object(ofType: "Person", key: 1) }
    #expect(try store.snapshot().object(ofType: "Person", key: 2)?["first"] == 2)
    try store.compact()
    try store.close()
    let again = try Self.open(
      fileSystem,
      Self.history { Convert("first", to: .int64, revision: 2) { (_: String) in 9 } })
    #expect(try again.snapshot().object(ofType: "Person", key: 1)?["first"] == 9)
    try again.close()
  }

  @Test("R26: requiring a member keeps every value that there is, and so does making it optional")
  func optionality() throws {
    let people = try Self.people(
      Self.history {
        Require("age", fill: 18)
        MakeOptional("first")
      })
    #expect(people.map { $0["age"] } == [30, 18])
    #expect(people.map { $0["first"] } == ["p1", "p2"])
  }

  @Test("R27: a renamed type keeps keys, links and embedded objects; wrong renames are errors")
  func typeRenaming() throws {
    func renamed(_ old: String, _ new: String) -> SchemaHistory {
      SchemaHistory(base: Self.base, versions: [Version(1) { RenameType(old, to: new) }])
    }
    let people = try Self.people(renamed("Person", "Human"), type: "Human")
    #expect(people.map { $0["friend"] } == [2, 1])
    #expect(people[0]["home"] == .object(["street": "s1"]))
    #expect(renamed("Ghost", "Human").issues.count == 1)
    #expect(renamed("Person", "Person").issues.count == 1)
  }
}
