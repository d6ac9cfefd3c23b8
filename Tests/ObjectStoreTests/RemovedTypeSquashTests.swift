import FileIO
import LogStore
import ObjectStore
import Testing

/// Types that a version removed stay gone when that version is squashed away (R29).
@Suite struct RemovedTypeSquashTests {
  struct Gone: StorableObject {
    static let primaryKey = "id"
    var id: Int64 = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) { try visitor.member("id", &id) }
  }

  static let history = SchemaHistory {
    Base(0) {
      Type("Thing", key: "id") { Field("id", .int64) }
      Type("Gone", key: "id") { Field("id", .int64) }
    }
    Version(1) { RemoveType("Gone") }
    Version(2) { On("Thing") { Add("size", .optional(.int64)) } }
    Version(3) { On("Thing") { Add("more", .optional(.int64)) } }
  }

  private static func makeStore() throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    try SquashingTests.put(
      "Gone", 0..<5, fileSystem, SchemaHistory(base: history.base, versions: []))
    return fileSystem
  }

  @Test("R29, H15: they are in no schema, after one squashing and after two")
  func squashed() throws {
    let whole = try SquashingTests.open(Self.makeStore(), Self.history)
    #expect(whole.schema.types.map(\.name) == ["Thing"])
    try whole.close()
    let once = try Self.history.squashed(floor: 2)
    for history in [once, try once.squashed(floor: 3)] {
      let fileSystem = try Self.makeStore()
      var store = try SquashingTests.open(fileSystem, history)
      #expect(store.schema.types.map(\.name) == ["Thing"])
      try store.write { transaction in
        try transaction.put(transaction.makeObject(ofType: "Thing", ["id": 1]))
      }
      _ = try store.compact()
      try store.close()
      store = try SquashingTests.open(fileSystem, history)
      #expect(store.schema.types.map(\.name) == ["Thing"])
      #expect(try store.snapshot().object(ofType: "Thing", key: 1) != nil)
      try store.close()
    }
  }

  @Test("R29: a compaction drops their objects for good, and no others; others keep unknown types")
  func dropped() throws {
    // Squashed histories know no objects of other types from before their base.
    for (history, count) in [
      (Self.history, 3), (try Self.history.squashed(floor: 2), 0),
    ] as [(SchemaHistory, UInt64)] {
      let fileSystem = try Self.makeStore()
      try SquashingTests.put(
        "Thing", 0..<Int64(count), fileSystem,
        SchemaHistory(base: Self.history.base, versions: []))
      var store = try SquashingTests.open(fileSystem, history)
      #expect(try store.statistics().objectCount == 5 + count)
      let report = try store.compact()
      #expect(report.droppedCount == 5 && report.failures.isEmpty)
      #expect(try store.statistics().objectCount == count)
      #expect(try store.snapshot().count(ofType: "Thing") == count)
      #expect(try store.compact().droppedCount == 0)
      try store.close()
      store = try SquashingTests.open(fileSystem, history)
      #expect(try store.snapshot().count(ofType: "Thing") == count)
      try store.close()
    }
    // Who does not know that they were removed keeps them.
    let unaware = SchemaHistory {
      Base(1) { Type("Thing", key: "id") { Field("id", .int64) } }
      Version(2) {}
    }
    let store = try SquashingTests.open(Self.makeStore(), unaware)
    #expect(try store.compact().droppedCount == 0)
    #expect(try store.snapshot().count(ofType: "Gone") == 5)
    try store.close()
  }

  @Test("R29: a model of that name binds to none of their objects")
  func models() throws {
    for history in [Self.history, try Self.history.squashed(floor: 2)] {
      #expect(throws: StoreError.self) {
        try Store.open(
          at: "/store", models: [Gone.self], history: history,
          configuration: MigrationTests.configuration, fileSystem: Self.makeStore()
        ).close()
      }
    }
  }

  @Test("R28: types that no version ever had are read as before")
  func foreign() throws {
    let fileSystem = try Self.makeStore()
    let history = SchemaHistory {
      Base(1) { Type("Thing", key: "id") { Field("id", .int64) } }
      Version(2) {}
    }
    let store = try SquashingTests.open(fileSystem, try history.squashed(floor: 2))
    #expect(store.schema.types.map(\.name) == ["Thing", "Gone"])
    #expect(try store.snapshot().object(ofType: "Gone", key: 1) != nil)
    try store.close()
  }
}
