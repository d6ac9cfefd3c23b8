import FileIO
import LogStore
import ObjectStore
import StorageTestSupport
import Synchronization
import Testing

/// Steps whose results are written at the next chance, and steps that take long.
@Suite struct MaterialisedStepTests {
  static let base = Base(0) {
    Type("Person", key: "id") {
      Field("id", .int64)
      Field("name", .string)
    }
  }

  static func history(_ token: String, revision: UInt32) -> SchemaHistory {
    SchemaHistory {
      base
      Version(1) {
        On("Person") {
          Add("token", .string, default: "")
          Rewrite(revision: revision, materialise: true) { _, new in
            new["token"] = .string(token)
            return .keep
          }
        }
      }
    }
  }

  static func makeStore() throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    let store = try NewerStoreTests.open(fileSystem, SchemaHistory { base })
    for id in 1...3 as ClosedRange<Int64> {
      try NewerStoreTests.put(store, "Person", ["id": .int(id), "name": "Ada"])
    }
    try store.close()
    return fileSystem
  }

  static func token(_ store: Store, _ key: Value) throws -> Value? {
    try NewerStoreTests.get(store, "Person", key)?["token"]
  }

  @Test(
    "R15: a materialised step is written by the first transaction that reads it, or the migrator")
  func materialised() throws {
    let fileSystem = try Self.makeStore()
    var store = try NewerStoreTests.open(fileSystem, Self.history("first", revision: 1))
    #expect(try Self.token(store, 1) == "first")
    #expect(try Self.token(store, 2) == "first")
    #expect(try store.statistics().oldestVersion == 0, "reads do not write")
    let read = try store.write { try $0.object(ofType: "Person", key: 1) }
    #expect(read?["token"] == "first")
    try store.close()
    // Mended code reaches what was not written yet, and nothing else.
    store = try NewerStoreTests.open(fileSystem, Self.history("second", revision: 2))
    #expect(try Self.token(store, 1) == "first")
    #expect(try Self.token(store, 2) == "second")
    try store.migrate()
    try store.close()
    store = try NewerStoreTests.open(fileSystem, Self.history("third", revision: 3))
    #expect(try [1, 2, 3].map { try Self.token(store, $0) } == ["first", "second", "second"])
    try store.close()
  }

  @Test("R15: other steps are not written by transactions that read")
  func others() throws {
    let fileSystem = try Self.makeStore()
    let history = SchemaHistory {
      Self.base
      Version(1) { On("Person") { Derive("label", from: "name") { (name: String) in name } } }
    }
    let store = try NewerStoreTests.open(fileSystem, history)
    _ = try store.write { try $0.object(ofType: "Person", key: 1) }
    #expect(try store.statistics().types.allSatisfy { $0.version == 0 })
    try store.close()
  }

  @Test("R15: reading does not fail where the result is larger than a record may be")
  func tooLarge() throws {
    let fileSystem = try Self.makeStore()
    let token = String(repeating: "x", count: 65 << 20)
    let store = try NewerStoreTests.open(fileSystem, Self.history(token, revision: 1))
    let read = try store.write { try $0.object(ofType: "Person", key: 1) }
    #expect(read?["token"] == .string(token))
    #expect(try store.statistics().oldestVersion == 0)
    try store.close()
  }

  struct Person: StorableObject {
    static let primaryKey = "id"
    static let indexes: [IndexDeclaration] = [.unique("token")]
    var id = 0
    var name = ""
    var token = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("name", &name)
      try visitor.member("token", &token)
    }
  }

  struct Malformed: Error {}

  @Test("R19: what a policy gives for a failing step is not written in place of the stored object")
  func fallback() throws {
    let fileSystem = try Self.makeStore()
    let failing = SchemaHistory {
      Self.base
      Version(1) {
        On("Person") {
          Add("token", .string, default: "")
          Rewrite(materialise: true) { _, _ in throw Malformed() }
        }
      }
    }
    var configuration = StoreConfiguration.quiet
    configuration.failurePolicies["Person"] = .fallback { _ in ["name": "?", "token": "?"] }
    var store = try Store.open(
      at: "/s", history: failing, configuration: configuration, fileSystem: fileSystem)
    let read = try store.write { try $0.object(ofType: "Person", key: 1) }
    #expect(read?["token"] == "?")
    try store.close()
    store = try NewerStoreTests.open(fileSystem, Self.history("mended", revision: 2))
    let mended = try #require(try NewerStoreTests.get(store, "Person", 1))
    #expect(mended.members == ["id": 1, "name": "Ada", "token": "mended"])
    try store.close()
  }

  @Test("R15: reading does not fail where the result cannot be written: a newer app's objects")
  func readOnly() throws {
    let fileSystem = try Self.makeStore()
    let newer = SchemaHistory(
      base: Self.base,
      versions: Self.history("first", revision: 1).versions + [
        Version(2) { On("Person") { MakeOptional("name") } }
      ])
    var store = try NewerStoreTests.open(fileSystem, newer)
    try NewerStoreTests.put(store, "Person", ["id": 9, "name": "New", "token": "t"])
    try store.close()
    store = try NewerStoreTests.open(fileSystem, Self.history("first", revision: 1))
    let read = try store.write { try $0.object(ofType: "Person", key: 1) }
    #expect(read?["token"] == "first")
    try store.close()
  }

  @Test("R15: a long value that is not unique is written all the same: the object has it already")
  func notUnique() throws {
    let same = String(repeating: "same", count: 100)
    let store = try Store.open(
      at: "/s", models: [Person.self], history: Self.history(same, revision: 1),
      configuration: .quiet, fileSystem: try Self.makeStore())
    let tokens = try store.write { transaction in
      try (1...3).map { try transaction.get(Person.self, $0)?.token }
    }
    #expect(tokens == [same, same, same])
    #expect(try store.statistics().types.allSatisfy { $0.version == 1 })
    try store.close()
  }

  final class Recorder: StoreObserver {
    let events = Mutex<[StoreEvent]>([])
    func observe(_ event: StoreEvent) {
      if case .slowMigration = event { events.withLock { $0.append(event) } }
    }
  }

  /// A clock that code moves.
  final class SteppedTimeSource: TimeSource {
    let nanoseconds = Mutex<UInt64>(0)
    func secondsSince1970() -> UInt64 { 1_000_000_000 }
    func monotonicNanoseconds() -> UInt64 { nanoseconds.withLock { $0 } }
    func advance(_ milliseconds: UInt64) { nanoseconds.withLock { $0 += milliseconds * 1_000_000 } }
  }

  @Test("H16: an upgrade above its budget is told, with the operation that took longest")
  func slow() throws {
    let fileSystem = try Self.makeStore()
    let clock = SteppedTimeSource()
    let recorder = Recorder()
    let history = SchemaHistory {
      Self.base
      Version(1) {
        On("Person") {
          Derive("quick", from: "name") { (name: String) in
            clock.advance(1)
            return name
          }
          Derive("slow", from: "name") { (name: String) in
            clock.advance(4)
            return name
          }
        }
      }
    }
    for (budget, count) in [(4, 1), (5, 0), (-1, 1), (nil, 0)] as [(Int?, Int)] {
      recorder.events.withLock { $0 = [] }
      var configuration = StoreConfiguration.quiet
      configuration.checksPurity = false
      configuration.log.observer = recorder
      configuration.log.timeSource = clock
      configuration.slowMigrationBudget = budget.map { .milliseconds($0) }
      let store = try Store.open(
        at: "/s", history: history, configuration: configuration, fileSystem: fileSystem)
      #expect(try NewerStoreTests.get(store, "Person", 1)?["slow"] == "Ada")
      let expected = StoreEvent.slowMigration(
        type: "Person", operationID: "v1/Person/2", nanoseconds: 5_000_000)
      #expect(
        recorder.events.withLock { $0 } == [StoreEvent](repeating: expected, count: count))
      try store.close()
    }
  }

  /// The persons of a version before, each of whom takes four milliseconds to upgrade, of which
  /// `budget` milliseconds may pass unnoticed.
  private static func makeSlowStore(budget: Int) throws -> (Store, Recorder) {
    let clock = SteppedTimeSource()
    let recorder = Recorder()
    let history = SchemaHistory {
      Self.base
      Version(1) {
        On("Person") {
          Derive("slow", from: "name") { (name: String) in
            clock.advance(4)
            return name
          }
        }
      }
    }
    var configuration = StoreConfiguration.quiet
    configuration.checksPurity = false
    configuration.log.observer = recorder
    configuration.log.timeSource = clock
    configuration.slowMigrationBudget = .milliseconds(budget)
    let store = try Store.open(
      at: "/s", history: history, configuration: configuration, fileSystem: try makeStore())
    return (store, recorder)
  }

  private static let threeSlowPersons = [StoreEvent](
    repeating: .slowMigration(
      type: "Person", operationID: "v1/Person/1", nanoseconds: 4_000_000), count: 3)

  @Test("H16: so are those of migrate")
  func slowWhileMigrating() throws {
    let (store, recorder) = try Self.makeSlowStore(budget: 3)
    try store.migrate()
    #expect(recorder.events.withLock { $0 } == Self.threeSlowPersons)
    try store.close()
  }

  @Test("H16: so is computing one member, for a look-up without an index")
  func slowMember() throws {
    let (store, recorder) = try Self.makeSlowStore(budget: -1500)
    let found = try store.snapshot().objects(
      ofType: "Person", where: "slow", selecting: .equal(to: "nobody"))
    #expect(try found.next() == nil)
    #expect(recorder.events.withLock { $0 } == Self.threeSlowPersons)
    try store.close()
  }
}
