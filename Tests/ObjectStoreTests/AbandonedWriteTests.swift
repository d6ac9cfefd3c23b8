import Dispatch
import FileIO
import Foundation
import ObjectStore
import StorageTestSupport
import Testing

/// Writes that describe a type for the first time and then fail.
@Suite struct AbandonedWriteTests {
  struct Abandoned: Error {}

  static let history = SchemaHistory {
    Base(0) {
      Type("Person", key: "name") {
        Field("name", .string)
        Field("note", .string)
      }
      Type("Pet", key: "number") {
        Field("number", .int64)
        Field("age", .int64)
      }
      Type("Plant", key: "number") {
        Field("number", .int64)
        Field("height", .double)
      }
    }
  }

  static func open(_ fileSystem: any FileSystem) throws -> Store {
    try Store.open(at: "/store", history: history, configuration: .quiet, fileSystem: fileSystem)
  }

  static func put(_ transaction: StoreTransaction, _ type: String) throws {
    let values: [String: Value] =
      switch type {
      case "Person": ["name": .string("Ada"), "note": .string("first")]
      case "Pet": ["number": .int(7), "age": .int(3)]
      default: ["number": .int(9), "height": .double(1.5)]
      }
    try transaction.put(try transaction.makeObject(ofType: type, values))
  }

  @Test("A type read in a write that was given up leaves no trace in the reading of others")
  func anAbandonedTypeLeavesNoPlan() throws {
    let fileSystem = InMemoryFileSystem()
    let store = try Self.open(fileSystem)
    #expect(throws: Abandoned.self) {
      try store.write { transaction in
        try Self.put(transaction, "Person")
        let own = try transaction.object(ofType: "Person", key: .string("Ada"))
        #expect(own?["note"] == .string("first"))
        throw Abandoned()
      }
    }
    try store.write { try Self.put($0, "Pet") }
    let pet = try store.snapshot().object(ofType: "Pet", key: .int(7))
    #expect(pet?.typeName == "Pet")
    #expect(pet?["age"] == .int(3))
  }

  @Test("A write that fails beside others takes back its own descriptions only", arguments: 0..<150)
  func aFailedWriteTakesBackItsOwn(round: Int) throws {
    let fileSystem = InMemoryFileSystem()
    let store = try Self.open(fileSystem)
    let group = DispatchGroup()
    let begun = DispatchSemaphore(value: 0)
    let failures = Lock<[String]>([])
    group.enter()
    let other = Thread {
      defer { group.leave() }
      begun.wait()
      do { try store.write { try Self.put($0, "Pet") } } catch {
        let text = "\(error)"
        failures.withLock { failures in failures.append(text) }
      }
    }
    other.start()
    _ = try? store.write { transaction in
      try Self.put(transaction, "Person")
      begun.signal()
      usleep(200)
      throw Abandoned()
    }
    group.wait()
    #expect(failures.withLock { failures in failures } == [])
    try store.write { try Self.put($0, "Plant") }
    #expect(try store.snapshot().object(ofType: "Pet", key: .int(7))?["age"] == .int(3))
    #expect(try store.snapshot().object(ofType: "Plant", key: .int(9))?["height"] == .double(1.5))
    #expect(try store.snapshot().object(ofType: "Plant", key: .int(7)) == nil)
    try store.close()
    let again = try Self.open(fileSystem)
    #expect(try again.snapshot().object(ofType: "Pet", key: .int(7))?["age"] == .int(3))
  }
}
