import FileIO
import Testing

@testable import ObjectStore

/// Objects whose upgrade fails because of one member are known by their others.
@Suite("Objects whose upgrade fails are looked up by what is known of them")
struct FailingObjectLookupTests {
  /// The model of version 1.
  struct OldPerson: StorableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    static let indexes = Person.indexes
    var id = 0
    var name = ""
    var zip = ""
    var tags: [String] = []
    var rank = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("name", &name)
      try visitor.member("zip", &zip)
      try visitor.member("tags", &tags)
      try visitor.member("rank", &rank)
    }
  }

  struct Person: StorableObject {
    static let primaryKey = "id"
    static let indexes: [IndexDeclaration] = ["name", "tags", "rank"].map { IndexDeclaration($0) }
    var id = 0
    var name = ""
    var zip = 0
    var tags: [String] = []
    var rank = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("name", &name)
      try visitor.member("zip", &zip)
      try visitor.member("tags", &tags)
      try visitor.member("rank", &rank)
    }
  }

  /// The same without an index.
  struct PlainPerson: StorableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var name = ""
    var zip = 0
    var tags: [String] = []
    var rank = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("name", &name)
      try visitor.member("zip", &zip)
      try visitor.member("tags", &tags)
      try visitor.member("rank", &rank)
    }
  }

  /// How version 1 gives older objects a rank.
  enum Rank: CaseIterable { case added, rewritten }

  struct NoNumber: Error {}

  static func history(_ rank: Rank, through version: UInt64) -> SchemaHistory {
    let base = Base(0) {
      Type("Person", key: "id") {
        Field("id", .int64)
        Field("name", .string)
        Field("zip", .string)
        Field("tags", .list(.string))
      }
    }
    let versions = [
      Version(1) {
        On("Person") {
          Add("rank", .int64, default: 7)
          if rank == .rewritten {
            Rewrite { old, new in
              let name: String = try old.value("name")
              new["rank"] = name == "n0" ? 7 : 8
              return .keep
            }
          }
        }
      },
      Version(2) {
        On("Person") {
          Convert("zip", to: .int64) { (zip: String) throws -> Int in
            guard let number = Int(zip) else { throw NoNumber() }
            return number
          }
        }
      },
    ]
    return SchemaHistory(base: base, versions: versions.filter { $0.number.rawValue <= version })
  }

  static func open(
    _ fileSystem: InMemoryFileSystem, _ models: [any StorableObject.Type], _ version: UInt64 = 2,
    _ rank: Rank = .added, _ policy: FailurePolicy = .thrown
  ) throws -> Store {
    var configuration = StoreConfiguration.quiet
    configuration.failurePolicies["Person"] = policy
    return try Store.open(
      at: "/s", models: models, history: history(rank, through: version),
      configuration: configuration, fileSystem: fileSystem)
  }

  static func put(_ store: Store, _ ids: Range<Int>) throws {
    try store.write { transaction in
      for id in ids {
        let zip = [3, 4, 13].contains(id) ? "bad" : "\(id)"
        var values: [String: Value] = [
          "id": .int(Int64(id)), "name": .string("n\(id % 2)"), "zip": .string(zip),
          "tags": .list([.string("t\(id % 3)"), "all"]),
        ]
        if id >= 10 { values["rank"] = .int(Int64(id)) }
        try transaction.put(transaction.makeObject(ofType: "Person", values))
      }
    }
  }

  /// Objects 0 to 9 of version 0, 10 to 14 of version 1, and indexes that were completed under
  /// that. The step of version 2 fails for 3, 4 and 13.
  static func makeStore(_ rank: Rank = .added) throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    var store = try open(fileSystem, [], 0, rank)
    try put(store, 0..<10)
    try store.close()
    store = try open(fileSystem, [OldPerson.self], 1, rank)
    try put(store, 10..<15)
    try store.buildIndexes()
    try store.close()
    return fileSystem
  }

  static let selections: [(member: String, values: MemberSelection)] = [
    ("name", .equal(to: "n0")), ("name", .equal(to: "n1")), ("name", .equal(to: "fb")),
    ("name", .equal(to: "zz")), ("name", .between()), ("name", .prefix("n")),
    ("tags", .containing("t0")), ("tags", .containing("t1")), ("tags", .containing("all")),
    ("tags", .containing("none")), ("rank", .equal(to: 7)), ("rank", .equal(to: 8)),
    ("rank", .equal(to: 13)), ("rank", .between(.including(8))), ("rank", .equal(to: 99)),
  ]

  /// What is found, in pages of four objects, with the errors in their places.
  static func found(
    _ store: Store, _ member: String, _ values: MemberSelection, _ order: KeyOrder
  ) throws -> [[String]] {
    func texts<Model: StorableObject>(
      _ model: Model.Type, _ text: (Model) -> String
    ) throws -> [[String]] {
      var pages: [[String]] = []
      var last: Model?
      repeat {
        let cursor = try store.snapshot().objects(
          model, where: member, selecting: values, order: order)
        if let last { try cursor.start(after: last) }
        last = nil
        var page: [String] = []
        var count = 0
        while count < 4 {
          do {
            guard let next = try cursor.next() else { break }
            page.append(text(next))
            last = next
            count += 1
          } catch { page.append("\(error)") }
        }
        if count < 4 { last = nil }
        pages.append(page)
      } while last != nil
      let counted = try store.snapshot().objects(
        model, where: member, selecting: values, order: order)
      pages.append(["\(Result { try counted.count() })"])
      return pages
    }
    if store.reader.schema.indexes.declared.isEmpty {
      return try texts(PlainPerson.self) { "\($0.id) \($0.name) \($0.zip)" }
    }
    return try texts(Person.self) { "\($0.id) \($0.name) \($0.zip)" }
  }

  static let policies: [FailurePolicy] = [
    .thrown, .skipped, .fallback { _ in ["name": "fb", "zip": -1, "tags": .list([]), "rank": 99] },
    .fallback { $0.members.merging(["zip": -1, "rank": 7]) { $1 } }, .fallback { _ in nil },
  ]

  @Test(
    "R37: an index from before the failing step and a walk over all objects find the same",
    arguments: Rank.allCases, 0..<policies.count)
  func sameWithoutIndex(rank: Rank, policy: Int) throws {
    let fileSystem = try Self.makeStore(rank)
    let plain = try Self.open(fileSystem, [PlainPerson.self], 2, rank, Self.policies[policy])
    var expected: [[[String]]] = []
    for (member, values) in Self.selections {
      for order in [KeyOrder.ascending, .descending] {
        expected.append(try Self.found(plain, member, values, order))
      }
    }
    try plain.close()
    let store = try Self.open(fileSystem, [Person.self], 2, rank, Self.policies[policy])
    #expect(store.incompleteIndexes == [])
    for _ in 0..<2 {
      var rest = expected[...]
      for (member, values) in Self.selections {
        for order in [KeyOrder.ascending, .descending] {
          #expect(
            try Self.found(store, member, values, order) == rest.popFirst(), "\(member) \(values)")
        }
      }
      // Also once the index says that it does not know some of them.
      try store.write { transaction in
        try transaction.describeSchema()
        try transaction.describe { (catalog) throws(StoreError) in
          for position in catalog.indexes.indices { catalog.indexes[position].phase = .building }
        }
      }
      try store.buildIndexes()
    }
    try store.close()
  }

  @Test(
    "R19, R37: an error is told where the value that is known is looked up",
    arguments: [true, false])
  func told(isIndexed: Bool) throws {
    let fileSystem = try Self.makeStore()
    let store = try Self.open(fileSystem, [isIndexed ? Person.self : PlainPerson.self])
    func errors(_ member: String, _ values: MemberSelection) throws -> Int {
      let cursor = try store.snapshot().objects(
        ofType: "Person", where: member, selecting: values)
      var count = 0
      while true {
        do {
          guard try cursor.next() != nil else { return count }
        } catch { count += 1 }
      }
    }
    #expect(try errors("name", .equal(to: "n0")) == 1)
    #expect(try errors("name", .equal(to: "n1")) == 2)
    #expect(try errors("name", .equal(to: "zz")) == 0)
    #expect(try errors("tags", .containing("all")) == 3)
    #expect(try errors("rank", .equal(to: 7)) == 2)
    #expect(try errors("rank", .equal(to: 13)) == 1)
    // What the failing step would have given nobody knows.
    #expect(try errors("zip", .equal(to: 1)) == 3)
    try store.close()
  }

  @Test("R37: a key of an index that an object has no more tells nothing of it once it fails")
  func staleKeys() throws {
    let fileSystem = try Self.makeStore()
    let store = try Self.open(fileSystem, [Person.self])
    let index = try #require(
      store.reader.catalog.indexes.first { $0.member.originalName == "name" })
    let entry = IndexedValueCoding.encode("old") + (try KeyCoding.encode(3, as: .int64))
    try store.write { transaction in
      try transaction.transaction.put(entry, in: index.collection, schemaVersion: 0, payload: [])
    }
    let cursor = try store.snapshot().objects(Person.self, where: "name", equals: "old")
    #expect(try cursor.next() == nil)
    try store.close()
  }

  /// The keys that are left when objects with a value of a member were deleted.
  static func left(
    _ policy: FailurePolicy, _ model: any StorableObject.Type, _ member: String, _ value: Value
  ) throws -> (deleted: Int, failing: [Int]) {
    let fileSystem = try makeStore()
    let store = try open(fileSystem, [model], 2, .added, policy)
    let deleted = try store.write { transaction in
      model is Person.Type
        ? try transaction.delete(Person.self, where: member, selecting: .equal(to: value))
        : try transaction.delete(PlainPerson.self, where: member, selecting: .equal(to: value))
    }
    let shape = try store.reader.schema.type("Person")
    let collection = try #require(store.reader.collection(of: shape))
    let failing = try [3, 4, 13].filter { id in
      let key = try KeyCoding.encode(.int(Int64(id)), as: .int64)
      return try store.log.snapshot().record(for: key, in: collection) != nil
    }
    try store.close()
    return (deleted, failing)
  }

  @Test(
    "R19: a deletion takes no value for stored that a policy made up", arguments: [true, false])
  func deletions(isIndexed: Bool) throws {
    let model: any StorableObject.Type = isIndexed ? Person.self : PlainPerson.self
    let madeUp = FailurePolicy.fallback { failed in
      ["name": "fb", "zip": 5, "tags": .list([]), "rank": 7]
    }
    // Beside object 5, which has that zip code.
    #expect(try Self.left(madeUp, model, "zip", 5) == (1, [3, 4, 13]))
    #expect(try Self.left(madeUp, model, "name", "fb") == (0, [3, 4, 13]))
    #expect(try Self.left(.skipped, model, "name", "n1") == (5, [3, 4, 13]))
    // What is stored is known, and the same is shown.
    let merged = FailurePolicy.fallback { $0.members.merging(["zip": 5, "rank": 7]) { $1 } }
    #expect(try Self.left(merged, model, "name", "n1") == (7, [4]))
    #expect(try Self.left(merged, model, "zip", 5) == (1, [3, 4, 13]))
    #expect(throws: StoreError.self) { try Self.left(.thrown, model, "name", "n1") }
    #expect(throws: StoreError.self) { try Self.left(.thrown, model, "zip", 5) }
    #expect(try Self.left(.thrown, model, "name", "zz") == (0, [3, 4, 13]))
  }
}
