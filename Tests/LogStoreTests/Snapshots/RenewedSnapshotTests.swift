import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// A snapshot is renewed when there is something newer to see, and only then.
@Suite struct RenewedSnapshotTests {
  private static func open(
    _ fileSystem: any FileSystem = InMemoryFileSystem(),
    _ change: (inout LogConfiguration) -> Void = { _ in }
  ) throws -> Log {
    var configuration = TestLog.configuration
    change(&configuration)
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  private static func payload(_ number: Int, _ snapshot: Snapshot) throws -> [UInt8]? {
    try snapshot.record(for: TestLog.key(number), in: TestLog.people)?.payload
  }

  @Test("It is the same while nothing is committed, and sees each commit, of whatever kind")
  func seesEachCommit() throws {
    let log = try Self.open()
    var snapshot = log.snapshot()
    func renew(_ isChanged: Bool, _ comment: Comment) {
      let next = log.snapshot(renewing: snapshot)
      #expect((next !== snapshot) == isChanged, comment)
      #expect(next.lastSequence == log.snapshot().lastSequence, comment)
      snapshot = next
    }
    renew(false, "an empty log")
    for number in 0..<100 {
      try log.put(
        TestLog.key(number), in: TestLog.people, schemaVersion: 0, payload: [UInt8(number)])
      renew(true, "a put")
      #expect(try Self.payload(number, snapshot) == [UInt8(number)])
      renew(false, "nothing")
    }
    let batch = log.makeBatch()
    for number in 0..<100 {
      try batch.put(TestLog.key(number), in: TestLog.people, schemaVersion: 0, payload: [7])
    }
    try log.commit(batch)
    renew(true, "a large batch")
    #expect(try (0..<100).allSatisfy { try Self.payload($0, snapshot) == [7] })
    try log.delete(TestLog.key(3), in: TestLog.people)
    renew(true, "a deletion")
    #expect(try Self.payload(3, snapshot) == nil)
    try log.transact { try $0.delete(TestLog.key(4), in: TestLog.people) }
    renew(true, "a transaction")
    #expect(try Self.payload(4, snapshot) == nil)
    renew(false, "nothing")
  }

  @Test("It pins no segment that compaction replaced")
  func pinsNothing() throws {
    let fileSystem = InMemoryFileSystem()
    let log = try Self.open(fileSystem)
    try TestLog.put(0..<100, log)
    try log.sealActiveSegment()
    var snapshot = log.snapshot()
    try ManifestRebuildingTests.rewriteAll(log)
    #expect(try log.statistics().snapshots.pinnedByteCount > 0)
    let old = snapshot
    snapshot = log.snapshot(renewing: snapshot)
    #expect(snapshot !== old)
    withExtendedLifetime(old) {}
    #expect(try Self.payload(3, snapshot) == Self.payload(3, log.snapshot()))
  }

  @Test("That of another log, or with a limit of age, is never taken for the newest")
  func others() throws {
    let log = try Self.open()
    let other = try Self.open()
    let foreign = other.snapshot()
    #expect(log.snapshot(renewing: foreign) !== foreign)
    let limited = try Self.open { $0.snapshotMaximumAge = 60 }
    let snapshot = limited.snapshot()
    #expect(limited.snapshot(renewing: snapshot) !== snapshot)
  }

  @Test("Beside a writer it is the same until a refresh, which shows what is newer")
  func besideAWriter() throws {
    let fileSystem = InMemoryFileSystem()
    let writer = try Self.open(fileSystem)
    try TestLog.put(0..<10, writer)
    let reader = try Self.open(fileSystem) { $0.access = .readOnly }
    var snapshot = reader.snapshot()
    for round in 1...20 {
      try TestLog.put([10 * round], writer)
      if round.isMultiple(of: 5) { try ManifestRebuildingTests.rewriteAll(writer) }
      #expect(reader.snapshot(renewing: snapshot) === snapshot)
      try reader.refresh()
      let next = reader.snapshot(renewing: snapshot)
      #expect(next !== snapshot)
      #expect(next.lastSequence == writer.snapshot().lastSequence)
      #expect(try Self.payload(10 * round, snapshot) == nil)
      #expect(try Self.payload(10 * round, next) == TestLog.payload(10 * round))
      try reader.refresh()
      let again = reader.snapshot(renewing: next)
      #expect(again.lastSequence == next.lastSequence)
      snapshot = again
    }
    try reader.close()
    try writer.close()
  }

  @Test("Threads that renew see each commit that had returned when they asked")
  func threads() throws {
    let log = try Self.open()
    let count = 20_000
    let done = Lock(0)
    let failures = Threads.run(3) { index in
      if index == 0 {
        for number in 1...count {
          let bytes = withUnsafeBytes(of: UInt64(number).littleEndian) { [UInt8]($0) }
          try log.put(TestLog.key(0), in: TestLog.people, schemaVersion: 0, payload: bytes)
          done.withLock { $0 = number }
        }
        return
      }
      var snapshot = log.snapshot()
      var last = 0
      while last < count {
        let least = done.withLock { $0 }
        snapshot = log.snapshot(renewing: snapshot)
        let bytes = try Self.payload(0, snapshot) ?? []
        let found = bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
        #expect(found >= least && found >= last)
        last = found
      }
    }
    #expect(failures == [])
  }
}
