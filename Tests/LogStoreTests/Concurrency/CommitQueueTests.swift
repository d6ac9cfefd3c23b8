import FileIO
import Foundation
import StorageTestSupport
import Synchronization
import Testing

@testable import LogStore

@Suite struct CommitQueueTests {
  @Test("who comes while a group is committed forms the next group, in order")
  func lateComersFormTheNextGroup() throws {
    let log = try TestLog.open(InMemoryFileSystem())
    let queue = CommitQueue()
    let groups = Lock<[Int]>([])
    let requests = try (0..<8).map { number in
      let batch = log.makeBatch()
      try batch.put(TestLog.key(number), in: TestLog.people, schemaVersion: 0, payload: [])
      return SharedRequest(CommitRequest(batch, durability: .full))
    }
    let failures = Threads.run(8) { index in
      // The others come when the first leads, and it goes on when all of them wait.
      if index > 0 { while groups.withLock({ $0.isEmpty }) {} }
      queue.perform([requests[index].request]) { group in
        groups.withLock { groups in groups.append(group.count) }
        if index == 0 { while queue.waitingCount < 7 {} }
      } finish: { group in
        for request in group { request.succeed() }
      }
    }
    #expect(failures.isEmpty)
    #expect(groups.withLock { $0 } == [1, 7])
    try log.close()
  }

  @Test("who waits for its own group and leads the request of another meanwhile wakes that one")
  func aGroupOfAnotherIsWoken() throws {
    let log = try TestLog.open(InMemoryFileSystem())
    let roundCount = 30
    let doneCount = Atomic(0)
    Thread.detachNewThread {
      for _ in 0..<roundCount {
        guard let round = try? LedByAnother(log) else { return }
        _ = Threads.run(4) { round.run($0) }
        doneCount.add(1, ordering: .relaxed)
      }
    }
    // A caller that is not woken stops for good, so this test must not wait for the threads.
    let end = ContinuousClock.now + .seconds(30)
    while doneCount.load(ordering: .relaxed) < roundCount, .now < end {
      Thread.sleep(forTimeInterval: 0.01)
    }
    #expect(doneCount.load(ordering: .relaxed) == roundCount)
  }

  /// Four callers: while the first leads, two come and form a group of two; while one of them leads
  /// that, the last comes. The other one of the two is likely to lead it, and ends after its own
  /// group did: then nobody else is left to wake the last.
  final class LedByAnother: Sendable {
    private let queue = CommitQueue()
    private let requests: [SharedRequest]
    private let isFirstLed = Atomic(false)
    private let isPairLed = Atomic(false)
    private let isPairThrough = Atomic(false)

    init(_ log: Log) throws {
      requests = try (0..<4).map { number in
        let batch = log.makeBatch()
        try batch.put(TestLog.key(number), in: TestLog.people, schemaVersion: 0, payload: [])
        return SharedRequest(CommitRequest(batch, durability: .full))
      }
    }

    func run(_ caller: Int) {
      if caller == 1 || caller == 2 { while !isFirstLed.load(ordering: .acquiring) {} }
      if caller == 3 { while !isPairLed.load(ordering: .acquiring) {} }
      var ledPair = false
      queue.perform([requests[caller].request]) { group in
        if group.count == 2 {
          ledPair = true
          isPairLed.store(true, ordering: .releasing)
          while queue.waitingCount < 1 {}
        } else if group[0] === requests[0].request {
          isFirstLed.store(true, ordering: .releasing)
          while queue.waitingCount < 2 {}
        } else {
          while !isPairThrough.load(ordering: .acquiring) {}
        }
      } finish: { group in
        for request in group { request.succeed() }
      }
      if ledPair { isPairThrough.store(true, ordering: .releasing) }
    }
  }

  struct SharedRequest: @unchecked Sendable {
    // Sendable: the queue hands a request from its caller to the leader and back.
    let request: CommitRequest
    init(_ request: CommitRequest) { self.request = request }
  }

  @Test("P2: commits of many threads are all there, each whole, after a crash")
  func commitsOfManyThreadsSurvive() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try TestLog.open(fileSystem)
    let failures = Threads.run(8) { thread in
      for round in 0..<40 {
        let number = thread * 100 + round
        try TestLog.put([number, number + 10_000], log)
      }
    }
    #expect(failures.isEmpty)
    var expected: [Int] = []
    for thread in 0..<8 {
      for round in 0..<40 {
        expected.append(thread * 100 + round)
        expected.append(thread * 100 + round + 10_000)
      }
    }
    #expect(try TestLog.contents(log) == TestLog.expected(expected))
    let point = fileSystem.crashPoint()
    for choice in point.choices(exhaustiveUnitCount: 4, randomCount: 8) {
      let recovered = try TestLog.open(point.afterCrash(choice))
      #expect(try TestLog.contents(recovered) == TestLog.expected(expected))
    }
  }

  @Test("P5: who committed in a group sees its own commit at once")
  func everyMemberOfAGroupSeesItsCommit() throws {
    var configuration = LogConfiguration()
    configuration.durability = .process
    let log = try Log.open(
      at: "/store", configuration: configuration, fileSystem: InMemoryFileSystem())
    let failures = Threads.run(12) { thread in
      for round in 0..<400 {
        let key = TestLog.key(thread * 1000 + round)
        let batch = log.makeBatch()
        try batch.put(key, in: TestLog.people, schemaVersion: 0, payload: key)
        let sequence = try log.commit(batch)
        let snapshot = log.snapshot()
        guard snapshot.lastSequence >= sequence,
          try snapshot.record(for: key, in: TestLog.people)?.sequence == sequence
        else { throw CaseFailure("commit \(sequence) is not seen by its writer") }
      }
    }
    #expect(failures == [])
    #expect(log.snapshot().lastSequence == CommitSequence(12 * 400))
  }

  @Test("P1, P10: a group that cannot be synchronized fails as a whole, and poisons the log")
  func aGroupFailsAsAWhole() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try TestLog.open(fileSystem)
    try TestLog.put([1], log)
    fileSystem.setFaults([
      FaultPlan(
        operation: 1, .failedSynchronization(.keptAndMarkedClean), isPermanent: true,
        kinds: [.synchronize])
    ])
    let requests = try (2..<5).map { number in
      let batch = log.makeBatch()
      try batch.put(TestLog.key(number), in: TestLog.people, schemaVersion: 0, payload: [])
      return CommitRequest(batch, durability: number == 3 ? .full : .process)
    }
    log.pipeline.enter("a test")
    log.pipeline.append(requests)
    log.pipeline.leave()
    log.pipeline.finish(requests, callerCount: requests.count)
    for request in requests {
      guard request.failure != nil else {
        Issue.record("a request of a failed group succeeded")
        continue
      }
    }
    #expect(try TestLog.contents(log) == TestLog.expected([1]))
    #expect(throws: LogError.self) { try TestLog.put([9], log) }
  }
}
