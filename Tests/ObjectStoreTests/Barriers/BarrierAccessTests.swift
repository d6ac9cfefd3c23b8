import FileIO
import ObjectStore
import StorageTestSupport
import Testing

@Suite("What the code of a barrier may do to objects, and what it is told of the rest")
struct BarrierAccessTests {
  private static func history(_ body: @escaping BarrierStep.Body) -> SchemaHistory {
    SchemaHistory {
      BarrierTests.base
      Version(1) { Type("Pet", key: "id") { Field("id", .int64) } }
      Version(2) { Barrier("work", touching: "Person") { store in try body(store) } }
    }
  }

  /// The reason why a barrier fails, of which nothing is left then.
  private static func reason(_ body: @escaping BarrierStep.Body) throws -> String? {
    let fileSystem = try BarrierTests.makeStore()
    let before = try fileSystem.filesByName(in: "/people")
    var reason: String?
    do {
      try BarrierTests.open(fileSystem, history(body)).close()
    } catch StoreError.schema(.barrierFailed("v2/barrier:work", let underlying)) {
      reason = underlying
      #expect(try fileSystem.filesByName(in: "/people") == before)
    }
    return reason
  }

  @Test("R32: delete-all of a type that there is and that is not touched fails; nothing survives")
  func untouchedType() throws {
    let reason = try Self.reason { store in
      guard try !store.deleteAll("Ghost") else { throw CaseFailure("there is no Ghost") }
      try store.deleteAll("Pet")
    }
    #expect(reason == "Pet is not among the types that it touches")
  }

  @Test("R31: an object that the body deletes itself is gone, whatever it returns")
  func deletedByBody() throws {
    let history = Self.history { store in
      try store.forEach("Person") { old, new in
        guard case .int(let id) = old["id"], id < 10 else { return .keep }
        new["name"] = "changed"
        try store.delete("Person", key: old["id"])
        return id < 5 ? .keep : .drop
      }
    }
    let store = try BarrierTests.open(try BarrierTests.makeStore(), history)
    #expect(try BarrierTests.all(store).map(\.key) == (10..<50).map { .int($0) })
    try store.close()
  }

  @Test("R31: an object that the body makes anew fails the barrier: one of both would be lost")
  func madeAnew() throws {
    for outcome in [StepOutcome.keep, .drop] {
      let reason = try Self.reason { store in
        try store.forEach("Person") { old, _ in
          guard old["id"] == 7 else { return .keep }
          try store.delete("Person", key: 7)
          try store.create("Person", ["id": 7, "email": "e", "name": "n"])
          return outcome
        }
      }
      #expect(reason?.hasPrefix("Person 7 was changed by the code") == true, "\(reason ?? "")")
    }
  }
}
