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
          try Self.expectAcknowledged(workload.commits, fileSystem, seed)
        } catch {
          Issue.record("\(reason) at operation \(operation), for ever \(isPermanent): \(error)")
          return
        }
      }
    }
  }

  @Test(
    "P10: after a failed synchronization no commit is durable any more, in three kernel models",
    arguments: SynchronizationFailure.allCases)
  func aFailedSynchronizationPoisons(model: SynchronizationFailure) throws {
    var firedCount = 0
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
          try Self.expectAcknowledged(
            workload.commits, point.afterCrash(choice), 8, isKill: false)
        }
      } catch {
        Issue.record("\(model) at operation \(number): \(error)")
        return
      }
    }
    #expect(firedCount > 20)
  }

  /// The store opens and holds at least what was acknowledged, as a prefix.
  private static func expectAcknowledged(
    _ commits: [CrashWorkload.Commit], _ fileSystem: SimulatedFileSystem, _ seed: UInt64,
    isKill: Bool = true
  ) throws {
    let acknowledged = commits.filter { (isKill ? $0.acknowledgedAt : $0.durableAt) != nil }
    let log = try CrashWorkload.open(fileSystem.pristineCopy(), seed: seed)
    let recovered = log.snapshot().lastSequence.rawValue
    guard let last = acknowledged.last else { return }
    guard recovered >= last.lastSequence else {
      throw CaseFailure("recovered \(recovered), acknowledged \(last.lastSequence)")
    }
    if recovered == last.lastSequence { try TestLog.compare(log, last.contents) }
  }
}
