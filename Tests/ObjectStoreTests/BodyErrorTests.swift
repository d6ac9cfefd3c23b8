import FileIO
import LogStore
import ObjectStore
import Testing

/// What `Documentation/Models.md` says of transactions that throw.
@Suite("What the body of a write throws goes on to the caller as it is")
struct BodyErrorTests {
  static let failure = LogError.copyRefused(path: "/elsewhere", reason: "it is the app's own")

  @Test("An error of another log is none of this store, and nothing has changed")
  func blocking() throws {
    let store = try AbandonedWriteTests.open(InMemoryFileSystem())
    #expect(throws: Self.failure) {
      try store.write { (transaction) throws -> Void in
        try AbandonedWriteTests.put(transaction, "Pet")
        throw Self.failure
      }
    }
    #expect(try store.snapshot().object(ofType: "Pet", key: .int(7)) == nil)
    try store.close()
  }

  @Test("The async form passes it on, too")
  func suspending() async throws {
    let store = try AbandonedWriteTests.open(InMemoryFileSystem())
    await #expect(throws: Self.failure) {
      try await store.write { (transaction) throws -> Void in
        try AbandonedWriteTests.put(transaction, "Pet")
        throw Self.failure
      }
    }
    #expect(try store.snapshot().object(ofType: "Pet", key: .int(7)) == nil)
    try store.close()
  }

  @Test("Errors of the store's own log are errors of the store")
  func ownLog() throws {
    let store = try AbandonedWriteTests.open(InMemoryFileSystem())
    try store.close()
    #expect(throws: StoreError.log(.closed)) {
      try store.write { transaction in try AbandonedWriteTests.put(transaction, "Pet") }
    }
  }

  @Test("So are they in the async form")
  func ownLogSuspending() async throws {
    let store = try AbandonedWriteTests.open(InMemoryFileSystem())
    try store.close()
    await #expect(throws: StoreError.log(.closed)) {
      try await store.write { transaction in try AbandonedWriteTests.put(transaction, "Pet") }
    }
  }
}
