import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// A reserve, made, grown and given up, changes nothing of what a crash leaves.
@Suite struct ReserveCrashTests {
  @Test(
    "P1, P2, P11: with a reserve, a crash at any operation leaves a prefix with what was promised",
    arguments: CrashProfile.allCases)
  func everyCrashLeavesAPrefix(profile: CrashProfile) throws {
    let seed: UInt64 = 31
    let fileSystem = SimulatedFileSystem(profile: profile)
    fileSystem.setByteCountLimit(1 << 20)
    fileSystem.recordCrashPoints()
    var workload = CrashWorkload(seed: seed, on: fileSystem)
    try workload.run(stepCount: 20)
    #expect(fileSystem.snapshotOfFiles(in: "/store")["RESERVE"] != nil)
    let oracle = CrashOracle(commits: workload.commits, seed: seed)
    for point in fileSystem.crashPoints {
      let choices = point.choices(exhaustiveUnitCount: 2, randomCount: 2, seed: seed)
      for (position, choice) in choices.enumerated() {
        let crashed = point.afterCrash(choice)
        crashed.setByteCountLimit(1 << 20)
        do {
          let sequence = try oracle.check(
            crashed, after: point.operation, isKill: choice == .processKill)
          if position % 4 == 0 { try oracle.checkLife(of: crashed, from: sequence) }
        } catch {
          Issue.record("seed \(seed), \(profile), \(point), \(choice): \(error)")
          return
        }
      }
    }
  }

  @Test("P1, P11: a crash after any operation on a full disk loses nothing that was durable")
  func crashesOnAFullDisk() throws {
    var fullCount = 0
    for limit in stride(from: 70 << 10, through: 84 << 10, by: 3 << 10) {
      let fileSystem = SimulatedFileSystem()
      fileSystem.setByteCountLimit(limit)
      fileSystem.recordCrashPoints()
      var workload = CrashWorkload(seed: 33, on: fileSystem, toleratesErrors: true)
      try? workload.run(stepCount: 40)
      if fileSystem.snapshotOfFiles(in: "/store")["RESERVE"] == nil { fullCount += 1 }
      let oracle = CrashOracle(commits: workload.commits, seed: 33)
      for (position, point) in fileSystem.crashPoints.enumerated() where position % 9 == 0 {
        for choice in point.choices(exhaustiveUnitCount: 1, randomCount: 1) {
          let crashed = point.afterCrash(choice)
          crashed.setByteCountLimit(limit)
          let log = try CrashWorkload.open(crashed, seed: 33)
          let recovered = log.snapshot().lastSequence.rawValue
          let lowest = oracle.promised(
            after: point.operation, isKill: choice == .processKill)
          if recovered < lowest {
            Issue.record("limit \(limit), \(point), \(choice): \(recovered) of \(lowest)")
            return
          }
        }
      }
    }
    #expect(fullCount > 0)
  }
}
