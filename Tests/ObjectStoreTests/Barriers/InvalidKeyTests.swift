import FileIO
import LogStore
import ObjectStore
import StorageTestSupport
import Testing

/// Values that cannot be keys, met by barriers.
@Suite struct InvalidKeyTests {
  private static let base = Base(0) {
    Type("Person", key: "id") {
      Field("id", .int64)
      Field("email", .string)
    }
  }

  /// A history whose barrier runs code on people and tags, which are new.
  private static func tagging(_ body: @escaping BarrierStep.Body) -> SchemaHistory {
    SchemaHistory {
      base
      Version(1) {
        Type("Tag", key: "id") { Field("id", .string) }
        Barrier("tags", touching: "Person", "Tag") { store in try body(store) }
      }
    }
  }

  private static func makeStore(_ emails: [String]) throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    let store = try BarrierTests.open(fileSystem, SchemaHistory { base })
    try store.write { transaction in
      for (id, email) in emails.enumerated() {
        try transaction.put(
          transaction.makeObject(
            ofType: "Person", ["id": .int(Int64(id)), "email": .string(email)]))
      }
    }
    try store.close()
    return fileSystem
  }

  @Test(
    "R33: a Rekey to what is no key says which type, operation and objects, and changes nothing")
  func rekey() throws {
    let long = String(repeating: "x", count: 5000)
    let fileSystem = try Self.makeStore(["a", "", long, "b"])
    let history = SchemaHistory {
      Self.base
      Version(1) { Rekey("Person", to: "email") }
    }
    let before = try fileSystem.filesByName(in: "/people")
    do {
      try BarrierTests.open(fileSystem, history).close()
      Issue.record("it was opened")
    } catch StoreError.schema(.barrierFailed(let operationID, let underlying)) {
      #expect(operationID == "v1/Person/1")
      for part in ["2 objects", "Person 1 ", "Person 2 ", "email"] {
        #expect(underlying.contains(part), "\(underlying)")
      }
      #expect(!underlying.contains("xxx"))
    }
    #expect(try fileSystem.filesByName(in: "/people") == before)
    let store = try BarrierTests.open(fileSystem, SchemaHistory { Self.base })
    #expect(try BarrierTests.all(store).count == 4)
    try store.close()
  }

  @Test("Code of a barrier finds nothing under what no object can have as its key")
  func lookingUp() throws {
    let fileSystem = try Self.makeStore(["a"])
    let history = Self.tagging { store in
      for key in ["", .string(String(repeating: "x", count: 5000))] as [Value] {
        if try store.object("Tag", key: key) != nil { throw CancellationError() }
        try store.delete("Tag", key: key)
      }
      try store.create("Tag", ["id": "made"])
    }
    let store = try BarrierTests.open(fileSystem, history)
    #expect(try store.snapshot().object(ofType: "Tag", key: "made") != nil)
    try store.close()
  }

  @Test("Code of a barrier that uses what is no key fails with the name of the barrier")
  func code() throws {
    let fileSystem = try Self.makeStore(["a"])
    let history = Self.tagging { store in
      try store.create("Tag", ["id": ""])
    }
    do {
      try BarrierTests.open(fileSystem, history).close()
      Issue.record("it was opened")
    } catch StoreError.schema(.barrierFailed(let operationID, let underlying)) {
      #expect(operationID == "v1/barrier:tags")
      #expect(underlying.contains("primary key"))
    }
  }
}
