import FileIO
import StorageTestSupport

@testable import LogStore

/// What a store may hold after a crash: the state after some prefix of the commits, no shorter than
/// what was promised and no longer than what was begun.
struct CrashOracle {
  let commits: [CrashWorkload.Commit]
  let seed: UInt64

  /// The contents after the commit that ends with `sequence`.
  private func contents(at sequence: UInt64) -> [[UInt8]: [UInt8]]? {
    if sequence == 0 { return [:] }
    return commits.first { $0.lastSequence == sequence }?.contents
  }

  /// The lowest sequence that must have survived a crash after `operation`.
  func promised(after operation: Int, isKill: Bool) -> UInt64 {
    commits.last { commit in
      let moment = isKill ? commit.acknowledgedAt : commit.durableAt
      return moment.map { $0 <= operation } ?? false
    }?.lastSequence ?? 0
  }

  private func begun(after operation: Int) -> UInt64 {
    commits.last { $0.firstOperation <= operation }?.lastSequence ?? 0
  }

  /// Opens the store a crash left and throws a sentence when it is not as promised; returns the
  /// sequence it was recovered to.
  @discardableResult
  func check(
    _ fileSystem: SimulatedFileSystem, after operation: Int, isKill: Bool
  ) throws -> UInt64 {
    let log = try CrashWorkload.open(fileSystem, seed: seed)
    let recovered = log.snapshot().lastSequence.rawValue
    let lowest = promised(after: operation, isKill: isKill)
    guard recovered >= lowest else {
      throw CaseFailure("recovered up to \(recovered), but \(lowest) was acknowledged")
    }
    guard recovered <= begun(after: operation) else {
      throw CaseFailure("recovered up to \(recovered), which was never written")
    }
    guard let expected = contents(at: recovered) else {
      throw CaseFailure("recovered up to \(recovered), in the middle of a commit")
    }
    try TestLog.compare(log, expected)
    try log.close()
    return recovered
  }

  /// Writes to a recovered store, closes it, and checks that all is there and verifies.
  func checkLife(of fileSystem: SimulatedFileSystem, from sequence: UInt64) throws {
    var expected = contents(at: sequence) ?? [:]
    let key = TestLog.key(99)
    let log = try CrashWorkload.open(fileSystem, seed: seed &+ 1)
    let batch = log.makeBatch()
    try batch.put(key, in: TestLog.people, schemaVersion: 9, payload: [9])
    try log.commit(batch)
    try log.close()
    expected[key] = [9]
    let again = try CrashWorkload.open(fileSystem, seed: seed)
    try TestLog.compare(again, expected)
    guard again.recoveryReport.tail == .clean else {
      throw CaseFailure("a closed log was found unclosed")
    }
    try again.close()
    let report = try LogVerifier.verify("/store", fileSystem: fileSystem)
    guard report.isIntact, report.notes.count <= 1 else {
      throw CaseFailure("after recovery: \(report)")
    }
  }
}
