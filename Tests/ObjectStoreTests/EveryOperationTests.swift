import FileIO
import LogStore
import ObjectStore
import StorageTestSupport
import Testing

/// Reading lazily, migrating, compacting, and stopping at any version on the way are the same, for
/// every operation.
@Suite struct EveryOperationTests {
  static let address = FieldType.object([
    MemberShape("street", .string), MemberShape("zip", .int32),
  ])
  static let base = Base(0) {
    Type("Thing", key: "id") {
      Field("id", .int64)
      Field("name", .string)
      Field("nick", .optional(.string))
      Field("count", .int32)
      Field("ratio", .float)
      Field("state", .string, cases: ["open", "done"])
      Field("tags", .list(.string))
      Field("home", address)
      Field("lines", .dictionary(.object([MemberShape("price", .int32)])))
      Field("old", .bool)
    }
    Type("Draft", key: "id") { Field("id", .string) }
  }

  /// One version for each operation, so that stopping between any two is tried.
  static let steps: [Version] = [
    Version(1) { On("Thing") { Add("score", .int64, default: 7) } },
    Version(2) { On("Thing") { Remove("old") } },
    Version(3) { On("Thing") { Add("old", .optional(.string)) } },
    Version(4) { On("Thing") { Rename("score", to: "points") } },
    Version(5) { On("Thing") { Widen("count", to: .int64) } },
    Version(6) { On("Thing") { Widen("ratio", to: .double) } },
    Version(7) { On("Thing") { Convert("count", to: .string) { (count: Int) in "\(count)" } } },
    Version(8) { On("Thing") { Require("nick", fill: "none") } },
    Version(9) { On("Thing") { MakeOptional("points") } },
    Version(10) {
      On("Thing") { Derive("label", from: "name", "nick") { (a: String, b: String) in a + b } }
    },
    Version(11) { On("Thing") { Split("name", into: "first", "rest", at: " ") } },
    Version(12) { On("Thing") { Merge("both", from: "first", "rest", separator: "+") } },
    Version(13) { On("Thing") { MoveOut("home", "street", keepingRest: true) } },
    Version(14) { On("Thing") { MoveInto("about", "label", "nick") } },
    Version(15) { On("Thing") { On("home") { Rename("zip", to: "code") } } },
    Version(16) { On("Thing") { Each("lines") { Add("tax", .double, default: 0.5) } } },
    Version(17) { On("Thing") { Head("tags", as: .string, default: "none") } },
    Version(18) { On("Thing") { Widen("tags", to: .list(.string)) } },
    Version(19) { On("Thing") { RenameCase("state", "open", to: "active") } },
    Version(20) {
      On("Thing") { MapCases("state", of: ["active", "done"], ["active": "a", "done": "d"]) }
    },
    Version(21) {
      On("Thing") { DropRecords(from: "id") { (id: Int) in id % 10 == 9 } }
    },
    Version(22) {
      On("Thing") {
        Rewrite { old, new in
          new["both"] = .string("\(old["points"])")
          return old["id"] == 3 ? .drop : .keep
        }
      }
    },
    Version(23) { RenameType("Thing", to: "Item") },
    Version(24) {
      Type("Pet", key: "id") { Field("id", .uuid) }
      On("Item") { AddCases("state", ["late"]) }
    },
    Version(25) { RemoveType("Draft") },
    Version(26) {},
  ]

  /// Operations that are others in disguise; crashes need not be tried for them, too.
  static let furtherSteps: [Version] = [
    Version(27) { On("Item") { RemoveCase("state", "late", to: "a") } },
    Version(28) {
      On("Item") { Convert("count", to: .optional(.int32), .member("count").parseInteger) }
    },
    Version(29) { On("Item") { Widen("count", to: .optional(.int64)) } },
    Version(30) { On("Item") { Widen("points", to: .optional(.list(.int64))) } },
    Version(31) {
      On("Item") {
        On("home") { Widen("code", to: .optional(.int32)) }
        Each("lines") { Convert("price", to: .string) { (price: Int) in "\(price) EUR" } }
      }
    },
    Version(32) {
      On("Item") {
        Derive("frozen", from: "both", materialise: true) { (both: String) in both + "!" }
      }
    },
  ]
  static let last = steps.count + furtherSteps.count

  static func history(through version: Int) -> SchemaHistory {
    SchemaHistory(base: base, versions: Array((steps + furtherSteps)[..<version]))
  }

  static func makeStore() throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    let store = try open(fileSystem, 0)
    try fill(store, count: 20)
    try store.close()
    return fileSystem
  }

  static func fill(_ store: Store, count: Int) throws {
    try store.write { transaction in
      for id in 0..<count {
        try transaction.put(
          transaction.makeObject(
            ofType: "Thing",
            [
              "id": .int(Int64(id)), "name": .string(id % 3 == 0 ? "A B C" : "Solo"),
              "nick": id % 2 == 0 ? .null : "N", "count": .int(Int64(id * 3)), "ratio": .float(0.1),
              "state": id % 2 == 0 ? "open" : "done", "tags": .list(id % 4 == 0 ? [] : ["x", "y"]),
              "home": .object(["street": "S", "zip": .int(Int64(id))]),
              "lines": .dictionary(["k": .object(["price": 2])]), "old": .bool(true),
            ]))
      }
      try transaction.put(transaction.makeObject(ofType: "Draft", ["id": "d"]))
    }
  }

  static func open(_ fileSystem: InMemoryFileSystem, _ version: Int) throws -> Store {
    try Store.open(
      at: "/s", history: history(through: version), configuration: .quiet, fileSystem: fileSystem)
  }

  static func all(_ store: Store) throws -> [[String: Value]] {
    let type = store.schema.type(named: "Item") == nil ? "Thing" : "Item"
    let cursor = try store.snapshot().objects(ofType: type)
    var found: [[String: Value]] = []
    while let object = try cursor.next() { found.append(object.members) }
    return found
  }

  /// The versions before `last` at which a store that was migrated or compacted there is not as
  /// `isRight` wants it when it is opened at `last`.
  static func failures(
    stoppingBefore last: Int, _ compacting: Bool, makeStore: () throws -> InMemoryFileSystem,
    open: (InMemoryFileSystem, Int) throws -> Store, isRight: (Store) throws -> Bool
  ) throws -> [String] {
    var failures: [String] = []
    for stop in 0..<last {
      let fileSystem = try makeStore()
      var store = try open(fileSystem, stop)
      if compacting { _ = try store.compact() } else { try store.migrate() }
      try store.close()
      store = try open(fileSystem, last)
      if try !isRight(store) { failures.append("stop at \(stop) of \(last)") }
      try store.close()
    }
    return failures
  }

  @Test(
    "R12, R39, H9: migrated or compacted at any version on the way equals read lazily, all pairs",
    arguments: [false, true])
  func everyPair(_ compacting: Bool) throws {
    var failures: [String] = []
    for last in 0...Self.last {
      let lazily = try Self.open(try Self.makeStore(), last)
      let expected = try Self.all(lazily)
      try lazily.close()
      failures += try Self.failures(
        stoppingBefore: last, compacting, makeStore: Self.makeStore, open: Self.open
      ) { try Self.all($0) == expected }
    }
    #expect(failures == [])
  }

  @Test("R39, H11: compacted equals migrated equals lazily read; later ones change nothing")
  func compacted() throws {
    let fileSystem = try Self.makeStore()
    let store = try Self.open(fileSystem, Self.last)
    let expected = try Self.all(store)
    #expect(expected.count == 17)
    let report = try store.compact()
    #expect(report.upgradedCount == 17)
    // One of them is of the type that was removed.
    #expect(report.droppedCount == 4)
    #expect(try Self.all(store) == expected)
    #expect(try store.compact().upgradedCount == 0)
    #expect(try Self.all(store) == expected)
    // It may drop tombstones that the first could not; then nothing is left to do.
    let files = try fileSystem.filesByName(in: "/s")
    try store.compact()
    #expect(try fileSystem.filesByName(in: "/s") == files)
    try store.close()
  }

  private static func isIndexable(_ type: FieldType) -> Bool {
    switch type.unwrapped {
    case .list, .dictionary, .object: false
    default: true
    }
  }

  private static func matches(
    _ store: Store, _ type: String, _ member: String, _ value: Value
  ) throws -> [[String: Value]] {
    let cursor = try store.snapshot().objects(
      ofType: type, where: member, selecting: .equal(to: value))
    var matches: [[String: Value]] = []
    while let object = try cursor.next() { matches.append(object.members) }
    return matches
  }

  @Test("H7: look-ups without an index give what filtering all upgraded objects gives")
  func lookUps() throws {
    var failures: [String] = []
    var found = 0
    for last in 0...Self.steps.count {
      let store = try Self.open(try Self.makeStore(), last)
      let type = store.schema.type(named: "Item") == nil ? "Thing" : "Item"
      let objects = try Self.all(store)
      for member in try #require(store.schema.type(named: type)).members
      where Self.isIndexable(member.type) {
        for value in Set(objects.compactMap { $0[member.name] }) {
          let expected = objects.filter { $0[member.name] == value }
          let matches = try Self.matches(store, type, member.name, value)
          found += matches.count
          if matches != expected { failures.append("\(last) \(member.name)") }
        }
      }
      try store.close()
    }
    #expect(failures == [])
    #expect(found > 1000)
  }

  @Test("R28, R29: records of a removed type stay as bytes, and never reappear")
  func removedTypes() throws {
    let fileSystem = try Self.makeStore()
    let store = try Self.open(fileSystem, Self.steps.count)
    _ = try store.compact()
    try store.close()
    let again = SchemaHistory(
      base: Self.base,
      versions: Self.steps + [Version(27) { Type("Draft", key: "id") { Field("id", .string) } }])
    let reopened = try Store.open(
      at: "/s", history: again, configuration: .quiet, fileSystem: fileSystem)
    #expect(try reopened.snapshot().object(ofType: "Draft", key: "d") == nil)
    try reopened.close()
  }

  @Test("R16: versions that do not touch a type hand out its stored bytes")
  func untouched() throws {
    let history = Self.history(through: 26)
    let draft = try #require(try history.shape(at: 0).type(named: "Draft"))
    let plan = try history.upgradePlan(
      for: draft.identity, from: 0, source: draft, to: 24, target: draft)
    #expect(plan.isIdentity)
    #expect(plan.operationIDs == [])
  }
}
