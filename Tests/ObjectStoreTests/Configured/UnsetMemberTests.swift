import FileIO
import StorageTestSupport
import Testing

@testable import ObjectStore

@Suite("What only code can carry over must be set by a block")
struct UnsetMemberTests {
  typealias Timing = Store.Configuration.MigrationTiming

  struct Typed: StorableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var firstName = ""
    var lastName = ""
    var age = "unknown"
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("firstName", &firstName)
      try visitor.member("lastName", &lastName)
      try visitor.member("age", &age)
    }
  }

  static func fill() throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    let store = try MigrationOnceTests.open(fileSystem, [SeedModels.Names.self], 0)
    try store.write { transaction in
      for id in 0..<70 {
        try transaction.put(SeedModels.Names(id: id, firstName: "f", lastName: "l", age: id))
      }
    }
    try store.close()
    return fileSystem
  }

  /// Opens, reads all, and gives the first error, or nothing.
  static func failure(
    _ timing: Timing, _ block: @escaping Store.Configuration.MigrationClosure
  ) throws -> String? {
    let fileSystem = try fill()
    var text: String?
    do {
      let store = try MigrationOnceTests.open(fileSystem, [Typed.self], 1, timing, block)
      defer { try? store.close() }
      for id in 0..<70 { _ = try store.snapshot().get(Typed.self, id) }
    } catch { text = "\(error)" }
    guard text != nil else { return nil }
    // What failed is as it was.
    let store = try MigrationOnceTests.open(fileSystem, [SeedModels.Names.self], 0)
    #expect(try ChangedKeyTests.all(store, SeedModels.Names.self).map(\.age) == Array(0..<70))
    try store.close()
    return text
  }

  @Test(
    "R19: a member of another type that the block leaves out fails the object, and is named",
    arguments: SeedExampleTests.timings)
  func leftOut(timing: Timing) throws {
    let text = try #require(
      try Self.failure(timing) { migration, _ in
        migration.enumerateObjects(ofType: "Person") { old, new in
          new?["firstName"] = "x"
          if old?["age"] as? Int != 66 { new?["age"] = "a" }
        }
      })
    #expect(text.contains("Person.age is string now, and int64 in objects of version 0"))
    #expect(text.contains("Person 66"))
  }

  @Test(
    "R19: several calls of enumerateObjects set it together",
    arguments: SeedExampleTests.timings, [true, false])
  func together(timing: Timing, isWhole: Bool) throws {
    let text = try Self.failure(timing) { migration, _ in
      migration.enumerateObjects(ofType: "Person") { old, new in
        if (old?["age"] as? Int ?? 0) < 65 { new?["age"] = "young" }
      }
      migration.enumerateObjects(ofType: "Person") { old, new in
        if (old?["age"] as? Int ?? 0) >= (isWhole ? 65 : 66) { new?["age"] = "old" }
      }
    }
    #expect(isWhole ? text == nil : text?.contains("Person 65") == true)
  }

  @Test("R19: what a block at open deletes, or makes under the same key, need not be set")
  func deletedOrMade() throws {
    #expect(
      try Self.failure(.atOpen) { migration, _ in
        migration.enumerateObjects(ofType: "Person") { old, new in
          guard let new else { return }
          guard old?["age"] as? Int != 3 else {
            migration.delete(new)
            migration.create("Person", value: ["id": 3])
            return
          }
          if old?["age"] as? Int == 5 { return migration.delete(new) }
          new["age"] = "a"
        }
      } == nil)
    #expect(
      try Self.failure(.atOpen) { migration, _ in
        migration.enumerateObjects(ofType: "Person") { _, _ in }
        migration.deleteData(forType: "Person")
        for id in 0..<9 { migration.create("Person", value: ["id": id]) }
      } == nil)
  }

  @Test("R19, R36: at open, objects of each older version lack what the code for theirs leaves out")
  func severalVersions() throws {
    /// Opens with code that sets the member in objects of these versions alone.
    func open(
      setting versions: Set<UInt64>, emptying emptied: Set<UInt64> = []
    ) throws -> [String] {
      let fileSystem = SimulatedFileSystem()
      try MigrationOnceTests.fill(fileSystem)
      let store = try MigrationOnceTests.open(fileSystem, [Typed.self], 2, .atOpen) {
        migration, version in
        migration.enumerateObjects(ofType: "Person") { _, new in
          if versions.contains(version) { new?["age"] = "from \(version)" }
        }
        guard emptied.contains(version) else { return }
        migration.deleteData(forType: "Person")
        migration.create("Person", value: ["id": 5, "age": "new"])
      }
      defer { try? store.close() }
      return try ChangedKeyTests.all(store, Typed.self).map(\.age)
    }
    #expect(try open(setting: [0, 1]) == ["from 0", "from 0", "from 1", "from 1"])
    for (version, missing) in [(0, "Person 5"), (1, "Person 0")] as [(UInt64, String)] {
      #expect {
        _ = try open(setting: [version])
      } throws: { "\($0)".contains("\(missing): Person.age is string now") }
    }
    #expect(try open(setting: [], emptying: [0, 1]) == ["new"])
    // Objects of a version for which it says nothing stay, and must be set.
    #expect {
      _ = try open(setting: [], emptying: [0])
    } throws: { "\($0)".contains("Person 5: Person.age is string now") }
    #expect(try open(setting: [1], emptying: [0]) == ["from 1", "from 1"])
  }

  @Test(
    "R19, H9: what an earlier version made another type must be set in objects from before it, too")
  func retypedBefore() throws {
    let fileSystem = try Self.fill()
    let setting: Store.Configuration.MigrationClosure = { migration, version in
      guard version < 1 else { return }
      migration.enumerateObjects(ofType: "Person") { old, new in
        new?["age"] = "\(old?["age"] ?? "")"
      }
    }
    var store = try MigrationOnceTests.open(fileSystem, [Typed.self], 1, .onRead, setting)
    try store.write { try $0.put(Typed(id: 100)) }
    try store.close()
    #expect(
      throws: StoreError.migrationNeeded(
        type: "Person", member: "age", from: .int64, to: .string, version: 0)
    ) { try MigrationOnceTests.open(fileSystem, [Typed.self], 2, .onRead).close() }
    store = try MigrationOnceTests.open(fileSystem, [Typed.self], 2, .onRead) { migration, _ in
      migration.enumerateObjects(ofType: "Person") { _, new in new?["firstName"] = "x" }
    }
    #expect {
      _ = try store.snapshot().get(Typed.self, 9)
    } throws: { "\($0)".contains("Person.age is string now, and int64 in objects of version 0") }
    #expect(try store.snapshot().get(Typed.self, 100)?.firstName == "x")
    try store.close()
    store = try MigrationOnceTests.open(fileSystem, [Typed.self], 2, .onRead, setting)
    #expect(try store.snapshot().get(Typed.self, 9)?.age == "9")
    try store.close()
  }

  @Test(
    "R19, R24: a rename to another type must be set, too", arguments: SeedExampleTests.timings)
  func renamed(timing: Timing) throws {
    for isSet in [true, false] {
      let fileSystem = try Self.fill()
      var text: String?
      do {
        let store = try MigrationOnceTests.open(fileSystem, [Years.self], 1, timing) {
          migration, _ in
          migration.renameProperty(onType: "Person", from: "age", to: "years")
          migration.enumerateObjects(ofType: "Person") { old, new in
            if isSet { new?["years"] = "\(old?["years"] ?? "")" }
          }
        }
        defer { try? store.close() }
        #expect(try store.snapshot().get(Years.self, 7)?.years == "7")
      } catch { text = "\(error)" }
      #expect(
        isSet ? text == nil : text?.contains("Person.years is string now, and int64") == true)
    }
  }

  struct Years: StorableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var years = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("years", &years)
    }
  }

  @Test(
    "R26: what was optional and is required now keeps its values without being set",
    arguments: SeedExampleTests.timings)
  func required(timing: Timing) throws {
    struct Optional: StorableObject {
      static let typeName = "Item"
      static let primaryKey = "id"
      var id = 0
      var rank: Int?
      mutating func visitMembers<Visitor: MemberVisitor>(
        _ visitor: inout Visitor
      ) throws(StoreError) {
        try visitor.member("id", &id)
        try visitor.member("rank", &rank)
      }
    }
    struct Required: StorableObject {
      static let typeName = "Item"
      static let primaryKey = "id"
      var id = 0
      var rank = 3
      mutating func visitMembers<Visitor: MemberVisitor>(
        _ visitor: inout Visitor
      ) throws(StoreError) {
        try visitor.member("id", &id)
        try visitor.member("rank", &rank)
      }
    }
    let fileSystem = InMemoryFileSystem()
    var store = try MigrationOnceTests.open(fileSystem, [Optional.self], 0)
    try store.write {
      try $0.put(Optional(id: 1))
      try $0.put(Optional(id: 2, rank: 9))
    }
    try store.close()
    store = try MigrationOnceTests.open(fileSystem, [Required.self], 1, timing) { migration, _ in
      migration.enumerateObjects(ofType: "Item") { _, _ in }
    }
    #expect(try ChangedKeyTests.all(store, Required.self).map(\.rank) == [3, 9])
    try store.close()
  }
}
