import Dispatch
import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

@Suite("Writes of tasks that wait behind the bodies of others")
struct AsyncGroupTests {
  /// A clock by which a microsecond passes whenever somebody looks, and later an hour.
  private final class LeapingClock: TimeSource {
    private let state = Lock<(now: UInt64, step: UInt64)>((0, 1000))
    func secondsSince1970() -> UInt64 { 1_000_000_000 }
    func monotonicNanoseconds() -> UInt64 {
      state.withLock { state in
        state.now += state.step
        return state.now
      }
    }
    func leap() { state.withLock { $0.step = 3600 * 1_000_000_000 } }
  }

  /// A log with record 0, whose thread for tasks runs a body that ends with ``release()``.
  private struct BlockedLog {
    let log: Log
    private let gate = DispatchSemaphore(value: 0)
    private let blocking: Task<Void, any Error>

    init(_ timeSource: any TimeSource, _ fileSystem: any FileSystem = InMemoryFileSystem())
      async
      throws
    {
      var configuration = TestLog.configuration
      configuration.timeSource = timeSource
      configuration.segmentByteCountMinimum = 1 << 20
      configuration.segmentByteCountMaximum = 1 << 20
      let log = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
      let hasBegun = Lock(false)
      let gate = gate
      self.log = log
      try await log.transact(durability: .full) { try AsyncGroupTests.put(0, $0) }
      blocking = Task {
        try await log.transact { _ in
          hasBegun.withLock { $0 = true }
          gate.wait()
        }
      }
      while !hasBegun.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
    }

    func release() { gate.signal() }

    /// Begins a task and returns when its work waits behind that of `count` others.
    func queue<Result: Sendable>(
      behind count: Int, _ body: @escaping @Sendable () async throws -> Result
    ) async -> Task<Result, any Error> {
      let task = Task { try await body() }
      while log.asyncCommitter.waitingCount <= count {
        try? await Task.sleep(for: .milliseconds(1))
      }
      return task
    }
  }

  private static func put(_ number: Int, _ transaction: Transaction) throws {
    try transaction.put(
      TestLog.key(number), in: TestLog.people, schemaVersion: 0, payload: TestLog.payload(number))
  }

  @Test("a write that is decided or has waited long is through before the body of another runs")
  func bodiesOfOthers() async throws {
    for durability in [Durability.full, .process] {
      // Where no time passes, what needs no synchronization is through even so.
      let clock = LeapingClock()
      let blocked = try await BlockedLog(clock)
      let log = blocked.log
      let isThrough = DispatchSemaphore(value: 0)
      let first = await blocked.queue(behind: 0) {
        try await log.transact(durability: durability) { try Self.put(1, $0) }
        isThrough.signal()
      }
      let second = await blocked.queue(behind: 1) {
        try await log.transact { transaction in
          try Self.put(2, transaction)
          return isThrough.wait(timeout: .now() + 900) == .success
        }
      }
      if durability == .full { clock.leap() }
      blocked.release()
      #expect(try await second.value, "\(durability)")
      try await first.value
      #expect(try TestLog.contents(log) == TestLog.expected([0, 1, 2]))
    }
  }

  @Test("writes with short bodies share one synchronization")
  func shortBodies() async throws {
    let blocked = try await BlockedLog(ManualTimeSource())
    let log = blocked.log
    var tasks: [Task<Void, any Error>] = []
    for number in 0..<10 {
      tasks.append(
        await blocked.queue(behind: number) {
          try await log.transact(durability: .full) { try Self.put(number, $0) }
        })
    }
    let before = log.pipeline.activity.activity.synchronizationCount
    blocked.release()
    for task in tasks { try await task.value }
    #expect(log.pipeline.activity.activity.synchronizationCount <= before + 1)
    #expect(try TestLog.contents(log) == TestLog.expected(0..<10))
  }

  @Test("a failed synchronization reaches all that it was for, and those behind it")
  func failures() async throws {
    let fileSystem = SimulatedFileSystem()
    let clock = LeapingClock()
    let blocked = try await BlockedLog(clock, fileSystem)
    let log = blocked.log
    var tasks: [Task<Void, any Error>] = []
    for number in 1..<5 {
      tasks.append(
        await blocked.queue(behind: number - 1) {
          try await log.transact(durability: .full) { try Self.put(number, $0) }
        })
    }
    fileSystem.setFaults([
      FaultPlan(
        operation: 1, .failedSynchronization(.keptAndMarkedClean), isPermanent: true,
        kinds: [.synchronize])
    ])
    clock.leap()
    blocked.release()
    for task in tasks { await #expect(throws: LogError.self) { try await task.value } }
    #expect(try TestLog.contents(log) == TestLog.expected([0]))
  }

  @Test("a write whose task is cancelled before its body begins changes nothing, and says so")
  func cancelled() async throws {
    let blocked = try await BlockedLog(ManualTimeSource())
    let log = blocked.log
    let hasRun = Lock(false)
    let cancelled = await blocked.queue(behind: 0) {
      try await log.transact { transaction in
        hasRun.withLock { $0 = true }
        try Self.put(1, transaction)
      }
    }
    let kept = await blocked.queue(behind: 1) {
      try await log.transact { try Self.put(2, $0) }
    }
    // A commit of a batch is made all the same.
    let batch = await blocked.queue(behind: 2) {
      let batch = log.makeBatch()
      try batch.put(
        TestLog.key(3), in: TestLog.people, schemaVersion: 0, payload: TestLog.payload(3))
      return try await log.commit(batch)
    }
    cancelled.cancel()
    batch.cancel()
    blocked.release()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    try await kept.value
    _ = try await batch.value
    #expect(!hasRun.withLock { $0 })
    #expect(try TestLog.contents(log) == TestLog.expected([0, 2, 3]))
    try await log.transact { try Self.put(4, $0) }
    #expect(try TestLog.contents(log) == TestLog.expected([0, 2, 3, 4]))
  }
}
