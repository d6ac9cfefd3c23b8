import FileIO
import ObjectStore
import StorageTestSupport
import Testing

/// A type whose members go through every kind of change.
private enum People {
  static let models: [any StorableObject.Type] = [V0.self, V1.self, V2.self, V3.self]

  struct V0: StorableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let indexes = [IndexDeclaration("age"), IndexDeclaration("tags")]
    var id = 0
    var age = 0
    var name = ""
    var tags: [String] = []
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("age", &age)
      try visitor.member("name", &name)
      try visitor.member("tags", &tags)
    }
  }

  /// A new index of an old member; age unchanged.
  struct V1: StorableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let indexes = [
      IndexDeclaration("age"), IndexDeclaration("name"), IndexDeclaration("tags"),
    ]
    var id = 0
    var age = 0
    var name = ""
    var tags: [String] = []
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("age", &age)
      try visitor.member("name", &name)
      try visitor.member("tags", &tags)
    }
  }

  /// Age becomes months, name is only renamed.
  struct V2: StorableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let indexes = [
      IndexDeclaration("age"), IndexDeclaration("title"), IndexDeclaration("tags"),
    ]
    var id = 0
    var age = 0
    var title = ""
    var tags: [String] = []
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("age", &age)
      try visitor.member("title", &title)
      try visitor.member("tags", &tags)
    }
  }

  /// A derived member with an index, whose step fails for some; some are dropped.
  struct V3: StorableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let indexes = [
      IndexDeclaration("age"), IndexDeclaration("initial"), IndexDeclaration("tags"),
    ]
    var id = 0
    var age = 0
    var title = ""
    var initial: String?
    var tags: [String] = []
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("age", &age)
      try visitor.member("title", &title)
      try visitor.member("initial", &initial)
      try visitor.member("tags", &tags)
    }
  }

  struct Refused: Error {}

  static func history(_ latest: SchemaVersion) -> SchemaHistory {
    let versions = [
      Version(1) { On("Person") { Add("note", .optional(.string)) } },
      Version(2) {
        On("Person") {
          Remove("note")
          Rename("name", to: "title")
          Convert("age", to: .int64) { (age: Int) in age * 12 }
          Convert("tags", to: .list(.string)) { (tags: [String]) in tags.map { $0 + $0 } }
        }
      },
      Version(3) {
        On("Person") {
          Derive("initial", .optional(.string), from: "title") {
            (title: String) throws -> String? in
            if title.hasPrefix("bad") { throw Refused() }
            return title.first.map(String.init)
          }
          Rewrite { old, _ in old["title"] == .string("drop") ? .drop : .keep }
        }
      },
    ]
    return SchemaHistory(
      base: Base(0) {
        Type("Person", key: "id") {
          Field("id", .int64)
          Field("age", .int64)
          Field("name", .string)
          Field("tags", .list(.string))
        }
      }, versions: versions.filter { $0.number <= latest })
  }
}

@Suite("Indexes and full scans agree at every moment of a migration (R37, H6)")
struct IndexMigrationTests {
  static let members: [[String]] = [
    ["age", "tags"], ["age", "tags"], ["age", "title", "tags"], ["age", "initial", "tags"],
  ]

  static func open(_ version: Int, _ fileSystem: any FileSystem) throws -> Store {
    let history = People.history(SchemaVersion(rawValue: UInt64(version)))
    // Version 1 of the model has no note: the history is asked for what it declares.
    let models: [any StorableObject.Type] =
      version == 1 ? [] : [People.models[version]]
    return try Store.open(
      at: "/store", models: models, history: history, configuration: .quiet, fileSystem: fileSystem)
  }

  /// What a walk over all objects gives: key and member by value, failing objects apart.
  static func scan(
    _ store: Store, _ member: String, _ wanted: (Value) -> Bool
  ) throws -> (keys: [Value], failures: Int) {
    let cursor = try store.snapshot().objects(ofType: "Person")
    var keys: [Value] = []
    var failures = 0
    while true {
      do {
        guard let object = try cursor.next() else { break }
        if let value = object[member], wanted(value) { keys.append(object.key) }
      } catch { failures += 1 }
    }
    return (keys, failures)
  }

  static func lookUp(
    _ store: Store, _ member: String, _ selection: MemberSelection
  ) throws -> (keys: [Value], failures: Int) {
    let cursor = try store.snapshot().objects(
      ofType: "Person", where: member, selecting: selection)
    var keys: [Value] = []
    var failures = 0
    while true {
      do {
        guard let object = try cursor.next() else { break }
        keys.append(object.key)
      } catch { failures += 1 }
    }
    return (keys, failures)
  }

  /// Every mismatch between index and scan.
  static func mismatches(_ store: Store, _ version: Int) throws -> [String] {
    var mismatches: [String] = []
    func integer(_ value: Value) -> Int64 { if case .int(let number) = value { number } else { 0 } }
    func order(_ keys: [Value]) -> [Int64] { keys.map(integer).sorted() }
    for member in members[version] {
      var selections: [(MemberSelection, (Value) -> Bool)] = []
      if member == "age" {
        for age in [0, 1, 12, 36] as [Int64] {
          selections.append((.equal(to: .int(age)), { $0 == .int(age) }))
          selections.append(
            (
              .between(.including(.int(age)), .excluding(.int(age + 5))),
              { (age..<age + 5).contains(integer($0)) }
            ))
        }
      } else if member == "tags" {
        for tag in ["x", "xx", "yy", ""] as [Value] {
          selections.append(
            (
              .containing(tag),
              { value in if case .list(let tags) = value { tags.contains(tag) } else { false } }
            ))
        }
      } else {
        for text in ["a", "ann", "bad", "drop", "d"] {
          selections.append((.equal(to: .string(text)), { $0 == .string(text) }))
        }
        selections.append((.equal(to: .null), { $0.isNull }))
      }
      for (selection, wanted) in selections {
        let expected = try scan(store, member, wanted)
        let found = try lookUp(store, member, selection)
        if order(expected.keys) != order(found.keys) || expected.failures != found.failures {
          mismatches.append("\(member) \(selection): \(found), expected \(expected)")
        }
      }
    }
    return mismatches
  }

  /// One random change of a store at `version`; throws what the store throws.
  static func change(
    _ store: Store, _ version: Int, using generator: inout SeededGenerator
  ) throws {
    let id = Int.random(in: 0..<40, using: &generator)
    let age = Int.random(in: 0..<4, using: &generator)
    let name = ["ann", "bob", "", "bad", "drop"].randomElement(using: &generator) ?? ""
    let deletes = Int.random(in: 0..<5, using: &generator) == 0
    try store.write { transaction in
      if deletes {
        try transaction.delete(ofType: "Person", key: .int(Int64(id)))
        return
      }
      var values: [String: Value] = ["id": .int(Int64(id)), "age": .int(Int64(age))]
      let tags = ["x", "xx", "yy", "", "z"].filter { _ in Bool.random(using: &generator) }
      values["tags"] = .list(tags.map { .string($0) } + (tags.count > 3 ? ["x"] : []))
      values[version < 2 ? "name" : "title"] = .string(name)
      if version == 3 { values["initial"] = name.first.map { .string(String($0)) } ?? .null }
      try transaction.put(transaction.makeObject(ofType: "Person", values))
    }
  }

  @Test(
    "Random changes, schema changes, compactions and builds: the index answers as the scan does",
    arguments: 1...8 as ClosedRange<UInt64>)
  func randomRuns(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let fileSystem = InMemoryFileSystem()
    var version = 0
    var store = try Self.open(version, fileSystem)
    var problems: [String] = []
    for step in 0..<60 where problems.isEmpty {
      switch Int.random(in: 0..<30, using: &generator) {
      case 0:
        try store.close()
        if version < 3 { version += 1 }
        store = try Self.open(version, fileSystem)
      case 1: try store.buildIndexes()
      case 2:
        // Interrupted: it goes on, or starts again, at another time.
        try store.buildIndexes { _ in false }
      case 3: try store.compact()
      default: try Self.change(store, version, using: &generator)
      }
      problems = try Self.mismatches(store, version).map { "seed \(seed) step \(step): \($0)" }
    }
    #expect(problems.isEmpty, "\(problems.first ?? "")")
    try store.close()
  }

  @Test("A change of what a member holds makes its index incomplete, a rename does not (H6)")
  func states() throws {
    let fileSystem = InMemoryFileSystem()
    var store = try Self.open(0, fileSystem)
    try store.write { transaction in
      for id in 0..<20 {
        try transaction.put(
          People.V0(id: id, age: id % 4, name: id % 2 == 0 ? "ann" : "bob", tags: ["x", "z"]))
      }
    }
    #expect(store.incompleteIndexes == [])
    try store.close()
    store = try Self.open(2, fileSystem)
    #expect(store.incompleteIndexes == ["Person.age", "Person.tags", "Person.title"])
    let before = try store.statistics().log.lastSequence
    #expect(try Self.mismatches(store, 2).isEmpty)
    #expect(try store.statistics().log.lastSequence == before, "looking up writes nothing")
    let report = try store.buildIndexes()
    #expect(report.objectCount == 20)
    #expect(report.removedCount == 60, "the keys of the old indexes of ages and tags")
    #expect(store.incompleteIndexes == [])
    #expect(try Self.mismatches(store, 2).isEmpty)
    #expect(try store.statistics().types.map(\.type) == ["Person"])
    try store.close()
    store = try Self.open(2, fileSystem)
    #expect(store.incompleteIndexes == [])
    try store.close()
    store = try Self.open(3, fileSystem)
    // A Rewrite may do anything.
    #expect(store.incompleteIndexes == ["Person.age", "Person.initial", "Person.tags"])
    try store.close()
  }
}
