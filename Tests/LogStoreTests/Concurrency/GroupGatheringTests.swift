import FileIO
import StorageTestSupport
import Synchronization
import Testing

@testable import LogStore

/// Whether and how long a synchronization waits for those that the last one let go.
@Suite struct GroupGatheringTests {
  /// One synchronization of `covered` callers that took `duration`, while `others` came.
  private static func afterOne(
    covered: Int, others: Int, duration: UInt64 = 100_000
  ) -> GroupGathering {
    var gathering = GroupGathering()
    gathering.arrive(covered)
    gathering.begin()
    gathering.arrive(others)
    gathering.end(after: duration)
    return gathering
  }

  private static func expect(
    _ gathering: inout GroupGathering, waits expected: Bool,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let waits = gathering.isWorthWaiting()
    #expect(waits == expected, sourceLocation: sourceLocation)
  }

  @Test("a caller that is alone never waits, nor does the first synchronization")
  func aloneNobodyWaits() {
    var first = GroupGathering()
    first.arrive(1)
    Self.expect(&first, waits: false)
    var alone = Self.afterOne(covered: 1, others: 0)
    for _ in 0..<3 {
      alone.arrive(1)
      Self.expect(&alone, waits: false)
      alone.begin()
      alone.end(after: 100_000)
    }
  }

  @Test("it waits until as many have come as were there, and for two groups that take turns")
  func itWaitsForBothGroups() {
    var gathering = Self.afterOne(covered: 3, others: 4)
    Self.expect(&gathering, waits: true)
    gathering.arrive(2)
    #expect(gathering.goesOn(total: 0, idle: 0))
    gathering.arrive(1)
    #expect(!gathering.goesOn(total: 0, idle: 0))
    gathering.endWaiting()
    gathering.begin()
    gathering.end(after: 100_000)
    // From then on they come together.
    gathering.arrive(6)
    Self.expect(&gathering, waits: true)
    gathering.arrive(1)
    Self.expect(&gathering, waits: false)
  }

  @Test("its patience is what the last synchronization took, and half of that when nobody comes")
  func patienceIsBounded() {
    let gathering = Self.afterOne(covered: 1, others: 1, duration: 100_000)
    #expect(gathering.goesOn(total: 99_999, idle: 49_999))
    #expect(!gathering.goesOn(total: 100_000, idle: 0))
    #expect(!gathering.goesOn(total: 50_000, idle: 50_000))
    let slow = Self.afterOne(covered: 1, others: 1, duration: 20_000_000)
    #expect(slow.goesOn(total: GroupGathering.patienceMaximum - 1, idle: 0))
    #expect(!slow.goesOn(total: GroupGathering.patienceMaximum, idle: 0))
  }

  @Test("a clock that stands still makes nobody wait")
  func withoutAClockNobodyWaits() {
    var gathering = Self.afterOne(covered: 1, others: 1, duration: 0)
    Self.expect(&gathering, waits: false)
  }

  @Test("while the others do not come back it leaves out twice as many turns each time")
  func wrongGuessesAreRepeatedLessOften() {
    var gathering = Self.afterOne(covered: 1, others: 1)
    var leftOut: [Int] = []
    for _ in 0..<9 {
      var count = 0
      while !gathering.isWorthWaiting() { count += 1 }
      leftOut.append(count)
      gathering.endWaiting()
    }
    #expect(leftOut == [0, 1, 2, 4, 8, 16, 32, 64, 64])
    // One that is right makes it forget that.
    while !gathering.isWorthWaiting() {}
    gathering.arrive(1)
    gathering.endWaiting()
    gathering.begin()
    gathering.end(after: 100_000)
    #expect(gathering.waitingCount == 0)
    gathering.arrive(1)
    Self.expect(&gathering, waits: true)
  }

  @Test("nobody waits after a synchronization that failed")
  func afterAFailureNobodyWaits() {
    var gathering = Self.afterOne(covered: 3, others: 1)
    gathering.begin()
    gathering.arrive(1)
    gathering.fail()
    Self.expect(&gathering, waits: false)
  }

  /// Stands still but for what it is told to do at each reading.
  private final class SteppedClock: TimeSource {
    private let now = Atomic<UInt64>(0)
    private let step = Atomic<UInt64>(0)

    func secondsSince1970() -> UInt64 { 0 }
    func advance(_ nanoseconds: UInt64) { now.add(nanoseconds, ordering: .relaxed) }
    func begin(stepping nanoseconds: UInt64) { step.store(nanoseconds, ordering: .relaxed) }
    func monotonicNanoseconds() -> UInt64 {
      now.add(step.load(ordering: .relaxed), ordering: .relaxed).newValue
    }
  }

  @Test("two threads that commit all the time share each synchronization; the last is not left")
  func threadsComeTogether() {
    let clock = SteppedClock()
    let gate = DurabilityGate(clock)
    let appended = Atomic<UInt64>(0)
    let count = Atomic(0)
    let roundCount = 50
    let failures = Threads.run(2) { thread in
      // The second one comes while the first synchronizes alone.
      if thread == 1 { while count.load(ordering: .acquiring) == 0 {} }
      for _ in 0..<roundCount {
        let sequence = CommitSequence(appended.add(1, ordering: .relaxed).newValue)
        try gate.wait(for: sequence, callerCount: 1) {
          let reached = CommitSequence(appended.load(ordering: .relaxed))
          clock.advance(1_000_000)
          if count.add(1, ordering: .acquiringAndReleasing).newValue == 1 {
            while gate.waitingCount == 0 {}
          }
          return reached
        }
      }
      // Nobody comes back to the other one now: only the clock ends its waiting.
      if thread == 0 { clock.begin(stepping: GroupGathering.patienceMaximum) }
    }
    #expect(failures.isEmpty)
    #expect(count.load(ordering: .relaxed) == roundCount + 1)
  }

  @Test("two tasks that commit all the time share each synchronization, too")
  func tasksComeTogether() async throws {
    let clock = SteppedClock()
    let count = Lock(0)
    let committer = Lock<AsyncCommitter?>(nil)
    let fileSystem = ObservedFileSystem(InMemoryFileSystem()) { call in
      guard call == .synchronize, let committer = committer.withLock({ $0 }) else { return }
      clock.advance(1_000_000)
      let number = count.withLock { count in
        count += 1
        return count
      }
      if number == 1 { while committer.waitingCount == 0 {} }
    }
    var configuration = LogConfiguration()
    configuration.timeSource = clock
    let log = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    // The first commit begins a segment, which synchronizes more.
    try TestLog.put([0], log)
    let tested = AsyncCommitter(log.pipeline)
    committer.withLock { committer in committer = tested }
    let roundCount = 50
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for task in 0..<2 {
        tasks.addTask {
          // The second one comes while the first is synchronized alone.
          if task == 1 {
            while count.withLock({ $0 }) == 0 { await Task.yield() }
          }
          for round in 0..<roundCount {
            let batch = log.makeBatch()
            try batch.put(
              TestLog.key(1 + task + 2 * round), in: TestLog.people, schemaVersion: 0,
              payload: TestLog.payload(1 + task + 2 * round))
            _ = try await tested.commit(batch, durability: .full)
          }
          if task == 0 { clock.begin(stepping: GroupGathering.patienceMaximum) }
        }
      }
      try await tasks.waitForAll()
    }
    #expect(count.withLock { $0 } == roundCount + 1)
    #expect(try TestLog.contents(log) == TestLog.expected(0...(2 * roundCount)))
    committer.withLock { committer in committer = nil }
    try log.close()
  }
}
