import FileIO
import ObjectStore
import Testing

/// Every kind of barrier with operations on records before, between and after them.
@Suite("Barriers between the versions of a store")
struct EveryBarrierTests {
  static let base = Base(0) {
    Type("Person", key: "id") {
      Field("id", .int64)
      Field("email", .string)
      Field("name", .string)
      Field("pet", .optional(.int64), linksTo: "Pet")
      Field("site", .optional(.int64), linksTo: "Site")
      Field("homes", .list(.object([MemberShape("street", .string)])))
    }
    Type("Pet", key: "id") {
      Field("id", .int64)
      Field("name", .string)
    }
    Type("Animal", key: "id") { Field("id", .int64) }
    Type("Site", key: "id") {
      Field("id", .int64)
      Field("street", .string)
    }
  }

  static let steps: [Version] = [
    Version(1) {
      On("Person") { Add("age", .int32, default: 3) }
      On("Site") { Add("zip", .int32, default: 7) }
    },
    Version(2) { Rekey("Person", to: "email") },
    Version(3) {
      On("Person") {
        Rename("name", to: "title")
        Each("homes") { Add("zip", .string, default: "z") }
      }
    },
    Version(4) { Retarget("Person", "pet", to: "Animal") { $0 } },
    Version(5) {
      On("Person") { Convert("age", to: .string) { (age: Int) in "\(age)" } }
      On("Site") { Convert("zip", to: .string) { (zip: Int) in "\(zip)" } }
    },
    Version(6) { Embed("Site", into: MemberPlace("Person", "site"), policy: .deleteOrphans) },
    Version(7) { On("Person") { Each("homes") { Rename("street", to: "road") } } },
    Version(8) { ExtractType("Home", key: "id", from: MemberPlace("Person", "homes")) },
    Version(9) {
      On("Home") { Add("note", .optional(.string)) }
      On("Person") { Add("kind", .string, default: "new") }
    },
    Version(10) {
      Type("Guest", key: "email") {
        Field("email", .string)
        Field("title", .string)
        Field("since", .int64)
      }
      Move(
        "Person", to: "Guest", defaults: ["since": 1],
        dropping: ["id", "pet", "site", "homes", "age", "kind"],
        where: .member("title").isEqual(to: "T1"))
    },
    Version(11) { On("Guest") { Rename("title", to: "name") } },
    Version(12) {
      Barrier("mark", touching: "Person") { store in
        try store.forEach("Person") { old, new in
          new["kind"] = .string("\(old["age"])")
          return old["title"] == "T2" ? .drop : .keep
        }
      }
    },
    Version(13) { On("Person") { Merge("both", from: "title", "kind", separator: "/") } },
  ]

  static func open(_ fileSystem: InMemoryFileSystem, _ version: Int) throws -> Store {
    try Store.open(
      at: "/s", history: SchemaHistory(base: base, versions: Array(steps[..<version])),
      configuration: .quiet, fileSystem: fileSystem)
  }

  static func makeStore() throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    let store = try open(fileSystem, 0)
    try store.write { transaction in
      for id in 0..<9 as Range<Int64> {
        let homes = (0..<id % 3).map { Value.object(["street": .string("S\($0)")]) }
        let objects: [(String, [String: Value])] = [
          (
            "Person",
            [
              "id": .int(id), "email": .string("p\(id)@x"), "name": .string("T\(id % 4)"),
              "pet": id % 2 == 0 ? .int(id) : .null, "site": id < 4 ? .int(id) : .null,
              "homes": .list(homes),
            ]
          ),
          ("Pet", ["id": .int(id), "name": "n"]), ("Animal", ["id": .int(id)]),
          ("Site", ["id": .int(id), "street": .string("R\(id)")]),
        ]
        for (type, values) in objects {
          try transaction.put(transaction.makeObject(ofType: type, values))
        }
      }
    }
    try store.close()
    return fileSystem
  }

  /// All objects of all types.
  static func all(_ store: Store) throws -> [String: [[String: Value]]] {
    var found: [String: [[String: Value]]] = [:]
    for type in store.schema.types {
      found[type.name] = try BarrierTests.all(store, type.name).map(\.members)
    }
    return found
  }

  @Test(
    "R30, R39, H9: migrated or compacted at any version, and read lazily, barriers give the same",
    arguments: [false, true])
  func everyPair(_ compacting: Bool) throws {
    var failures: [String] = []
    for last in 0...Self.steps.count {
      let lazily = try Self.open(try Self.makeStore(), last)
      let expected = try Self.all(lazily)
      _ = try lazily.compact()
      if try Self.all(lazily) != expected { failures.append("compacted at \(last)") }
      try lazily.close()
      failures += try EveryOperationTests.failures(
        stoppingBefore: last, compacting, makeStore: Self.makeStore, open: Self.open
      ) { try Self.all($0) == expected }
      if last == Self.steps.count {
        #expect(expected["Person"]?.count == 5 && expected["Guest"]?.count == 2)
        #expect(expected["Home"]?.count == 9 && expected["Site"] == nil)
      }
    }
    #expect(failures == [])
  }
}
