import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// What commits replace in sealed segments is looked up later than they return, and counted all the
/// same.
@Suite struct PendingReplacementsTests {
  /// Some sealed segments with the keys 0 to 199.
  private static func filled(
    _ fileSystem: any FileSystem, readMode: LogConfiguration.ReadMode = .mapped
  ) throws -> Log {
    var log = try TestLog.open(fileSystem, durability: .process)
    try TestLog.put(0..<200, log)
    try log.close()
    log = try TestLog.open(fileSystem, durability: .process, readMode: readMode)
    #expect(!log.pipeline.sealed.isEmpty)
    return log
  }

  private static func put(_ number: Int, _ log: Log) throws {
    try log.put(
      TestLog.key(number), in: TestLog.people, schemaVersion: 0, payload: TestLog.payload(number))
  }

  /// Whether each segment counts what a walk over all indexes finds.
  private static func expectExactTotals(_ log: Log, _ comment: Comment) throws {
    _ = log.liveByVersion
    let found = try LiveTotalsCheck.totals(in: log.pipeline.view)
    for account in log.pipeline.accounts.values {
      let identifier = account.descriptor.identifier
      #expect(account.descriptor.live == found[identifier, default: LiveTotals()], comment)
    }
    #expect(log.pipeline.replacements.isEmpty)
  }

  @Test("P5: totals are exact whenever somebody asks, however many look-ups wait")
  func totalsAreExact() throws {
    for count in 0...40 {
      let log = try Self.filled(InMemoryFileSystem())
      for step in 0..<count {
        // Old keys, some of them twice, new ones, and deletions of both.
        switch step % 5 {
        case 0: try Self.put(step * 3, log)
        case 1: try Self.put(1000 + step, log)
        case 2: try Self.put(step / 2, log)
        case 3: try log.delete(TestLog.key(step * 4), in: TestLog.people)
        default: try log.delete(TestLog.key(2000 + step), in: TestLog.people)
        }
      }
      #expect(count < 20 || log.pipeline.replacements.isEmpty == false || count % 16 == 0)
      try Self.expectExactTotals(log, "\(count) commits")
    }
  }

  @Test("P5: totals are exact after batches of any size, in order and behind all keys")
  func batchesAreExact() throws {
    for count in [1, 2, 15, 16, 17, 31, 32, 33, 200] {
      for start in [0, 150, 1000] {
        let log = try Self.filled(InMemoryFileSystem())
        try TestLog.put(start..<(start + count), log)
        try Self.expectExactTotals(log, "\(count) from \(start)")
        try TestLog.delete(start..<(start + count), log)
        try Self.expectExactTotals(log, "\(count) from \(start) deleted")
      }
    }
  }

  @Test("P5: what a crash leaves waiting is counted after the next opening, and only once")
  func crashesAreExact() throws {
    for count in [1, 7, 16, 20] {
      let fileSystem = SimulatedFileSystem()
      var log = try Self.filled(fileSystem)
      for number in 0..<count { try Self.put(number, log) }
      log = try TestLog.open(fileSystem.crashPoint().afterCrash(.processKill))
      try Self.expectExactTotals(log, "\(count) replayed")
      // Repairs, and then counts what is replaced again.
      for number in 0..<(2 * count) { try Self.put(number, log) }
      try Self.expectExactTotals(log, "\(count) repaired")
      try log.close()
    }
  }

  @Test("an index that cannot be read once fails no commit, and its totals are exact later")
  func passingErrorsAreForgotten() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try Self.filled(fileSystem, readMode: .buffered)
    for number in 0..<15 { try Self.put(number, log) }
    fileSystem.setFaults([
      FaultPlan(
        operation: fileSystem.operationCount + 1, .fail(.ioError), isPermanent: true, kinds: [.read]
      )
    ])
    try Self.put(15, log)
    fileSystem.setFaults([])
    #expect(!log.pipeline.replacements.isEmpty)
    try Self.expectExactTotals(log, "after an error that passed")
  }

  @Test("an index that can never be read keeps nobody from writing and sealing")
  func lastingErrorsAreGivenUp() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try Self.filled(fileSystem, readMode: .buffered)
    for number in 0..<5 { try Self.put(number, log) }
    fileSystem.setFaults([
      FaultPlan(
        operation: fileSystem.operationCount + 1, .fail(.ioError), isPermanent: true, kinds: [.read]
      )
    ])
    var failureCount = 0
    while true {
      do { try log.sealActiveSegment() } catch {
        failureCount += 1
        try #require(failureCount < 10)
        continue
      }
      break
    }
    #expect(failureCount > 0, "a seal does not count what it could know a moment later")
    fileSystem.setFaults([])
    let contents = try TestLog.contents(log)
    #expect(contents == TestLog.expected(0..<200))
    // More is counted than is there, never less.
    #expect(try log.statistics().live.recordCount == 205)
  }
}
