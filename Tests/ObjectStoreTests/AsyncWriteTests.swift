import FileIO
import Foundation
import ObjectStore
import StorageTestSupport
import Testing

@Suite struct AsyncWriteTests {
  @Test("Writes of many tasks are serial, and types they are first to write are described once")
  func writesOfManyTasks() async throws {
    let fileSystem = InMemoryFileSystem()
    let store = try AbandonedWriteTests.open(fileSystem)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, type) in ["Person", "Pet", "Plant", "Pet", "Plant", "Person"].enumerated() {
        group.addTask {
          do {
            try await store.write { transaction in
              try AbandonedWriteTests.put(transaction, type)
              if number % 2 == 1 { throw AbandonedWriteTests.Abandoned() }
            }
          } catch is AbandonedWriteTests.Abandoned {}
        }
      }
      try await group.waitForAll()
    }
    try Self.expectEveryType(store)
    try Self.close(store)
    try Self.expectEveryType(try AbandonedWriteTests.open(fileSystem))
  }

  private static func expectEveryType(_ store: Store) throws {
    let snapshot = store.snapshot()
    #expect(try snapshot.object(ofType: "Person", key: .string("Ada")) != nil)
    #expect(try snapshot.object(ofType: "Pet", key: .int(7)) == nil)
    #expect(try snapshot.object(ofType: "Plant", key: .int(9))?["height"] == .double(1.5))
  }

  @Test("A write of a task that is cancelled already changes nothing and throws")
  func cancelledTask() async throws {
    let fileSystem = InMemoryFileSystem()
    let store = try AbandonedWriteTests.open(fileSystem)
    let before = try fileSystem.filesByName(in: "/store")
    let task = Task {
      while !Task.isCancelled { try? await Task.sleep(for: .milliseconds(1)) }
      try await store.write { try AbandonedWriteTests.put($0, "Pet") }
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try store.snapshot().object(ofType: "Pet", key: .int(7)) == nil)
    #expect(try fileSystem.filesByName(in: "/store") == before)
    try Self.close(store)
  }

  @Test("A write that is cancelled while another one's body runs changes nothing and throws")
  func cancelledBehindABody() async throws {
    let store = try AbandonedWriteTests.open(InMemoryFileSystem())
    let (begun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let body = Thread {
      try? store.write { transaction in
        begun.signal()
        mayEnd.wait()
        try AbandonedWriteTests.put(transaction, "Plant")
      }
      begun.signal()
    }
    body.start()
    begun.wait()
    let task = Task { try await store.write { try AbandonedWriteTests.put($0, "Pet") } }
    // Until it waits for the other one; where it does not yet, it is refused before.
    try await Task.sleep(for: .milliseconds(50))
    task.cancel()
    mayEnd.signal()
    await #expect(throws: CancellationError.self) { try await task.value }
    begun.wait()
    #expect(try store.snapshot().object(ofType: "Pet", key: .int(7)) == nil)
    #expect(try store.snapshot().object(ofType: "Plant", key: .int(9)) != nil)
    try Self.close(store)
  }

  private static func close(_ store: Store) throws { try store.close() }
}
