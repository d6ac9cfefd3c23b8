import Dispatch
import FileIO
import Foundation
import StorageTestSupport
import Testing

@testable import LogStore

@Suite("What is seen has succeeded, also where a synchronization fails")
struct FailedHeadTests {
  /// Synchronizations that wait until they are let go, one after another.
  private final class HeldDisk: Sendable {
    private let isHolding = Lock(false)
    private let begun = DispatchSemaphore(value: 0)
    private let released = DispatchSemaphore(value: 0)
    private let failing = Lock(false)

    func hold() { isHolding.withLock { $0 = true } }
    func awaitSynchronization() -> Bool { begun.wait(timeout: .now() + 60) == .success }
    func release(failing fails: Bool) {
      if fails { isHolding.withLock { $0 = false } }
      failing.withLock { $0 = fails }
      released.signal()
    }

    func synchronize() throws(FileIOError) {
      guard isHolding.withLock({ $0 }) else { return }
      begun.signal()
      released.wait()
      guard failing.withLock({ $0 }) else { return }
      throw FileIOError(.ioError, operation: "synchronize", path: "/store")
    }
  }

  private static func put(_ number: Int, _ log: Log, _ durability: Durability) throws(LogError) {
    let batch = log.makeBatch()
    try batch.put(
      TestLog.key(number), in: TestLog.people, schemaVersion: 0, payload: TestLog.payload(number))
    try log.commit(batch, durability: durability)
  }

  @Test("A write that need not be durable, and that others built on, does not fail with the disk")
  func builtOn() throws {
    let disk = HeldDisk()
    let fileSystem = ObservedFileSystem(InMemoryFileSystem()) {
      (call) throws(FileIOError) in
      if case .synchronize = call { try disk.synchronize() }
    }
    var configuration = TestLog.configuration
    configuration.maintenance = .none
    let log = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    try Self.put(0, log, .full)
    disk.hold()
    let outcomes = Lock<[Int: LogError?]>([:])
    let isAppended = DispatchSemaphore(value: 0)
    let failures = Threads.run(3) { thread in
      switch thread {
      case 0: try Self.put(1, log, .full)
      case 1:
        #expect(isAppended.wait(timeout: .now() + 60) == .success)
        do throws(LogError) {
          try Self.put(2, log, .process)
          outcomes.withLock { $0[2] = .some(nil) }
        } catch {
          let failure = error
          outcomes.withLock { $0[2] = .some(failure) }
        }
      default:
        #expect(disk.awaitSynchronization())
        isAppended.signal()
        while log.pipeline.appendedSequence().rawValue < 3 {}
        disk.release(failing: false)
        // The second one waits for a synchronization of its own by now.
        #expect(disk.awaitSynchronization())
        try Self.put(3, log, .process)
        let seen = try log.snapshot().record(for: TestLog.key(2), in: TestLog.people)
        #expect(seen != nil)
        disk.release(failing: true)
      }
    }
    #expect(failures == [])
    let outcome = try #require(outcomes.withLock { $0[2] })
    #expect(outcome == nil, "\(String(describing: outcome)), though it is seen")
    #expect(throws: LogError.self) { try Self.put(4, log, .full) }
    #expect(throws: LogError.self) { try log.close() }
  }

  /// A log whose synchronizations call `body`.
  private static func open(
    synchronizing body: @escaping @Sendable () throws(FileIOError) -> Void
  ) throws -> Log {
    let fileSystem = ObservedFileSystem(InMemoryFileSystem()) {
      (call) throws(FileIOError) in
      if case .synchronize = call { try body() }
    }
    var configuration = TestLog.configuration
    configuration.maintenance = .none
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  private static let failure = FileIOError(.ioError, operation: "synchronize", path: "/store")

  private static func request(_ number: Int, _ log: Log) throws -> CommitRequest {
    let batch = log.makeBatch()
    try batch.put(
      TestLog.key(number), in: TestLog.people, schemaVersion: 0, payload: TestLog.payload(number))
    return CommitRequest(batch, durability: .full)
  }

  @Test("A commit that another synchronization has made durable does not fail with a later one")
  func durableOtherwise() throws {
    let isFailing = Lock(false)
    let log = try Self.open { () throws(FileIOError) in
      if isFailing.withLock({ $0 }) { throw Self.failure }
    }
    let pipeline = log.pipeline
    let (durable, later) = (try Self.request(0, log), try Self.request(1, log))
    pipeline.enterForCommit()
    pipeline.append([durable])
    pipeline.leave()
    pipeline.enter("a test")
    // As a compaction does.
    try pipeline.synchronizeAll()
    pipeline.append([later])
    pipeline.leave()
    isFailing.withLock { $0 = true }
    #expect(try log.snapshot().record(for: TestLog.key(0), in: TestLog.people) != nil)
    pipeline.finish([durable, later], callerCount: 2)
    #expect(durable.isDecided && durable.failure == nil, "\(String(describing: durable.failure))")
    #expect(later.failure != nil)
    #expect(try log.snapshot().record(for: TestLog.key(1), in: TestLog.people) == nil)
  }

  @Test("What is durable is waited for by nobody, though a later synchronization has failed")
  func durableBefore() throws {
    let isFailing = Lock(false)
    let log = try Self.open { () throws(FileIOError) in
      if isFailing.withLock({ $0 }) { throw Self.failure }
    }
    try Self.put(0, log, .process)
    try log.sealActiveSegment()
    try Self.put(1, log, .process)
    isFailing.withLock { $0 = true }
    #expect(throws: LogError.self) { try log.synchronize() }
    try log.waitUntilDurable(CommitSequence(1))
    #expect(throws: LogError.self) { try log.waitUntilDurable(CommitSequence(2)) }
  }

  /// Runs the jobs of tasks one after another on the thread that asks it to, whatever else runs.
  private final class OneThread: TaskExecutor {
    private let jobs = Lock<[UnownedJob]>([])
    private let isThere = DispatchSemaphore(value: 0)

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      jobs.withLock { $0.append(job) }
      isThere.signal()
    }

    func run(until isDone: () -> Bool) {
      while !isDone() {
        _ = isThere.wait(timeout: .now() + 0.01)
        let job = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        job?.runSynchronously(on: asUnownedTaskExecutor())
      }
    }
  }

  @Test("Tasks that wait for a synchronization leave their thread to others")
  func waitingTasks() throws {
    let log = try TestLog.open(InMemoryFileSystem())
    try Self.put(0, log, .full)
    let (hasBegun, isThrough, hasEndedByItself) = (Lock(false), Lock(false), Lock(false))
    let outcomes = Lock<[LogError?]>([])
    let failures = Threads.run(2) { thread in
      guard thread == 1 else {
        return try log.transact { _ in
          hasBegun.withLock { $0 = true }
          // Where those who wait keep the thread the body ends by itself.
          for _ in 0..<6000 where !isThrough.withLock({ $0 }) {
            Thread.sleep(forTimeInterval: 0.01)
          }
          hasEndedByItself.withLock { $0 = !isThrough.withLock { $0 } }
        }
      }
      while !hasBegun.withLock({ $0 }) { Thread.sleep(forTimeInterval: 0.001) }
      let executor = OneThread()
      for _ in 0..<4 {
        Task(executorPreference: executor) {
          var failure: LogError?
          do throws(LogError) {
            try await log.waitUntilDurable(CommitSequence(1))
          } catch { failure = error }
          outcomes.withLock { [failure] in $0.append(failure) }
        }
      }
      Task(executorPreference: executor) { isThrough.withLock { $0 = true } }
      executor.run { outcomes.withLock { $0.count } == 4 }
    }
    #expect(failures == [])
    #expect(outcomes.withLock { $0 } == [nil, nil, nil, nil])
    #expect(!hasEndedByItself.withLock { $0 })
    try log.close()
  }
}
