import FileIO
import LogStore
import ObjectStore
import StorageTestSupport
import Testing

/// Rules of histories on a real store that no other suite names.
@Suite struct RuleTests {
  static let base = Base(0) {
    Type("Person", key: "id") {
      Field("id", .int64)
      Field("name", .string)
      Field("age", .int32)
    }
  }

  static func makeStore(_ history: SchemaHistory) throws -> SimulatedFileSystem {
    let fileSystem = SimulatedFileSystem()
    let store = try Store.open(
      at: "/s", history: history, configuration: .quiet, fileSystem: fileSystem)
    try store.write { transaction in
      for id in 0..<30 as Range<Int64> {
        try transaction.put(
          transaction.makeObject(
            ofType: "Person", ["id": .int(id), "name": .string("n\(id)"), "age": 1]))
      }
    }
    try store.close()
    return fileSystem
  }

  @Test("R5: the same version with another shape: every difference, and the files stay as they are")
  func sameVersionAnotherShape() throws {
    let fileSystem = try Self.makeStore(SchemaHistory { Self.base })
    let files = fileSystem.snapshotOfFiles(in: "/s")
    let other = SchemaHistory {
      Base(0) {
        Type("Person", key: "name") {
          Field("id", .int64)
          Field("name", .string)
          Field("age", .optional(.int64))
          Field("mail", .string)
        }
      }
    }
    let expected = SchemaError.schemaMismatch(
      version: 0,
      differences: [
        .keyChanged(type: "Person", from: "id", to: "name"),
        .madeOptional(type: "Person", member: "age"),
        .memberTypeChanged(type: "Person", member: "age", from: .int32, to: .int64),
        .memberAdded(type: "Person", member: "mail", holds: .string),
      ])
    #expect(throws: StoreError.schema(expected)) {
      try Store.open(at: "/s", history: other, configuration: .quiet, fileSystem: fileSystem)
    }
    #expect(fileSystem.snapshotOfFiles(in: "/s") == files)
  }

  @Test("H10: a member that was removed and comes back starts from its default, from every version")
  func reintroduced() throws {
    let history = SchemaHistory {
      Self.base
      Version(1) { On("Person") { Remove("age") } }
      Version(2) { On("Person") { Add("age", .optional(.int32)) } }
    }
    let store = try Store.open(
      at: "/s", history: history,
      configuration: .quiet, fileSystem: try Self.makeStore(SchemaHistory { Self.base }))
    #expect(try store.snapshot().object(ofType: "Person", key: 3)?["age"] == .null)
    _ = try store.compact()
    #expect(try store.snapshot().object(ofType: "Person", key: 3)?["age"] == .null)
    try store.close()
  }

  @Test("R41: shapes stay in the catalog when no record needs them, and for snapshots that do")
  func shapesStay() throws {
    let history = SchemaHistory {
      Self.base
      Version(1) { On("Person") { Rename("name", to: "fullName") } }
    }
    let fileSystem = try Self.makeStore(SchemaHistory { Self.base })
    let store = try Store.open(
      at: "/s", history: history, configuration: .quiet, fileSystem: fileSystem)
    let old = store.snapshot()
    try store.migrate()
    #expect(try store.statistics().oldestVersion == 1)
    #expect(store.storedSchemas.keys.sorted() == [0, 1])
    #expect(try old.object(ofType: "Person", key: 7)?["fullName"] == "n7")
    try store.close()
    #expect(try Store.info(at: "/s", fileSystem: fileSystem).schemas.keys.sorted() == [0, 1])
  }

  @Test("H8: the result depends on record and history, not on segments, order or time")
  func independence() throws {
    let history = SchemaHistory {
      Self.base
      Version(1) {
        On("Person") {
          Add("token", .uuid, default: .uuid(UniqueIdentifier(high: 0, low: 0)))
          Rewrite { _, new, context in
            new["token"] = .uuid(context.stableUUID("token"))
            return .keep
          }
        }
      }
    }
    var results: [[Value?]] = []
    for (size, seconds) in [(UInt64(1) << 10, UInt64(0)), (1 << 20, 5_000_000)] {
      var configuration = StoreConfiguration.quiet
      configuration.log.maintenance = .inline
      configuration.log.segmentByteCountMinimum = size
      configuration.log.segmentByteCountMaximum = size
      let time = ManualTimeSource(secondsSince1970: 1_800_000_000 + seconds)
      configuration.log.timeSource = time
      let fileSystem = try Self.makeStore(SchemaHistory { Self.base })
      let store = try Store.open(
        at: "/s", history: history, configuration: configuration, fileSystem: fileSystem)
      if size > 1 << 10 { try store.migrate() }
      results.append(
        try (0..<30 as Range<Int64>).map {
          try store.snapshot().object(ofType: "Person", key: .int($0))?["token"]
        })
      try store.close()
    }
    #expect(results[0] == results[1])
    #expect(Set(results[0].compactMap { $0 }).count == 30)
  }
}
