import BinaryCoding
import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Every limit at one below, at itself and at one above: a typed error with its name, nothing
/// written.
@Suite struct LimitTableTests {
  /// A limit and how to reach a value of it in a fresh store.
  struct Row: Sendable, CustomStringConvertible {
    let name: String
    let limit: UInt64
    let attempt: @Sendable (UInt64, Log) throws(LogError) -> Void

    var description: String { name }
  }

  static let rows = [
    Row(name: "key bytes", limit: 4096) { (count, log) throws(LogError) in
      let key = [UInt8](repeating: 7, count: Int(count))
      let batch = log.makeBatch()
      try batch.put(key, in: TestLog.people, schemaVersion: 0, payload: [1])
      try batch.delete(key, in: TestLog.people)
      try batch.put(key, in: TestLog.people, schemaVersion: 0, payload: [2])
      try log.commit(batch)
      let found = try log.snapshot().record(for: key, in: TestLog.people)
      #expect(found?.payload == [2])
    },
    Row(name: "payload bytes", limit: 64 << 20) { (count, log) throws(LogError) in
      let payload = [UInt8](repeating: 0, count: Int(count))
      let batch = log.makeBatch()
      try batch.put([1], in: TestLog.people, schemaVersion: 0, payload: payload)
      try log.commit(batch)
      let found = try log.snapshot().record(for: [1], in: TestLog.people)
      #expect(found?.payload.count == payload.count)
    },
    Row(name: "schema versions", limit: UInt64(Int64.max)) { (version, log) throws(LogError) in
      try TestLog.put([1], log, version: version)
      let found = try log.snapshot().record(for: TestLog.key(1), in: TestLog.people)
      #expect(found?.schemaVersion == version)
    },
    Row(name: "records of a commit", limit: UInt64(UInt32.max)) { (count, _) throws(LogError) in
      try LogLimits.checkCommit(recordCount: Int(count), byteCount: 1)
    },
    Row(name: "bytes of a commit", limit: 1 << 30) { (count, _) throws(LogError) in
      try LogLimits.checkCommit(recordCount: 1, byteCount: Int(count))
    },
    Row(name: "segments", limit: (1 << 20) - 4096) { (count, _) throws(LogError) in
      try LogLimits.checkNextSegment(segmentCount: Int(count) - 1)
    },
    Row(name: "segments ever created", limit: 0xFFF0_0000 - 2) { (number, log) throws(LogError) in
      log.pipeline.manifest.nextSegment = UInt32(number)
      try TestLog.put([1], log)
    },
    Row(name: "records ever written", limit: (1 << 62) - 1) { (number, log) throws(LogError) in
      log.pipeline.lastSequence = CommitSequence(number - 1)
      log.pipeline.durableSequence = log.pipeline.lastSequence
      try TestLog.put([1], log)
    },
  ]

  @Test(
    "Each limit holds to the last: one below and the limit are written, one above is refused",
    arguments: rows)
  func everyLimit(row: Row) throws {
    for value in [row.limit - 1, row.limit] {
      let fileSystem = InMemoryFileSystem()
      let log = try TestLog.open(fileSystem)
      try row.attempt(value, log)
      try log.close()
      #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact, "\(value)")
      try TestLog.open(fileSystem).close()
    }
    let fileSystem = SimulatedFileSystem()
    let log = try TestLog.open(fileSystem)
    let before = fileSystem.snapshotOfFiles(in: "/store")
    do throws(LogError) {
      try row.attempt(row.limit + 1, log)
      Issue.record("\(row.name): one above the limit was accepted")
    } catch {
      #expect(
        error
          == .limitExceeded(name: row.name, maximum: row.limit, actual: row.limit + 1))
      #expect("\(error)".contains(row.name) && "\(error)".contains("\(row.limit)"))
    }
    #expect(fileSystem.snapshotOfFiles(in: "/store") == before)
  }

  @Test("A key needs a byte, in every operation")
  func emptyKeys() throws {
    let log = try TestLog.open(InMemoryFileSystem())
    let batch = log.makeBatch()
    #expect(throws: LogError.emptyKey) {
      try batch.put([], in: TestLog.people, schemaVersion: 0, payload: [])
    }
    #expect(throws: LogError.emptyKey) { try batch.delete([], in: TestLog.people) }
    #expect(throws: LogError.emptyKey) {
      _ = try log.snapshot().record(for: [UInt8](), in: TestLog.people)
    }
    #expect(batch.count == 0)
  }

  @Test("Collections end below 2^24, on disk and in the application")
  func collections() throws {
    let limit = UInt64(1) << 24
    #expect(CollectionIdentifier(exactly: limit - 1)?.rawValue == UInt32(limit - 1))
    #expect(CollectionIdentifier(exactly: limit) == nil)
    #expect(CollectionIdentifier(exactly: limit + 1) == nil)
    let fileSystem = InMemoryFileSystem()
    let log = try TestLog.open(fileSystem)
    let batch = log.makeBatch()
    try batch.put(
      [1], in: CollectionIdentifier(UInt32(limit - 1)), schemaVersion: 0, payload: [1])
    try log.commit(batch)
    try log.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
  }

  @Test("An application's collection beyond the last is a programmer error")
  func collectionBeyondTheLast() async {
    await #expect(processExitsWith: .failure) { _ = CollectionIdentifier(1 << 24) }
  }

  @Test("A batch that met a limit holds what was added before, and can be committed")
  func aBatchGoesOn() throws {
    let log = try TestLog.open(InMemoryFileSystem())
    let batch = log.makeBatch()
    try batch.put(TestLog.key(1), in: TestLog.people, schemaVersion: 0, payload: [1])
    #expect(throws: LogError.self) {
      try batch.delete([UInt8](repeating: 0, count: 4097), in: TestLog.people)
    }
    #expect(batch.count == 1)
    try log.commit(batch)
    #expect(try TestLog.contents(log) == [TestLog.key(1): [1]])
  }
}
