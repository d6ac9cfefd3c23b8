import FileIO
import LogStore
import ObjectStore
import StorageTestSupport
import Synchronization
import Testing

/// What a store remembers of the history, and what it does when that was edited.
@Suite struct LedgerTests {
  final class Recorder: StoreObserver {
    let edits = Mutex<[StoreEvent]>([])
    func observe(_ event: StoreEvent) {
      if case .historyEdited = event { edits.withLock { $0.append(event) } }
    }
  }

  static func history(_ value: Value, revision: UInt32 = 1) -> SchemaHistory {
    SchemaHistory {
      Base(0) {
        Type("Person", key: "id") {
          Field("id", .int64)
          Field("name", .string)
        }
      }
      Version(1) {
        On("Person") {
          Add("score", .int64, default: value)
          Derive("label", from: "name", revision: revision) { (name: String) in name }
        }
      }
    }
  }

  static func makeStore() throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    let store = try Store.open(
      at: "/store", history: history(1), configuration: .quiet, fileSystem: fileSystem)
    try store.write { transaction in
      try transaction.put(
        transaction.makeObject(
          ofType: "Person", ["id": 1, "name": "Ada", "score": 5, "label": "Ada"]))
    }
    try store.close()
    return fileSystem
  }

  static func open(
    _ fileSystem: InMemoryFileSystem, _ history: SchemaHistory,
    _ policy: StoreConfiguration.EditedHistory, observer: Recorder = Recorder()
  ) throws -> Store {
    var configuration = StoreConfiguration.quiet
    configuration.editedHistory = policy
    configuration.log.observer = observer
    return try Store.open(
      at: "/store", history: history, configuration: configuration, fileSystem: fileSystem)
  }

  @Test("R8: an edited shipped step is refused, or reported; the store and its ledger stay")
  func editedSteps() throws {
    let fileSystem = try Self.makeStore()
    let edited = SchemaError.historyEdited(operationIDs: ["v1/Person/1"])
    #expect(throws: StoreError.schema(edited)) {
      try Self.open(fileSystem, Self.history(2), .refused)
    }
    let observer = Recorder()
    let store = try Self.open(fileSystem, Self.history(2), .reported, observer: observer)
    try store.write { try $0.delete(ofType: "Person", key: 2) }
    #expect(store.ledger == Self.history(1).ledger(through: 1))
    try store.close()
    #expect(
      observer.edits.withLock { $0 } == [.historyEdited(edited: ["v1/Person/1"], revised: [])])
  }

  @Test("R8, R19: a raised revision is reported and opens in every build")
  func revisedSteps() throws {
    let fileSystem = try Self.makeStore()
    let observer = Recorder()
    let store = try Self.open(
      fileSystem, Self.history(1, revision: 2), .refused, observer: observer)
    #expect(
      observer.edits.withLock { $0 } == [.historyEdited(edited: [], revised: ["v1/Person/2"])])
    try store.close()
  }

  @Test("R8: a reader is told of an edit once, however often it goes to a newer state")
  func refreshes() throws {
    let fileSystem = InMemoryFileSystem()
    let writer = try Store.open(
      at: "/store", history: Self.history(1), configuration: .quiet, fileSystem: fileSystem)
    func put(_ type: String, _ members: [String: Value]) throws {
      try writer.write { try $0.put($0.makeObject(ofType: type, members)) }
    }
    let person: [String: Value] = ["id": 1, "name": "Ada", "score": 5, "label": "Ada"]
    try put("Person", person)
    let observer = Recorder()
    var configuration = StoreConfiguration.quiet
    configuration.log.access = .readOnly
    configuration.log.observer = observer
    let reader = try Store.open(
      at: "/store", history: Self.history(1, revision: 2), configuration: configuration,
      fileSystem: fileSystem)
    try writer.write { try $0.delete(ofType: "Person", key: 1) }
    try reader.refresh()
    try put("Person", person)
    try reader.refresh()
    #expect(try reader.snapshot().object(ofType: "Person", key: 1) != nil)
    #expect(
      observer.edits.withLock { $0 } == [.historyEdited(edited: [], revised: ["v1/Person/2"])])
    try writer.close()
  }

  @Test("R8: builds for debugging refuse by default")
  func defaultOfThisBuild() {
    #if DEBUG
      #expect(StoreConfiguration().editedHistory == .refused)
    #else
      #expect(StoreConfiguration().editedHistory == .reported)
    #endif
  }

  @Test("The ledger is no type: counts, statistics and compaction know nothing of it")
  func theLedgerIsNoType() throws {
    let fileSystem = try Self.makeStore()
    let store = try Self.open(fileSystem, Self.history(1), .refused)
    #expect(try store.statistics().objectCount == 1)
    #expect(try store.statistics().types.map(\.type) == ["Person"])
    _ = try store.compact()
    try store.close()
    let again = try Store.open(at: "/store", configuration: .readOnly, fileSystem: fileSystem)
    #expect(again.ledger == Self.history(1).ledger(through: 1))
    try again.close()
  }

  @Test("P14: a damaged ledger is an error, never a trap")
  func damagedLedger() throws {
    let fileSystem = try Self.makeStore()
    let log = try Log.open(at: "/store", fileSystem: fileSystem)
    let batch = log.makeBatch()
    let ledger = CollectionIdentifier(LogLimits.collectionCount - 1)
    try batch.put([0, 0, 0, 0, 0, 0, 0, 1], in: ledger, schemaVersion: 0, payload: [1, 1, 2])
    try log.commit(batch)
    try log.close()
    do {
      _ = try Self.open(fileSystem, Self.history(1), .refused)
      Issue.record("the ledger was accepted")
    } catch StoreError.malformedCatalog {}
  }
}
