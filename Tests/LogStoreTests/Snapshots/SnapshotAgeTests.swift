import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// What snapshots pin, how old they are, and how long they may be used.
@Suite struct SnapshotAgeTests {
  private let time = ManualTimeSource(secondsSince1970: 1_000_000_000)
  private let fileSystem = SimulatedFileSystem()

  private func open(
    maximumAge: UInt64? = nil, timeSource: (any TimeSource)? = nil
  ) throws -> Log {
    var configuration = TestLog.configuration
    configuration.timeSource = timeSource ?? time
    configuration.snapshotMaximumAge = maximumAge
    let log = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    try TestLog.put(0..<100, log)
    try log.sealActiveSegment()
    return log
  }

  private var segmentCount: Int {
    fileSystem.snapshotOfFiles(in: "/store").keys.count { $0.hasPrefix("segment") }
  }

  @Test("statistics tell of the oldest snapshot, its age, and the bytes that snapshots pin")
  func statisticsTellOfSnapshots() throws {
    let log = try open()
    #expect(try log.statistics().snapshots.count == 0)
    var oldest: Snapshot? = log.snapshot()
    time.set(secondsSince1970: 1_000_000_007)
    let newer = log.snapshot()
    let file = try #require(
      fileSystem.snapshotOfFiles(in: "/store").first { $0.key.hasPrefix("segment") })
    try ManifestRebuildingTests.rewriteAll(log)
    time.set(secondsSince1970: 1_000_000_010)
    var found = try log.statistics().snapshots
    #expect(found.count == 2)
    #expect(found.oldestAge == 10)
    #expect(found.oldestSequence == oldest?.lastSequence)
    #expect(found.pinnedByteCount == UInt64(file.value.count))
    oldest = nil
    found = try log.statistics().snapshots
    #expect(found.count == 1)
    #expect(found.oldestAge == 3)
    #expect(found.pinnedByteCount == UInt64(file.value.count))
    withExtendedLifetime(newer) {}
  }

  @Test("a snapshot above the age says so when it is used, and pins nothing any more")
  func anOldSnapshotExpiresWhenItIsUsed() throws {
    let log = try open(maximumAge: 60)
    let snapshot = log.snapshot()
    try ManifestRebuildingTests.rewriteAll(log)
    #expect(segmentCount == 2)
    time.set(secondsSince1970: 1_000_000_060)
    #expect(try snapshot.record(for: TestLog.key(3), in: TestLog.people) != nil)
    time.set(secondsSince1970: 1_000_000_061)
    #expect(throws: LogError.snapshotExpired(age: 61, maximum: 60)) {
      try snapshot.record(for: TestLog.key(3), in: TestLog.people)
    }
    #expect(throws: LogError.self) { try snapshot.records(in: TestLog.people) }
    #expect(segmentCount == 1)
    #expect(try log.statistics().snapshots.pinnedByteCount == 0)
  }

  @Test("a snapshot that is never used again lets go with the next commit")
  func anOldSnapshotExpiresWithACommit() throws {
    let log = try open(maximumAge: 60)
    let snapshot = log.snapshot()
    try ManifestRebuildingTests.rewriteAll(log)
    time.set(secondsSince1970: 1_000_001_000)
    #expect(segmentCount == 2)
    try TestLog.put([1000], log)
    // The compacted segment, and the one that the commit began.
    #expect(segmentCount == 2)
    #expect(try log.statistics().snapshots.pinnedByteCount == 0)
    // A clock that is set back does not bring it back.
    time.set(secondsSince1970: 1_000_000_000)
    #expect(throws: LogError.snapshotExpired(age: 0, maximum: 60)) {
      try snapshot.record(for: TestLog.key(3), in: TestLog.people)
    }
    #expect(snapshot.lastSequence.rawValue == 100)
  }

  @Test("a snapshot that is never used again lets go with a commit that nobody looks at")
  func anOldSnapshotExpiresWithASmallCommit() throws {
    let log = try open(maximumAge: 60)
    let snapshot = log.snapshot()
    try ManifestRebuildingTests.rewriteAll(log)
    try TestLog.put([1000], log)
    // The one that it pins, the compacted one, and the active one.
    #expect(segmentCount == 3)
    time.set(secondsSince1970: 1_000_001_000)
    try log.put(
      TestLog.key(1001), in: TestLog.people, schemaVersion: 0, payload: [], durability: .process)
    #expect(segmentCount == 2)
    withExtendedLifetime(snapshot) {}
  }

  /// Counts how often it is asked.
  private final class CountingClock: TimeSource {
    private let state = Lock((seconds: UInt64(1_000_000_000), count: 0))
    var count: Int { state.withLock { $0.count } }

    func advance(_ seconds: UInt64) { state.withLock { $0.seconds += seconds } }
    func monotonicNanoseconds() -> UInt64 { 0 }
    func secondsSince1970() -> UInt64 {
      state.withLock { state in
        state.count += 1
        return state.seconds
      }
    }
  }

  @Test("commits ask the clock once for all snapshots, and not at all when none may have to go")
  func expiringCostsLittle() throws {
    let clock = CountingClock()
    let log = try open(maximumAge: 60, timeSource: clock)
    let register = log.pipeline.snapshots
    func readingCount() -> Int {
      let before = clock.count
      register.expire()
      return clock.count - before
    }
    func isExpired(_ snapshot: Snapshot) -> Bool {
      (try? snapshot.record(for: TestLog.key(3), in: TestLog.people)) == nil
    }
    let lasting = log.snapshot(of: log.state, lasting: true)
    #expect(readingCount() == 0)
    let old = (0..<100).map { _ in log.snapshot() }
    #expect(readingCount() == 1)
    clock.advance(30)
    let newer = log.snapshot()
    clock.advance(31)
    #expect(readingCount() == 1)
    #expect(old.allSatisfy(isExpired))
    #expect(!isExpired(newer))
    #expect(readingCount() == 1)
    clock.advance(30)
    #expect(readingCount() == 1)
    #expect(isExpired(newer))
    #expect(readingCount() == 0)
    #expect(!isExpired(lasting))
  }

  @Test("a snapshot of a closed store says so when somebody else has compacted it")
  func aClosedStoreIsNoDamage() throws {
    let log = try open()
    let snapshot = log.snapshot()
    try log.close()
    let other = try TestLog.open(fileSystem)
    try ManifestRebuildingTests.rewriteAll(other)
    #expect(throws: LogError.closed) {
      try snapshot.record(for: TestLog.key(3), in: TestLog.people)
    }
    #expect(throws: LogError.closed) { try snapshot.records(in: TestLog.people) }
    try other.close()
  }

  @Test("so does a cursor that comes to what it had not opened", arguments: [0, 1, 2])
  func aClosedStoreIsNoDamageForCursors(way: Int) throws {
    let fileSystem = SimulatedFileSystem()
    let log = try TestLog.open(fileSystem)
    for start in 0..<10 {
      try TestLog.put((start * 10)..<(start * 10 + 10), log)
      try log.sealActiveSegment()
    }
    try log.close()
    let reader = try TestLog.open(fileSystem)
    let cursor = try reader.snapshot().records(in: TestLog.people)
    #expect(try cursor.next() != nil)
    try reader.close()
    let other = try TestLog.open(fileSystem)
    try ManifestRebuildingTests.rewriteAll(other)
    #expect(throws: LogError.closed) {
      switch way {
      case 0: while try cursor.next() != nil {}
      case 1: while try cursor.withNext({ _ in true }) != nil {}
      default:
        try cursor.seek(to: TestLog.key(95))
        _ = try cursor.next()
      }
    }
    try other.close()
  }
}
