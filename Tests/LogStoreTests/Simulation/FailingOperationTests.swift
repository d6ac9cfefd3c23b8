import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Errors at every operation of a seeded run; see CrashWorkload.
@Suite struct FailingOperationTests {
  @Test(
    "P9, P11: an error at any operation loses nothing that was acknowledged",
    arguments: [FileIOError.Reason.ioError, .noSpace])
  func everyErrorKeepsWhatWasAcknowledged(reason: FileIOError.Reason) throws {
    let seed: UInt64 = 7
    let rehearsal = SimulatedFileSystem()
    var workload = CrashWorkload(seed: seed, on: rehearsal)
    try workload.run(stepCount: 30)
    var comparedCount = 0
    for operation in 1...rehearsal.operationCount {
      for isPermanent in [false, true] {
        let fileSystem = SimulatedFileSystem()
        fileSystem.setFaults([
          FaultPlan(operation: operation, .fail(reason), isPermanent: isPermanent)
        ])
        var workload = CrashWorkload(seed: seed, on: fileSystem, toleratesErrors: true)
        do {
          try? workload.run(stepCount: 30)
          fileSystem.setFaults([])
          try check(fileSystem.firedFaultCount > 0, "nothing failed")
          if try Self.expectAcknowledged(workload, fileSystem, seed) { comparedCount += 1 }
        } catch {
          Issue.record("\(reason) at operation \(operation), for ever \(isPermanent): \(error)")
          return
        }
      }
    }
    #expect(comparedCount > 20)
  }

  @Test(
    "P10: after a failed synchronization no commit is durable any more, in three kernel models",
    arguments: SynchronizationFailure.allCases)
  func aFailedSynchronizationPoisons(model: SynchronizationFailure) throws {
    var firedCount = 0
    var comparedCount = 0
    for number in 1...120 {
      let fileSystem = SimulatedFileSystem()
      fileSystem.setFaults([
        FaultPlan(
          operation: number, .failedSynchronization(model),
          kinds: [.synchronize, .synchronizeDirectory])
      ])
      var workload = CrashWorkload(seed: 8, on: fileSystem, toleratesErrors: true)
      try? workload.run(stepCount: 30)
      fileSystem.setFaults([])
      firedCount += fileSystem.firedFaultCount
      do {
        // Nothing needs the file of an index.
        let path = fileSystem.firedFaultPaths.first
        if let path, !path.contains("/index-") {
          let late = workload.commits.filter { $0.durableAt ?? 0 > number }.count
          try check(late == 0, "\(path): \(late) commits were called durable afterwards")
        }
        let point = fileSystem.crashPoint()
        for choice in point.choices(exhaustiveUnitCount: 3, randomCount: 4) {
          let isThere = try Self.expectAcknowledged(
            workload, point.afterCrash(choice), 8, isKill: false)
          if isThere { comparedCount += 1 }
        }
      } catch {
        Issue.record("\(model) at operation \(number): \(error)")
        return
      }
    }
    #expect(firedCount > 20)
    #expect(comparedCount > 20)
  }

  @Test("a failed commit is looked for only where it can stand behind what was acknowledged")
  func failedCommitsStandBehindWhatWasAcknowledged() {
    func commit(_ base: UInt64, _ lastSequence: UInt64, isFailed: Bool) -> CrashWorkload.Commit {
      .init(
        firstOperation: 1, acknowledgedAt: isFailed ? nil : 2, durableAt: nil, base: base,
        lastSequence: lastSequence, contents: isFailed ? [[1]: [1]] : [[2]: [2]])
    }
    func found(at sequence: UInt64, floor: UInt64, _ failed: CrashWorkload.Commit) -> [Bool] {
      let commits = [commit(0, 4, isFailed: false), commit(4, 6, isFailed: false)]
      return CrashWorkload.Commit.possible(
        at: sequence, floor: floor, commits: commits, failed: [failed]
      ).map { $0.acknowledgedAt == nil }
    }
    let (short, long) = (commit(4, 6, isFailed: true), commit(4, 7, isFailed: true))
    #expect(found(at: 6, floor: 6, short) == [false])
    #expect(found(at: 7, floor: 6, long) == [])
    // Where the commit that took its place was not promised either may be there.
    #expect(found(at: 6, floor: 4, short) == [false, true])
    #expect(found(at: 7, floor: 4, long) == [true])
    #expect(found(at: 7, floor: 6, commit(6, 7, isFailed: true)) == [true])
  }

  /// The store opens and holds at least what was acknowledged, as a prefix; whether that is more
  /// than nothing.
  private static func expectAcknowledged(
    _ workload: CrashWorkload, _ fileSystem: SimulatedFileSystem, _ seed: UInt64,
    isKill: Bool = true
  ) throws -> Bool {
    let acknowledged = workload.commits.last {
      (isKill ? $0.acknowledgedAt : $0.durableAt) != nil
    }
    let log = try CrashWorkload.open(fileSystem.pristineCopy(), seed: seed)
    let recovered = log.snapshot().lastSequence.rawValue
    let lowest = acknowledged?.lastSequence ?? 0
    guard recovered >= lowest else {
      throw CaseFailure("recovered \(recovered), acknowledged \(lowest)")
    }
    guard recovered > 0 else {
      try TestLog.compare(log, [:])
      return false
    }
    // What failed gave its sequences to the next commit: either may be there, until the next one is
    // promised.
    let possible = CrashWorkload.Commit.possible(
      at: recovered, floor: lowest, commits: workload.commits, failed: workload.failedCommits)
    guard let last = possible.last else {
      throw CaseFailure("recovered \(recovered), in the middle of a commit")
    }
    for commit in possible.dropLast() {
      do {
        try TestLog.compare(log, commit.contents)
        return true
      } catch {}
    }
    try TestLog.compare(log, last.contents)
    return true
  }
}
