import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Transactions that are larger than the memory they may use.
@Suite struct SpilledTransactionTests {
  private static func open(_ fileSystem: any FileSystem) throws(LogError) -> Log {
    var configuration = TestLog.configuration
    configuration.transactionByteCountInMemory = 1 << 10
    configuration.timeSource = ManualTimeSource()
    configuration.randomSource = SeededRandomSource(seed: 3)
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  private static func put(
    _ number: Int, _ payload: [UInt8], _ transaction: Transaction
  ) throws(LogError) {
    try transaction.put(
      TestLog.key(number), in: TestLog.people, schemaVersion: 1, payload: payload)
  }

  private static func names(_ fileSystem: any FileSystem) throws -> [String] {
    try fileSystem.openDirectory(at: "/store", create: false).list()
  }

  /// 40 objects from before, then one transaction of 300 changes over several segments.
  private static func change(
    _ log: Log, seed: UInt64,
    observe: (Transaction, [[UInt8]: [UInt8]]) throws -> Void = { _, _ in }
  ) throws -> [[UInt8]: [UInt8]] {
    var generator = SeededGenerator(seed: seed)
    var expected = try TestLog.contents(log)
    try log.transact { transaction in
      for step in 0..<300 {
        let number = Int.random(in: 0..<60, using: &generator)
        if Int.random(in: 0..<5, using: &generator) == 0 {
          try transaction.delete(TestLog.key(number), in: TestLog.people)
          expected[TestLog.key(number)] = nil
        } else {
          let payload = (0..<Int.random(in: 0..<200, using: &generator)).map { _ in
            UInt8.random(in: 0..<255, using: &generator)
          }
          try Self.put(number, payload, transaction)
          expected[TestLog.key(number)] = payload
        }
        if step % 37 == 0 { try observe(transaction, expected) }
      }
    }
    return expected
  }

  @Test("A transaction reads what it wrote, in memory or on disk; others see all of it or nothing")
  func readsItsOwnWrites() throws {
    let fileSystem = InMemoryFileSystem()
    let log = try Self.open(fileSystem)
    try TestLog.put(0..<40, log)
    let before = try TestLog.contents(log)
    let expected = try Self.change(log, seed: 1) { transaction, expected in
      let cursor = try transaction.records(in: TestLog.people)
      var found: [[UInt8]: [UInt8]] = [:]
      while let (key, record) = try cursor.next() { found[key] = record.payload }
      #expect(found == expected)
      for number in 0..<60 {
        let payload = try transaction.record(for: TestLog.key(number), in: TestLog.people)?.payload
        if payload != expected[TestLog.key(number)] { Issue.record("key \(number) differs") }
      }
      #expect(try TestLog.contents(log) == before)
    }
    try TestLog.compare(log, expected)
    try TestLog.put([1000], log)
    try log.close()
    let again = try Self.open(fileSystem)
    try TestLog.compare(again, expected.merging(TestLog.expected([1000])) { $1 })
    try again.close()
    let report = try LogVerifier.verify("/store", fileSystem: fileSystem)
    #expect(report.isIntact)
  }

  @Test("P1: a large transaction that throws leaves no change, no file and no count behind")
  func leavesNothingWhenItThrows() throws {
    let fileSystem = InMemoryFileSystem()
    let log = try Self.open(fileSystem)
    try TestLog.put(0..<40, log)
    try log.sealActiveSegment()
    let names = try Self.names(fileSystem)
    let segments = try log.statistics().segments
    for seed in UInt64(1)...3 {
      #expect(throws: CaseFailure.self) {
        _ = try Self.change(log, seed: seed) { _, expected in
          if expected.count > 45 { throw CaseFailure("given up") }
        }
      }
    }
    #expect(try Self.names(fileSystem) == names)
    #expect(try log.statistics().segments == segments)
    try TestLog.compare(log, TestLog.expected(0..<40))
    let expected = try Self.change(log, seed: 9)
    try TestLog.compare(log, expected)
    try log.close()
  }

  @Test("Compaction beside a large transaction counts what it made dead, and only when it commits")
  func countsBesideCompaction() throws {
    for commits in [true, false] {
      let fileSystem = InMemoryFileSystem()
      let log = try Self.open(fileSystem)
      try TestLog.put(0..<40, log)
      try log.sealActiveSegment()
      let sealed = try log.statistics().segments.map(\.identifier)
      let rewrite = try log.beginRewrite(of: Set(sealed))
      var expected = try TestLog.contents(log)
      do {
        expected = try Self.change(log, seed: 4) { _, expected in
          if !commits, expected.count > 45 { throw CaseFailure("given up") }
        }
      } catch is CaseFailure {}
      while let record = try rewrite.next() { try rewrite.keep(record) }
      try rewrite.publish()
      try TestLog.compare(log, expected)
      try log.close()
      try TestLog.compare(try Self.open(fileSystem), expected)
    }
  }

  @Test(
    "P1, P2: a crash at any operation of a large transaction leaves all of it or nothing",
    arguments: CrashProfile.allCases)
  func isAtomicUnderCrashes(profile: CrashProfile) throws {
    let fileSystem = SimulatedFileSystem(profile: profile)
    let log = try Self.open(fileSystem)
    try TestLog.put(0..<40, log)
    fileSystem.recordCrashPoints()
    let before = try TestLog.contents(log)
    let expected = try Self.change(log, seed: 5)
    let acknowledged = fileSystem.operationCount
    try TestLog.put([1000], log)
    let later = expected.merging(TestLog.expected([1000])) { $1 }
    var states = 0
    for point in fileSystem.crashPoints {
      for choice in point.choices(exhaustiveUnitCount: 3, randomCount: 3, seed: 5) {
        states += 1
        let crashed = point.afterCrash(choice)
        let recovered = try Self.open(crashed)
        let found = try TestLog.contents(recovered)
        let allowed = point.operation >= acknowledged ? [expected, later] : [before, expected]
        guard allowed.contains(found) else {
          Issue.record("\(point), \(choice): \(found.count) objects")
          return
        }
        try TestLog.put([2000], recovered)
        try TestLog.compare(recovered, found.merging(TestLog.expected([2000])) { $1 })
        try recovered.close()
      }
    }
    print("\(profile): \(states) crash states of a spilled transaction")
    #expect(states > 500)
  }

  @Test(
    "P9, P11: an error at any operation of a large transaction leaves all of it or nothing",
    arguments: [FileIOError.Reason.ioError, .noSpace])
  func isAtomicUnderErrors(reason: FileIOError.Reason) throws {
    let rehearsal = SimulatedFileSystem()
    let log = try Self.open(rehearsal)
    try TestLog.put(0..<40, log)
    let before = try TestLog.contents(log)
    let first = rehearsal.operationCount
    let expected = try Self.change(log, seed: 6)
    for operation in (first + 1)...rehearsal.operationCount {
      let fileSystem = SimulatedFileSystem()
      let log = try Self.open(fileSystem)
      try TestLog.put(0..<40, log)
      #expect(try TestLog.contents(log) == before)
      fileSystem.setFaults([FaultPlan(operation: operation, .fail(reason))])
      var failed = false
      do { _ = try Self.change(log, seed: 6) } catch { failed = true }
      fileSystem.setFaults([])
      #expect(fileSystem.firedFaultCount == 1, "operation \(operation)")
      let found = try TestLog.contents(log)
      guard found == (failed ? before : expected) else {
        Issue.record("\(reason) at operation \(operation): \(found.count) objects are seen")
        return
      }
      // A log that is not poisoned goes on.
      try? TestLog.put([1000], log)
      try? log.close()
      let again = try TestLog.contents(try Self.open(fileSystem.pristineCopy()))
      let without = again.filter { $0.key != TestLog.key(1000) }
      guard without == before || without == expected, failed || without == expected else {
        Issue.record("\(reason) at operation \(operation): \(again.count) objects are recovered")
        return
      }
    }
  }
}
