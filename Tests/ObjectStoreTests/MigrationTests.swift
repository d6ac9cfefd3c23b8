import FileIO
import LogStore
import ObjectStore
import StorageTestSupport
import Testing

/// Migration on demand, trying it first, and what can be said of a store from outside.
@Suite struct MigrationTests {
  static let base = Base(0) {
    Type("Reading", key: "id") {
      Field("id", .int64)
      Field("text", .string)
    }
  }
  static let original = SchemaHistory { base }
  static let latest = SchemaHistory {
    base
    Version(1) { On("Reading") { Add("unit", .string, default: "m") } }
    Version(2) {
      On("Reading") {
        DropRecords(where: .member("text").isEqual(to: "gone"))
        Convert("text", to: .int64, .member("text").parseInteger)
      }
    }
  }

  static let configuration: StoreConfiguration = {
    var configuration = StoreConfiguration.quiet
    configuration.log.maintenance = .inline
    configuration.log.segmentByteCountMinimum = 4 << 10
    configuration.log.segmentByteCountMaximum = 4 << 10
    return configuration
  }()

  static func makeStore(broken: Set<Int> = [], gone: Set<Int> = []) throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    let store = try open(fileSystem, original)
    for start in stride(from: 0, to: 1000, by: 50) {
      try store.write { transaction in
        for id in start..<(start + 50) {
          let text = broken.contains(id) ? "broken" : gone.contains(id) ? "gone" : "\(id * 2)"
          try transaction.put(
            transaction.makeObject(
              ofType: "Reading", ["id": .int(Int64(id)), "text": .string(text)]))
        }
      }
    }
    try store.close()
    return fileSystem
  }

  static func open(
    _ fileSystem: any FileSystem, _ history: SchemaHistory,
    _ configuration: StoreConfiguration = configuration
  ) throws -> Store {
    try Store.open(
      at: "/store", history: history, configuration: configuration, fileSystem: fileSystem)
  }

  static func all(_ store: Store) throws -> [DynamicObject] {
    let cursor = try store.snapshot().objects(ofType: "Reading")
    var found: [DynamicObject] = []
    while let object = try cursor.next() { found.append(object) }
    return found
  }

  @Test("R39, R40: a migration in small budgets resumes, ends, and raises the floor")
  func budgets() throws {
    let fileSystem = try Self.makeStore(gone: [3])
    let store = try Self.open(fileSystem, Self.latest)
    let before = try Self.all(store)
    #expect(before.count == 999)
    #expect(try Store.info(at: "/store", fileSystem: fileSystem).floor == 0)
    var calls = 0
    var upgraded: UInt64 = 0
    var dropped: UInt64 = 0
    while true {
      let report = try store.migrate(MigrationBudget(recordCountMaximum: 100))
      calls += 1
      upgraded += report.upgradedCount
      dropped += report.droppedCount
      #expect(try Self.all(store) == before)
      if report.isFinished { break }
      try #require(report.upgradedCount > 0, "a call must make progress")
    }
    #expect(calls > 3)
    #expect(upgraded == 999)
    #expect(dropped == 1)
    #expect(try store.migrate().upgradedCount == 0)
    try store.close()
    let summary = try Store.info(at: "/store", fileSystem: fileSystem)
    #expect(summary.floor == 2)
    #expect(summary.version == 2)
    #expect(summary.statistics.types.map(\.totals.recordCount) == [999])
    #expect(summary.ledger.keys.sorted() == [1, 2])
    let squashed = try Self.open(fileSystem, try Self.latest.squashed(floor: 2))
    #expect(try Self.all(squashed) == before)
    try squashed.close()
  }

  @Test("R6: a store that is older than a squashed history is refused, with the count")
  func squashedTooEarly() throws {
    let fileSystem = try Self.makeStore()
    let squashed = try Self.latest.squashed(floor: 1)
    let missing = SchemaError.chainIncomplete(
      missing: 1, oldestStored: 0, requested: 2, recordCount: 1000)
    #expect(throws: StoreError.schema(missing)) { try Self.open(fileSystem, squashed) }
  }

  @Test("Progress is a sequence; letting it go ends the work, and what was done stays")
  func sequence() async throws {
    let fileSystem = try Self.makeStore()
    let store = try Self.open(fileSystem, Self.latest)
    var last: MigrationProgress?
    for try await progress in store.migration() { last = progress }
    #expect(last?.fraction == 1)
    #expect(try store.statistics().types.map(\.version) == [2])
    #expect(try Self.all(store).count == 1000)
    try store.close()
  }

  @Test("R19: a migration lists what fails, keeps its bytes, and goes on")
  func failures() throws {
    let fileSystem = try Self.makeStore(broken: [7, 500])
    let store = try Self.open(fileSystem, Self.latest)
    let report = try store.migrate()
    #expect(report.upgradedCount == 998)
    #expect(report.failedCount == 2)
    #expect(try store.statistics().oldestVersion == 0)
    try store.close()
  }

  @Test("R19: a trial lists what would fail or be dropped, and changes nothing")
  func validation() throws {
    let fileSystem = try Self.makeStore(broken: [7, 500], gone: [20])
    let store = try Self.open(fileSystem, Self.latest)
    let before = try fileSystem.filesByName(in: "/store")
    let report = try store.validate()
    #expect(report.checkedCount == 1000)
    #expect(report.upgradedCount == 997)
    #expect(report.droppedCount == 1)
    #expect(report.failures.map(\.keyText) == ["7", "500"])
    #expect(report.failures.map(\.version) == [0, 0])
    #expect("\(report.failures[0].error)".contains("v2/Reading/2"))
    #expect(try store.validate(sample: 10).checkedCount == 100)
    #expect(try fileSystem.filesByName(in: "/store") == before)
    #expect(try store.statistics().types.map(\.version) == [0])
    try store.close()
  }

  @Test("R14, H2: a trial finds closures that are not pure, and builds for debugging do, too")
  func impurity() throws {
    let counter = Lock(0)
    let history = SchemaHistory {
      Self.base
      Version(1) {
        On("Reading") {
          Derive("number", from: "id") { (_: Int) in
            counter.withLock { count in
              count += 1
              return count
            }
          }
        }
      }
    }
    var configuration = Self.configuration
    configuration.checksPurity = false
    let store = try Self.open(try Self.makeStore(), history, configuration)
    #expect(try Self.all(store).count == 1000)
    #expect(try store.validate(sample: 100).failedCount == 10)
    try store.close()
    #if DEBUG
      #expect(StoreConfiguration().checksPurity)
    #endif
  }

  @Test("R19: a policy for a type that there is not is refused in builds for debugging")
  func unknownPolicy() throws {
    let fileSystem = try Self.makeStore(broken: [7])
    var configuration = Self.configuration
    configuration.failurePolicies["Readings"] = .skipped
    configuration.checksPurity = true
    do {
      _ = try Self.open(fileSystem, Self.latest, configuration)
      Issue.record("it was opened")
    } catch StoreError.conflictingSettings(let reason) {
      #expect(reason.hasPrefix("failurePolicies names Readings, "), "\(reason)")
      #expect(reason.hasSuffix(": Reading"), "\(reason)")
    }
    configuration.checksPurity = false
    try Self.open(fileSystem, Self.latest, configuration).close()
  }

  @Test("R19: walks skip and count, or a fallback mends, as the type's policy says")
  func policies() throws {
    let fileSystem = try Self.makeStore(broken: [7, 500])
    var configuration = Self.configuration
    configuration.failurePolicies["Reading"] = .skipped
    var store = try Self.open(fileSystem, Self.latest, configuration)
    let cursor = try store.snapshot().objects(ofType: "Reading")
    var count = 0
    while try cursor.next() != nil { count += 1 }
    #expect(count == 998)
    #expect(cursor.skippedCount == 2)
    #expect(throws: StoreError.self) {
      try store.snapshot().object(ofType: "Reading", key: 7)
    }
    try store.close()

    configuration.failurePolicies["Reading"] = .fallback { failed in
      guard failed.version == 0, failed.members["id"] == 7 else { return nil }
      return ["text": -1, "unit": failed.members["text"] ?? .null]
    }
    store = try Self.open(fileSystem, Self.latest, configuration)
    let mended = try store.snapshot().object(ofType: "Reading", key: 7)
    #expect(mended?["text"] == -1)
    #expect(mended?["unit"] == "broken")
    #expect(throws: StoreError.self) {
      try store.snapshot().object(ofType: "Reading", key: 500)
    }
    #expect(try store.compact().failedCount == 2, "what is mended for readers stays as it is")
    try store.close()
  }

  @Test("R17, H12: reads write nothing, however many records they upgrade")
  func readsWriteNothing() throws {
    let fileSystem = SimulatedFileSystem()
    var store = try Self.open(fileSystem, Self.original)
    try store.write { transaction in
      for id in 0..<200 {
        try transaction.put(
          transaction.makeObject(
            ofType: "Reading", ["id": .int(Int64(id)), "text": .string("\(id)")]))
      }
    }
    try store.close()
    let files = fileSystem.snapshotOfFiles(in: "/store")
    store = try Self.open(fileSystem, Self.latest)
    #expect(try Self.all(store).count == 200)
    try store.close()
    #expect(fileSystem.snapshotOfFiles(in: "/store") == files)
  }

  @Test("R1, R3: the reserved version is refused, and a bumped one writes nothing by itself")
  func versionsAlone() throws {
    let fileSystem = SimulatedFileSystem(
      files: try {
        let fileSystem = SimulatedFileSystem()
        try Self.open(fileSystem, Self.original).close()
        return fileSystem.snapshotOfFiles(in: "/store")
      }(), in: "/store")
    let files = fileSystem.snapshotOfFiles(in: "/store")
    let bumped = SchemaHistory {
      Self.base
      Version(1) {}
    }
    try Self.open(fileSystem, bumped).close()
    #expect(fileSystem.snapshotOfFiles(in: "/store") == files)
    #expect(throws: StoreError.self) {
      try Self.open(
        fileSystem, SchemaHistory(base: Base(version: .reserved, types: []), versions: []))
    }
  }

  @Test("R11: a store that is open in this process is refused, not waited for")
  func openTwice() throws {
    let fileSystem = try Self.makeStore()
    let store = try Self.open(fileSystem, Self.latest)
    #expect(throws: StoreError.self) { try Self.open(fileSystem, Self.latest) }
    try store.close()
  }
}
