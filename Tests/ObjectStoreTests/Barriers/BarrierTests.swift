import FileIO
import LogStore
import ObjectStore
import StorageTestSupport
import Synchronization
import Testing

/// What runs once over whole types, when a store is opened.
@Suite struct BarrierTests {
  static let base = Base(0) {
    Type("Person", key: "id") {
      Field("id", .int64)
      Field("email", .string)
      Field("name", .string)
    }
  }
  static let original = SchemaHistory { base }

  static func rekeyed(_ duplicates: DuplicateKeys = .fail) -> SchemaHistory {
    SchemaHistory {
      base
      Version(1) { On("Person") { Add("age", .int64, default: 18) } }
      Version(2) { Rekey("Person", to: "email", onDuplicate: duplicates) }
      Version(3) { On("Person") { Rename("name", to: "fullName") } }
    }
  }

  static func coded(_ body: @escaping BarrierStep.Body) -> SchemaHistory {
    SchemaHistory {
      base
      Version(1) {
        Type("Pet", key: "id") { Field("id", .int64) }
        On("Person") { Add("age", .int64, default: 18) }
        Barrier("work", touching: "Person", "Pet") { store in try body(store) }
      }
    }
  }

  /// Fifty people; some share an address when asked.
  static func makeStore(sharing: Bool = false) throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    let store = try Store.open(
      at: "/people", history: original, configuration: .quiet, fileSystem: fileSystem)
    try store.write { transaction in
      for id in 0..<50 {
        let email = sharing && id >= 48 ? "p0@x" : "p\(id)@x"
        try transaction.put(
          transaction.makeObject(
            ofType: "Person",
            ["id": .int(Int64(id)), "email": .string(email), "name": .string("Name \(id)")]))
      }
    }
    try store.close()
    return fileSystem
  }

  static func open(
    _ fileSystem: any FileSystem, _ history: SchemaHistory,
    configuration: StoreConfiguration = .quiet
  ) throws -> Store {
    try Store.open(
      at: "/people", history: history, configuration: configuration, fileSystem: fileSystem)
  }

  static func all(_ store: Store, _ type: String = "Person") throws -> [DynamicObject] {
    let cursor = try store.snapshot().objects(ofType: type)
    var found: [DynamicObject] = []
    while let object = try cursor.next() { found.append(object) }
    return found
  }

  @Test("P20: what a barrier describes has its copy when the store is only opened and closed")
  func copies() throws {
    let fileSystem = try Self.makeStore()
    try Self.open(fileSystem, Self.rekeyed()).close()
    let log = try Log.open(at: "/people", fileSystem: fileSystem)
    let snapshot = log.snapshot()
    var count = 0
    let tags: [UInt8: CollectionIdentifier] = [0: .catalog, 1: .ledger]
    for (tag, collection) in tags {
      let originals = try snapshot.records(in: collection, keys: .catalogOfSchemas)
      while let (key, original) = try originals.next() {
        let copy = try #require(try snapshot.record(for: [tag] + key, in: .catalogCopies))
        #expect(copy.payload == original.payload && copy.sequence > original.sequence, "\(key)")
        count += 1
      }
    }
    #expect(count >= 4)
    try log.close()
  }

  @Test("R30, R33: another key; steps before and after it run as ever, and it runs once")
  func anotherKey() throws {
    let fileSystem = try Self.makeStore()
    for version in [2, 3] as [SchemaVersion] {
      let store = try Self.open(fileSystem, Self.rekeyed())
      let people = try Self.all(store)
      #expect(people.count == 50)
      #expect(people.map(\.key) == people.compactMap { $0["email"] })
      let person = try store.snapshot().object(ofType: "Person", key: "p7@x")
      #expect(person?["fullName"] == "Name 7")
      #expect(person?["age"] == 18)
      #expect(person?["id"] == 7)
      #expect(try store.statistics().types.map(\.version) == [version])
      _ = try store.compact()
      #expect(try Self.all(store) == people)
      #expect(try store.statistics().objectCount == 50)
      try store.close()
    }
  }

  @Test("R33, R36: duplicates are counted and named, and the old schema still opens the store")
  func duplicatesFail() throws {
    let fileSystem = try Self.makeStore(sharing: true)
    let before = try fileSystem.filesByName(in: "/people")
    let expected = SchemaError.duplicateKeys(
      type: "Person", member: "email", count: 2,
      examples: ["p0@x of 48", "p0@x of 49"])
    do {
      _ = try Self.open(fileSystem, Self.rekeyed())
      Issue.record("the duplicates were accepted")
    } catch let error as StoreError {
      #expect("\(error)".contains("2 objects have"), "\(error)")
      #expect(error == .schema(expected))
    }
    #expect(try fileSystem.filesByName(in: "/people") == before)
    let store = try Self.open(fileSystem, Self.original)
    #expect(try Self.all(store).count == 50)
    try store.close()
  }

  @Test(
    "R33: the first or the last of duplicates stays",
    arguments: [(DuplicateKeys.keepFirst, Int64(0)), (.keepLast, 49)])
  func duplicatesKept(_ policy: DuplicateKeys, _ id: Int64) throws {
    let store = try Self.open(try Self.makeStore(sharing: true), Self.rekeyed(policy))
    #expect(try Self.all(store).count == 48)
    let kept = try store.snapshot().object(ofType: "Person", key: "p0@x")
    #expect(kept?["id"] == .int(id))
    try store.close()
  }

  @Test("R1: a new store passes no barrier")
  func newStores() throws {
    let history = Self.coded { _ in Issue.record("the barrier ran") }
    let store = try Self.open(InMemoryFileSystem(), history)
    try store.close()
  }

  @Test("R31: deletes and creates do not disturb a walk; each surviving object is visited once")
  func walks() throws {
    let visited = Mutex<[Value]>([])
    let history = Self.coded { store in
      try store.forEach("Person") { old, new in
        guard case .int(let id) = old["id"] else { return .keep }
        visited.withLock { $0.append(old["id"]) }
        new["age"] = .int(id)
        if id == 0 { try store.delete("Person", key: 30) }
        try store.create("Person", ["id": .int(id + 1000), "email": "e", "name": "n", "age": 1])
        return id % 10 == 5 ? .drop : .keep
      }
    }
    let store = try Self.open(try Self.makeStore(), history)
    let ids = visited.withLock { $0 }
    #expect(ids.count == 49)
    #expect(Set(ids).count == 49)
    #expect(!ids.contains(30))
    #expect(try Self.all(store).count == 49 - 5 + 49)
    #expect(try store.snapshot().object(ofType: "Person", key: 7)?["age"] == 7)
    try store.close()
  }

  @Test("R32: delete-all and create in one step leave what was created; unknown types are false")
  func deleteAll() throws {
    let history = Self.coded { store in
      let known = try store.deleteAll("Person")
      let unknown = try store.deleteAll("Ghost")
      if !known || unknown { throw CaseFailure("\(known) \(unknown)") }
      try store.create("Person", ["id": 3, "email": "e", "name": "n", "age": 2])
      try store.create("Pet", ["id": 1])
    }
    let store = try Self.open(try Self.makeStore(), history)
    #expect(try Self.all(store).map(\.key) == [3])
    #expect(try Self.all(store, "Pet").map(\.key) == [1])
    try store.close()
  }

  @Test("R33: a key that exists is refused at once")
  func createdTwice() throws {
    let history = Self.coded { store in
      try store.create("Person", ["id": 3, "email": "e", "name": "n", "age": 2])
    }
    #expect(throws: StoreError.self) { try Self.open(try Self.makeStore(), history) }
  }

  @Test("R36: a barrier that throws changes nothing, and a corrected one runs")
  func failingBarrier() throws {
    let fileSystem = try Self.makeStore()
    let failing = Self.coded { store in
      _ = try store.deleteAll("Person")
      throw CaseFailure("no")
    }
    let before = try fileSystem.filesByName(in: "/people")
    do {
      _ = try Self.open(fileSystem, failing)
      Issue.record("the barrier did not fail")
    } catch StoreError.schema(.barrierFailed(let id, _)) {
      #expect(id == "v1/barrier:work")
    }
    #expect(try fileSystem.filesByName(in: "/people") == before)
    var store = try Self.open(fileSystem, Self.original)
    #expect(try Self.all(store).count == 50)
    #expect(store.storedSchemas.keys.max() == 0)
    try store.close()
    store = try Self.open(fileSystem, Self.coded { _ in })
    #expect(try Self.all(store).count == 50)
    #expect(try store.statistics().types.map(\.version) == [1])
    try store.close()
  }

  @Test("R30: too much work for an opening, or a read-only one, is told and not done")
  func budget() throws {
    let fileSystem = try Self.makeStore()
    var small = StoreConfiguration.quiet
    small.barriers.byteCountMaximum = 100
    let before = try fileSystem.filesByName(in: "/people")
    for configuration in [small, .readOnly] {
      do {
        _ = try Self.open(fileSystem, Self.rekeyed(), configuration: configuration)
        Issue.record("the barrier ran")
      } catch StoreError.barrierPending(let estimate) {
        #expect(estimate.operationIDs == ["v2/Person/1"])
        #expect(estimate.recordCount == 50)
        #expect(estimate.byteCount > 1000)
      }
      #expect(try fileSystem.filesByName(in: "/people") == before)
    }
    small.barriers.byteCountMaximum = .max
    let store = try Self.open(fileSystem, Self.rekeyed(), configuration: small)
    #expect(try Self.all(store).count == 50)
    try store.close()
  }

  @Test("R30: progress is told, and ends a barrier without a trace")
  func cancellation() throws {
    let fileSystem = InMemoryFileSystem()
    var store = try Self.open(fileSystem, Self.original)
    try store.write { transaction in
      for id in 0..<2000 {
        try transaction.put(
          transaction.makeObject(
            ofType: "Person",
            ["id": .int(Int64(id)), "email": .string("\(id)"), "name": "n"]))
      }
    }
    try store.close()
    let counts = Mutex<[UInt64]>([])
    var configuration = StoreConfiguration.quiet
    configuration.barriers.progress = { progress in
      counts.withLock { $0.append(progress.recordCount) }
      return progress.recordCount < 1000
    }
    let before = try fileSystem.filesByName(in: "/people")
    #expect(throws: StoreError.barrierCancelled(operationID: "v2/Person/1")) {
      try Self.open(fileSystem, Self.rekeyed(), configuration: configuration)
    }
    #expect(counts.withLock { $0 } == [256, 512, 768, 1024])
    #expect(try fileSystem.filesByName(in: "/people") == before)
    store = try Self.open(fileSystem, Self.rekeyed())
    #expect(try Self.all(store).count == 2000)
    try store.close()
  }

  @Test("R11, H1: a step that opens its own store gets an error, not a deadlock")
  func reentrance() throws {
    let fileSystem = try Self.makeStore()
    let history = Self.coded { _ in _ = try Self.open(fileSystem, Self.original) }
    #expect(throws: StoreError.self) { try Self.open(fileSystem, history) }
    let store = try Self.open(fileSystem, Self.original)
    #expect(try Self.all(store).count == 50)
    try store.close()
  }
}
