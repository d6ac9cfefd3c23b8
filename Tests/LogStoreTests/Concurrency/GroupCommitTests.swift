import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Commits while a synchronization is held up: what is seen, and how many synchronizations follow.
@Suite struct GroupCommitTests {
  /// Holds synchronizations up, and counts them.
  private final class Brake: Sendable {
    private struct State {
      var isHeld = false
      var count = 0
    }

    private let state = Lock(State())

    func hold(_ isHeld: Bool) { state.withLock { state in state.isHeld = isHeld } }
    var count: Int { state.withLock { state in state.count } }

    func synchronizes() {
      state.withLock { state in state.count += 1 }
      while state.withLock({ state in state.isHeld }) {}
    }
  }

  private static func open(_ brake: Brake) throws -> Log {
    let observed = ObservedFileSystem(InMemoryFileSystem()) { call in
      if call == .synchronize { brake.synchronizes() }
    }
    let log = try Log.open(at: "/store", fileSystem: observed)
    // The first commit begins a segment, which synchronizes more.
    try TestLog.put([0], log)
    return log
  }

  /// Runs `write` for numbers from 2 on while the commit of 1 waits for its synchronization.
  private static func whileOneWaits(
    _ log: Log, _ brake: Brake, writers: Int,
    _ write: @escaping @Sendable (Int) throws -> Void
  ) -> (failures: [String], synchronizations: Int) {
    let before = brake.count
    brake.hold(true)
    let start = log.pipeline.appendedSequence().rawValue
    let failures = Threads.run(writers + 2) { thread in
      switch thread {
      case 0: try TestLog.put([1], log)
      case 1:
        // Lets go when all have appended, and looks at what readers see until then.
        let last = start + 1 + UInt64(writers)
        while log.pipeline.appendedSequence().rawValue < last {
          guard log.snapshot().lastSequence.rawValue == start else {
            brake.hold(false)
            throw CaseFailure("a commit was seen before it was durable")
          }
        }
        brake.hold(false)
      default:
        while brake.count == before {}
        try write(thread)
        guard try TestLog.contents(log)[TestLog.key(thread)] != nil else {
          throw CaseFailure("a writer does not see its commit")
        }
      }
    }
    return (failures, brake.count - before)
  }

  @Test("P2, P5: transactions append while another is synchronized, and share the next one")
  func transactionsShareASynchronization() throws {
    let brake = Brake()
    let log = try Self.open(brake)
    let outcome = Self.whileOneWaits(log, brake, writers: 6) { number in
      try log.transact { transaction in
        try transaction.put(
          TestLog.key(number), in: TestLog.people, schemaVersion: 0,
          payload: TestLog.payload(number))
      }
    }
    #expect(outcome.failures == [])
    #expect(outcome.synchronizations == 2)
    #expect(try TestLog.contents(log) == TestLog.expected(0..<8))
    try log.close()
  }

  @Test("P2, P5: batches append while another is synchronized, and share the next one")
  func batchesShareASynchronization() throws {
    let brake = Brake()
    let log = try Self.open(brake)
    let outcome = Self.whileOneWaits(log, brake, writers: 6) { number in
      try TestLog.put([number], log)
    }
    #expect(outcome.failures == [])
    #expect(outcome.synchronizations == 2)
    #expect(try TestLog.contents(log) == TestLog.expected(0..<8))
    try log.close()
  }

  @Test("P5: a transaction builds on one that is not durable yet")
  func transactionsBuildOnTheHead() throws {
    let brake = Brake()
    let log = try Self.open(brake)
    let outcome = Self.whileOneWaits(log, brake, writers: 5) { number in
      try log.transact { transaction in
        let key = TestLog.key(1000)
        let old = try transaction.record(for: key, in: TestLog.people)?.payload ?? []
        try transaction.put(
          key, in: TestLog.people, schemaVersion: 0, payload: old + [UInt8(number)])
      }
      try TestLog.put([number], log)
    }
    // Each writer appends two commits, so the brake goes when five of the ten are there.
    #expect(outcome.failures == [])
    let list = try #require(try TestLog.contents(log)[TestLog.key(1000)])
    #expect(list.sorted() == [2, 3, 4, 5, 6])
    try log.close()
  }

  @Test("P2, P5: a commit that must be durable is not seen with one before it that was not")
  func durableCommitsAreNotSeenWithLaggingOnes() throws {
    let brake = Brake()
    let log = try Self.open(brake)
    let lagging = try log.put(
      TestLog.key(1), in: TestLog.people, schemaVersion: 0, payload: TestLog.payload(1),
      durability: .process)
    let before = brake.count
    brake.hold(true)
    // Nobody asks for anything that would publish what lags until the second is synchronized.
    let failures = Threads.run(2) { thread in
      guard thread == 0 else { return try TestLog.put([2], log) }
      defer { brake.hold(false) }
      while brake.count == before {}
      guard log.snapshot().lastSequence == lagging,
        try TestLog.contents(log) == TestLog.expected(0..<2)
      else { throw CaseFailure("not what was acknowledged is seen, or more") }
    }
    #expect(failures == [])
    #expect(try TestLog.contents(log) == TestLog.expected(0..<3))
    try log.close()
  }

  @Test("P2, P5: a commit that need not be durable waits for one before it that must be")
  func laterCommitsDoNotOvertake() throws {
    let brake = Brake()
    let log = try Self.open(brake)
    let outcome = Self.whileOneWaits(log, brake, writers: 3) { number in
      let batch = log.makeBatch()
      try batch.put(
        TestLog.key(number), in: TestLog.people, schemaVersion: 0, payload: TestLog.payload(number))
      try log.commit(batch, durability: .process)
    }
    #expect(outcome.failures == [])
    #expect(try TestLog.contents(log) == TestLog.expected(0..<5))
    try log.close()
  }

  @Test("P10: commits that were appended when a synchronization fails all fail, and are not seen")
  func aFailureReachesAllThatWait() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try TestLog.open(fileSystem)
    try TestLog.put([1], log)
    let requests = try (2..<6).map { number in
      let batch = log.makeBatch()
      try batch.put(TestLog.key(number), in: TestLog.people, schemaVersion: 0, payload: [])
      return CommitRequest(batch, durability: .full)
    }
    log.pipeline.enter("a test")
    for request in requests { log.pipeline.append([request]) }
    log.pipeline.leave()
    fileSystem.setFaults([
      FaultPlan(
        operation: 1, .failedSynchronization(.keptAndMarkedClean), isPermanent: true,
        kinds: [.synchronize])
    ])
    for request in requests { log.pipeline.finish([request], callerCount: 1) }
    for request in requests {
      guard request.failure != nil else {
        Issue.record("a commit succeeded after a failed synchronization")
        continue
      }
    }
    #expect(try TestLog.contents(log) == TestLog.expected([1]))
    fileSystem.setFaults([])
    #expect(throws: LogError.self) { try log.transact { _ in } }
    #expect(throws: LogError.self) { try log.synchronize() }
  }

  @Test("what was committed for the process only is durable after waiting for it")
  func waitingMakesDurable() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try TestLog.open(fileSystem, durability: .process)
    try TestLog.put([1], log)
    let batch = log.makeBatch()
    try batch.put(
      TestLog.key(2), in: TestLog.people, schemaVersion: 0, payload: TestLog.payload(2))
    let sequence = try log.commit(batch)
    try TestLog.put([3], log)
    try log.waitUntilDurable(sequence)
    // It has no effect on what is durable already, and asks for no more than there is.
    let operations = fileSystem.operationCount
    try log.waitUntilDurable(sequence)
    try log.waitUntilDurable(CommitSequence(1_000_000))
    #expect(fileSystem.operationCount == operations)
    let point = fileSystem.crashPoint()
    for choice in point.choices(exhaustiveUnitCount: 4, randomCount: 8) {
      let recovered = try TestLog.open(point.afterCrash(choice))
      #expect(try TestLog.contents(recovered) == TestLog.expected(1..<4))
    }
  }

  @Test("an index that is lost fails no commit of a group: what it says is needed for totals only")
  func lostIndexFailsNothing() throws {
    let fileSystem = InMemoryFileSystem()
    for number in 1...2 {
      let log = try TestLog.open(fileSystem)
      try TestLog.put([number], log)
      try log.close()
    }
    let log = try TestLog.open(fileSystem)
    let directory = try fileSystem.openDirectory(at: "/store", create: false)
    let oldest = try #require(log.pipeline.sealed.min { $0.identifier < $1.identifier })
    try directory.remove(oldest.name)
    let requests = try [1, 2, 1].map { number in
      let batch = log.makeBatch()
      try batch.put(
        TestLog.key(number), in: TestLog.people, schemaVersion: 0,
        payload: TestLog.payload(number + 10))
      return CommitRequest(batch, durability: .full)
    }
    log.pipeline.enter("a test")
    log.pipeline.append(requests)
    log.pipeline.leave()
    log.pipeline.finish(requests, callerCount: requests.count)
    #expect(try requests.map { try $0.outcome().rawValue } == [3, 4, 5])
    for number in 1...2 {
      let record = try log.snapshot().record(for: TestLog.key(number), in: TestLog.people)
      #expect(record?.payload == TestLog.payload(number + 10))
    }
    // The record that cannot be found any more counts as live.
    #expect(try log.statistics().live.recordCount == 3)
    try log.close()
  }

  @Test(
    "P10: closing a poisoned log says when acknowledged commits are not durable",
    arguments: [Durability.process, .full])
  func closingTellsWhatIsNotDurable(durability: Durability) throws {
    let fileSystem = SimulatedFileSystem()
    let log = try TestLog.open(fileSystem, durability: durability)
    try TestLog.put([1], log)
    try log.synchronize()
    if durability == .process { try TestLog.put([2], log) }
    fileSystem.setFaults([
      FaultPlan(
        operation: 1, .failedSynchronization(.keptAndMarkedClean), isPermanent: true,
        kinds: [.synchronize])
    ])
    let batch = log.makeBatch()
    try batch.delete(TestLog.key(1), in: TestLog.people)
    #expect(throws: LogError.self) { try log.commit(batch, durability: .full) }
    if durability == .process {
      #expect(throws: LogError.self) { try log.close() }
    } else {
      try log.close()
    }
    // It is closed either way, and the lock is given back.
    #expect(throws: LogError.closed) { try log.commit(log.makeBatch()) }
    fileSystem.setFaults([])
    try TestLog.open(fileSystem).close()
  }
}
