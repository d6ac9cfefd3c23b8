import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Crashes at every operation of seeded runs; see CrashWorkload and CrashOracle.
@Suite struct CrashSimulationTests {
  @Test(
    "P1, P2, P3, P4: after a crash at any operation a prefix with all that was promised is there",
    arguments: [UInt64(1), 2, 3, 4, 5, 6], CrashProfile.allCases)
  func everyCrashLeavesAPrefix(seed: UInt64, profile: CrashProfile) throws {
    let fileSystem = SimulatedFileSystem(profile: profile)
    fileSystem.recordCrashPoints()
    var workload = CrashWorkload(seed: seed, on: fileSystem)
    try workload.run(stepCount: 40)
    let oracle = CrashOracle(commits: workload.commits, seed: seed)
    var states = 0
    for point in fileSystem.crashPoints {
      let choices = point.choices(exhaustiveUnitCount: 4, randomCount: 4, seed: seed)
      for (position, choice) in choices.enumerated() {
        states += 1
        do {
          let crashed = point.afterCrash(choice)
          let sequence = try oracle.check(
            crashed, after: point.operation, isKill: choice == .processKill)
          if position % 8 == 0 { try oracle.checkLife(of: crashed, from: sequence) }
        } catch {
          Issue.record("seed \(seed), \(profile), \(point), \(choice): \(error)")
          return
        }
      }
    }
    print("seed \(seed), \(profile): \(states) crash states of \(workload.commits.count) commits")
  }

  @Test("P3: a crash in recovery, and one in the recovery after it, lose nothing either")
  func nestedCrashesLoseNothing() throws {
    var states = 0
    for seed in UInt64(20)..<24 {
      let fileSystem = SimulatedFileSystem()
      fileSystem.recordCrashPoints()
      var workload = CrashWorkload(seed: seed, on: fileSystem)
      try workload.run(stepCount: 15)
      let oracle = CrashOracle(commits: workload.commits, seed: seed)
      var generator = SeededGenerator(seed: seed)
      for point in fileSystem.crashPoints {
        let choice = point.randomChoice(using: &generator)
        let crashed = point.afterCrash(choice)
        let isKill = choice == .processKill
        let lowest = oracle.promised(after: point.operation, isKill: isKill)
        do {
          states += try Self.crashAgain(
            crashed, oracle, lowest: isKill ? 0 : lowest, depth: 2, &generator)
        } catch {
          Issue.record("seed \(seed), \(point), \(choice): \(error)")
          return
        }
      }
    }
    print("\(states) nested crash states")
    #expect(states > 2000)
  }

  /// Recovers and writes under recorded crash points, and crashes again at each.
  private static func crashAgain(
    _ fileSystem: SimulatedFileSystem, _ oracle: CrashOracle, lowest: UInt64, depth: Int,
    _ generator: inout SeededGenerator
  ) throws -> Int {
    fileSystem.recordCrashPoints()
    let log = try CrashWorkload.open(fileSystem, seed: oracle.seed)
    let before = log.snapshot().lastSequence.rawValue
    guard before >= lowest else { throw CaseFailure("recovered \(before) of \(lowest)") }
    let batch = log.makeBatch()
    try batch.put(TestLog.key(77), in: TestLog.people, schemaVersion: 1, payload: [7])
    try log.commit(batch)
    let acknowledged = fileSystem.operationCount
    try log.close()
    var states = 0
    for point in fileSystem.crashPoints {
      let choice = point.randomChoice(using: &generator)
      let again = point.afterCrash(choice)
      let reopened = try CrashWorkload.open(again, seed: oracle.seed)
      let found = reopened.snapshot().lastSequence.rawValue
      let needed = point.operation >= acknowledged ? before + 1 : lowest
      guard found >= needed, found <= before + 1 else {
        throw CaseFailure("\(point), \(choice): recovered \(found), \(needed) needed")
      }
      try CrashOracle.compare(reopened, try TestLog.contents(reopened))
      try reopened.close()
      states += 1
      if depth > 1, Int.random(in: 0..<8, using: &generator) == 0 {
        states += try crashAgain(
          again, oracle, lowest: choice == .processKill ? 0 : needed, depth: depth - 1, &generator)
      }
    }
    return states
  }

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
          try Self.expectAcknowledged(workload.commits, fileSystem, seed)
        } catch {
          Issue.record("\(reason) at operation \(operation), for ever \(isPermanent): \(error)")
          return
        }
      }
    }
  }

  @Test(
    "P10: after a failed synchronization nothing more is acknowledged, in three kernel models",
    arguments: SynchronizationFailure.allCases)
  func aFailedSynchronizationPoisons(model: SynchronizationFailure) throws {
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
      do {
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
    if recovered == last.lastSequence { try CrashOracle.compare(log, last.contents) }
  }
}
