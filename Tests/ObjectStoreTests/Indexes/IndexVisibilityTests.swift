import FileIO
import ObjectStore
import StorageTestSupport
import Testing

@Suite("An index is asked only by readers who see all of its keys (R37)")
struct IndexVisibilityTests {
  private static func filled(_ fileSystem: any FileSystem, _ count: Int) throws {
    let old = try IndexMigrationTests.open(0, fileSystem)
    try old.write { transaction in
      for id in 0..<count {
        try transaction.put(
          transaction.makeObject(
            ofType: "Person",
            [
              "id": .int(Int64(id)), "age": .int(Int64(id % 4)), "name": .string("ann"),
              "tags": .list(["x"]),
            ]))
      }
    }
    try old.close()
  }

  private static func put(_ id: Int64, _ store: Store) throws {
    try store.write { transaction in
      try transaction.put(
        transaction.makeObject(
          ofType: "Person",
          ["id": .int(id), "age": .int(0), "title": .string("ann"), "tags": .list(["x"])]))
    }
  }

  @Test("One whose last keys could not be made durable stays incomplete for those who read")
  func failedSynchronization() throws {
    let fileSystem = SimulatedFileSystem()
    try Self.filled(fileSystem, 20)
    let store = try IndexMigrationTests.open(2, fileSystem)
    try Self.put(100, store)
    fileSystem.setFaults([
      FaultPlan(
        operation: fileSystem.operationCount + 1, .fail(.ioError), isPermanent: true,
        kinds: [.synchronize])
    ])
    #expect(throws: StoreError.self) { try store.buildIndexes() }
    fileSystem.setFaults([])
    #expect(try IndexMigrationTests.mismatches(store, 2) == [])
  }

  @Test("While the last keys are made durable, who reads finds all objects without them")
  func duringSynchronization() throws {
    let problems = Lock<[String]>([])
    let watched = Lock<Store?>(nil)
    let observed = ObservedFileSystem(InMemoryFileSystem()) { call in
      guard call == .synchronize, let store = watched.withLock({ $0 }) else { return }
      do {
        let found = try IndexMigrationTests.mismatches(store, 2)
        problems.withLock { $0 += found }
      } catch { problems.withLock { $0.append("\(error)") } }
    }
    try Self.filled(observed, 20)
    let store = try IndexMigrationTests.open(2, observed)
    try Self.put(100, store)
    watched.withLock { $0 = store }
    try store.buildIndexes()
    watched.withLock { $0 = nil }
    #expect(problems.withLock { $0 } == [])
    #expect(store.incompleteIndexes == [])
    #expect(try IndexMigrationTests.mismatches(store, 2) == [])
    try store.close()
  }
}
