import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

@Suite struct AsyncCommitTests {
  private static func batch(_ number: Int, _ log: Log) throws(LogError) -> WriteBatch {
    let batch = log.makeBatch()
    try batch.put(
      TestLog.key(number), in: TestLog.people, schemaVersion: 0, payload: TestLog.payload(number))
    return batch
  }

  @Test("P2, P5: commits of many tasks are all seen by them, beside threads that commit")
  func manyTasksCommit() async throws {
    let log = try TestLog.open(InMemoryFileSystem())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<20 {
        group.addTask {
          for round in 0..<20 {
            let number = task * 100 + round
            let sequence = try await log.commit(try Self.batch(number, log))
            let seen = try log.snapshot().record(for: TestLog.key(number), in: TestLog.people)
            guard seen?.sequence == sequence else {
              throw CaseFailure("commit \(sequence) is not seen by its task")
            }
          }
        }
        group.addTask { try Self.put(task * 100 + 50, log) }
      }
      try await group.waitForAll()
    }
    var numbers: [Int] = []
    for task in 0..<20 {
      numbers.append(contentsOf: (task * 100)..<(task * 100 + 20))
      numbers.append(task * 100 + 50)
    }
    #expect(try TestLog.contents(log) == TestLog.expected(numbers))
    try log.close()
  }

  /// Outside async code, so that it is the blocking commit.
  private static func put(_ number: Int, _ log: Log) throws {
    try TestLog.put([number], log)
  }

  @Test("P5: transactions of many tasks are serial, and one that throws changes nothing")
  func transactionsOfManyTasks() async throws {
    let log = try TestLog.open(InMemoryFileSystem())
    let key = TestLog.key(7)
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<200 {
        group.addTask {
          _ = try? await log.transact { transaction in
            let old = try transaction.record(for: key, in: TestLog.people)?.payload ?? []
            try transaction.put(
              key, in: TestLog.people, schemaVersion: 0, payload: old + [UInt8(task)])
            if task % 3 == 0 { throw CaseFailure("given up") }
          }
        }
      }
    }
    let list = try #require(try TestLog.contents(log)[key])
    let kept = (UInt8(0)..<200).filter { number in number % 3 != 0 }
    #expect(list.sorted() == kept)
    let count = try await log.transact { transaction in
      try transaction.record(for: key, in: TestLog.people)?.payload.count
    }
    #expect(count == kept.count)
  }

  @Test("P10: each task learns that its commit failed")
  func everyTaskLearnsOfAFailure() async throws {
    let fileSystem = SimulatedFileSystem()
    let log = try TestLog.open(fileSystem)
    try Self.put(1, log)
    fileSystem.setFaults([
      FaultPlan(
        operation: 1, .failedSynchronization(.keptAndMarkedClean), isPermanent: true,
        kinds: [.synchronize])
    ])
    let failures = await withTaskGroup(of: Bool.self) { group in
      for task in 2..<8 {
        group.addTask {
          do {
            try await log.commit(try Self.batch(task, log))
            return false
          } catch { return true }
        }
      }
      return await group.reduce(into: 0) { count, failed in count += failed ? 1 : 0 }
    }
    #expect(failures == 6)
    #expect(try TestLog.contents(log) == TestLog.expected([1]))
    await #expect(throws: LogError.self) {
      try await log.waitUntilDurable(CommitSequence(100))
    }
  }

  @Test("what was committed for the process only is durable after waiting for it")
  func waitingMakesDurable() async throws {
    let fileSystem = SimulatedFileSystem()
    let log = try TestLog.open(fileSystem, durability: .process)
    let sequence = try await log.commit(try Self.batch(1, log))
    try await log.waitUntilDurable(sequence)
    let point = fileSystem.crashPoint()
    for choice in point.choices(exhaustiveUnitCount: 4, randomCount: 4) {
      let recovered = try TestLog.open(point.afterCrash(choice))
      #expect(try TestLog.contents(recovered) == TestLog.expected([1]))
    }
  }
}
