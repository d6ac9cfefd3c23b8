import FileIO
import ObjectStore
import Testing

@Suite("What keeps objects from being read for ever is told when the store is opened (R6, H14)")
struct UnrunBarrierTests {
  static func putOne(
    _ fileSystem: InMemoryFileSystem, _ history: SchemaHistory, age: Value? = nil
  ) throws {
    let store = try BarrierTests.open(fileSystem, history)
    try store.write { transaction in
      var values: [String: Value] = ["id": 100, "email": "p", "name": "n"]
      values["age"] = age
      try transaction.put(transaction.makeObject(ofType: "Person", values))
    }
    try store.close()
  }

  static func openReporting(
    _ fileSystem: InMemoryFileSystem, _ history: SchemaHistory
  ) throws -> Store {
    var configuration = StoreConfiguration.quiet
    configuration.editedHistory = .reported
    return try BarrierTests.open(fileSystem, history, configuration: configuration)
  }

  @Test("A barrier whose number another branch gave to a version of its own")
  func sharedNumber() throws {
    let fileSystem = try BarrierTests.makeStore()
    let other = SchemaHistory {
      BarrierTests.base
      Version(1) {}
    }
    try Self.putOne(fileSystem, other)
    let history = SchemaHistory {
      BarrierTests.base
      Version(1) { Barrier("b", touching: "Person") { _ in } }
    }
    let error = StoreError.schema(
      .barrierNotRun(type: "Person", operationID: "v1/barrier:b"))
    #expect(throws: error) { try Self.openReporting(fileSystem, history).close() }
    let renumbered = SchemaHistory {
      BarrierTests.base
      Version(1) {}
      Version(2) { Barrier("b", touching: "Person") { _ in } }
    }
    let store = try Self.openReporting(fileSystem, renumbered)
    #expect(try BarrierTests.all(store).count == 51)
    try store.close()
  }

  @Test("No object waits where all are newer, or where the type is gone")
  func nobodyWaits() throws {
    let fileSystem = InMemoryFileSystem()
    let other = SchemaHistory {
      BarrierTests.base
      Version(1) {}
    }
    try Self.putOne(fileSystem, other)
    let history = SchemaHistory {
      BarrierTests.base
      Version(1) { Barrier("b", touching: "Person") { _ in } }
    }
    let store = try Self.openReporting(fileSystem, history)
    #expect(try BarrierTests.all(store).count == 1)
    try store.close()
    let removing = SchemaHistory {
      BarrierTests.base
      Version(1) { Barrier("b", touching: "Person") { _ in } }
      Version(2) { RemoveType("Person") }
    }
    let old = try BarrierTests.makeStore()
    try Self.putOne(old, other)
    try Self.openReporting(old, removing).close()
  }

  @Test("A version that the history passes over, of which there are objects (R6)")
  func passedOver() throws {
    let fileSystem = try BarrierTests.makeStore()
    let shipped = SchemaHistory {
      BarrierTests.base
      Version(1) {}
      Version(2) { On("Person") { Add("age", .int64, default: 18) } }
    }
    try Self.putOne(fileSystem, shipped, age: 20)
    let other = Version(3) { Rekey("Person", to: "email") }
    let history = SchemaHistory(
      base: BarrierTests.base, versions: [other], allowsGaps: true)
    let error = StoreError.schema(
      .chainIncomplete(missing: 2, oldestStored: 0, requested: 3, recordCount: 1))
    #expect(throws: error) { try BarrierTests.open(fileSystem, history).close() }
    // Without objects of that version there is nothing to lose.
    let store = try BarrierTests.open(fileSystem, shipped)
    try store.write { _ = try $0.delete(ofType: "Person", key: 100) }
    try store.close()
    let again = try BarrierTests.open(fileSystem, history)
    #expect(try BarrierTests.all(again).count == 50)
    try again.close()
  }
}
