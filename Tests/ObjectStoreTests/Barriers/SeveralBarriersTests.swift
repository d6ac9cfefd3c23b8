import FileIO
import LogStore
import ObjectStore
import StorageTestSupport
import Testing

/// Barriers of several versions that one opening passes: all of them, or none (R36).
@Suite struct SeveralBarriersTests {
  private struct Refusal: Error {}

  @Test("R36: where the barrier of a later version fails, those of earlier ones did not run either")
  func failing() throws {
    let fileSystem = try BarrierTests.makeStore()
    let failing = SchemaHistory {
      BarrierTests.base
      Version(1) { Rekey("Person", to: "email") }
      Version(2) { Barrier("work", touching: "Person") { _ in throw Refusal() } }
    }
    do {
      try BarrierTests.open(fileSystem, failing, configuration: BarrierCrashTests.configuration)
        .close()
      Issue.record("it was opened")
    } catch StoreError.schema(.barrierFailed(let operationID, _)) {
      #expect(operationID == "v2/barrier:work")
    }
    let store = try BarrierTests.open(fileSystem, BarrierTests.original)
    #expect(try BarrierTests.all(store).map(\.key) == (0..<50).map { .int($0) })
    #expect(try store.statistics().types.map(\.version) == [0])
    try store.close()
  }

  @Test("R36: who ends the second barrier finds the store as it was before the first")
  func cancelled() throws {
    let fileSystem = InMemoryFileSystem()
    var store = try BarrierTests.open(fileSystem, BarrierTests.original)
    try store.write { transaction in
      for id in 0..<300 {
        try transaction.put(
          transaction.makeObject(
            ofType: "Person",
            ["id": .int(Int64(id)), "email": .string("p\(id)"), "name": "n"]))
      }
    }
    try store.close()
    var configuration = BarrierCrashTests.configuration
    configuration.barriers.progress = { $0.operationID != "v2/barrier:work" }
    let history = SchemaHistory {
      BarrierTests.base
      Version(1) { Rekey("Person", to: "email") }
      Version(2) { Barrier("work", touching: "Person") { _ in } }
    }
    #expect(throws: StoreError.barrierCancelled(operationID: "v2/barrier:work")) {
      try BarrierTests.open(fileSystem, history, configuration: configuration).close()
    }
    store = try BarrierTests.open(fileSystem, BarrierTests.original)
    #expect(try store.statistics().types.map(\.version) == [0])
    try store.close()
  }

  @Test("R30: each barrier finds what the one of the version before made, in one transaction")
  func inARow() throws {
    let fileSystem = InMemoryFileSystem()
    try RelationTests.makeStore(sharing: true, fileSystem)
    let history = SchemaHistory {
      RelationTests.base
      Version(1) { On("Address") { Add("code", .string, default: "") } }
      Version(2) {
        Barrier("codes", touching: "Address") { store in
          try store.forEach("Address") { old, new in
            new["code"] = .string("c\(old["number"])")
            return .keep
          }
        }
      }
      // What links to it is not followed, so that every link leads nowhere but to code.
      Version(3) { Rekey("Address", to: "code") }
      Version(4) {
        Retarget("Person", "home", to: "Address") { .string("c\($0)") }
        Retarget("Firm", "site", to: "Address") { .string("c\($0)") }
      }
      Version(5) {
        Embed(
          "Address", into: MemberPlace("Person", "home"), MemberPlace("Firm", "site"),
          policy: .duplicateShared)
      }
      Version(6) {
        ExtractType("Place", key: "id", from: MemberPlace("Person", "home"))
      }
    }
    #expect(history.issues == [])
    for _ in 0..<2 {
      let store = try RelationTests.open(fileSystem, history)
      #expect(store.schema.type(named: "Address") == nil)
      let part: [String: Value] = ["number": 10, "street": "S10"]
      #expect(try RelationTests.object(store, "Firm", "f")["site"] == .object(part))
      let link = try #require(try RelationTests.object(store, "Person", 1)["home"])
      let place = try RelationTests.object(store, "Place", link)
      #expect(place["number"] == 10 && place["street"] == "S10")
      #expect(try RelationTests.object(store, "Person", 2)["home"] == .null)
      try store.close()
    }
  }

  @Test("R35, R36: what is embedded is found as an earlier barrier of the same opening left it")
  func embeddedAfterCode() throws {
    let fileSystem = InMemoryFileSystem()
    try RelationTests.makeStore(orphan: true, fileSystem)
    func history(_ policy: EmbeddingPolicy) -> SchemaHistory {
      SchemaHistory {
        RelationTests.base
        Version(1) {
          Barrier("streets", touching: "Address") { store in
            try store.forEach("Address") { old, new in
              new["street"] = "new"
              return .keep
            }
          }
        }
        Version(2) {
          Embed(
            "Address", into: MemberPlace("Person", "home"), MemberPlace("Firm", "site"),
            policy: policy)
        }
      }
    }
    // Number 12 belongs to nobody, which only the second barrier finds.
    #expect(throws: StoreError.self) { try RelationTests.open(fileSystem, history(.fail)).close() }
    var store = try RelationTests.open(fileSystem, RelationTests.original)
    #expect(try RelationTests.object(store, "Address", 10)["street"] == "S10")
    try store.close()
    store = try RelationTests.open(fileSystem, history(.deleteOrphans))
    #expect(
      try RelationTests.object(store, "Person", 1)["home"] == .object(["street": "new"]))
    #expect(try RelationTests.object(store, "Firm", "f")["site"] == .object(["street": "new"]))
    #expect(try store.statistics().types.map(\.type).contains("Address") == false)
    try store.close()
  }
}
