import ObjectStore
import StorageTestSupport
import StoreTelemetry
import Testing

@testable import QuickStart

/// The examples of `README.md` behind the quick start, as they stand there.
@Suite("What the README shows compiles and runs")
struct ReadmeTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test("An observer is told of what happens to a store that is opened with it")
  func observed() throws {
    let path = directory.path + "/people"

    var configuration = StoreConfiguration()
    configuration.log.observer = TelemetryObserver()
    let store = try Store.open(
      at: path, models: [Person.self], history: history, configuration: configuration)

    try store.close()
  }

  @Test("Writes are durable, or survive the process, or are made so later")
  func writes() throws {
    let store = try Store.open(
      at: directory.path + "/people", models: [Person.self], history: history)
    let ada = Person(id: 1, fullName: "Ada Lovelace", email: nil)

    try store.write { transaction in try transaction.put(ada) }
    try store.write(durability: .process) { transaction in try transaction.put(ada) }
    try store.synchronize()

    #expect(try store.snapshot().get(Person.self, 1)?.fullName == "Ada Lovelace")
    try store.close()
  }

  struct Guest: StorableObject, Sendable {
    static let primaryKey = "id"
    var id = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
    }
  }

  @Test("Async code waits for a write without blocking a thread")
  func asyncWrites() async throws {
    let store = try Store.open(
      at: directory.path + "/guests", models: [Guest.self], evolution: .additive)
    let ada = Guest(id: 1)

    try await store.write { transaction in try transaction.put(ada) }

    #expect(try store.snapshot().count(Guest.self) == 1)
    try store.close()
  }
}
