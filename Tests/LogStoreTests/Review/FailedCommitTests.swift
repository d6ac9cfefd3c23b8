import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// What a commit, a repair or a rewrite that failed leaves behind.
@Suite struct FailedCommitTests {
  static func open(_ fileSystem: any FileSystem) throws(LogError) -> Log {
    try CrashWorkload.open(fileSystem, seed: 2)
  }

  @Test("P9: a batch whose commit failed can be committed again, and its records verify")
  func aFailedBatchCanBeCommittedAgain() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try Self.open(fileSystem)
    try TestLog.put(0..<3, log)
    let batch = log.makeBatch()
    try batch.put(TestLog.key(7), in: TestLog.people, schemaVersion: 1, payload: [1, 2, 3])
    fileSystem.setFaults([
      FaultPlan(operation: fileSystem.operationCount + 1, .fail(.noSpace), isPermanent: true)
    ])
    #expect(throws: LogError.self) { try log.commit(batch) }
    fileSystem.setFaults([])
    try log.commit(batch)
    var expected = TestLog.expected(0..<3)
    expected[TestLog.key(7)] = [1, 2, 3]
    #expect(try TestLog.contents(log) == expected)
    let crashed = try Self.open(fileSystem.afterCrash(.processKill))
    #expect(try TestLog.contents(crashed) == expected)
  }

  @Test("A batch that is committed twice writes its records twice, each of them readable")
  func aBatchCommittedTwiceStaysReadable() throws {
    let log = try Self.open(SimulatedFileSystem())
    let batch = log.makeBatch()
    try batch.put(TestLog.key(1), in: TestLog.people, schemaVersion: 1, payload: [5])
    try log.commit(batch)
    try log.commit(batch)
    #expect(try TestLog.contents(log) == [TestLog.key(1): [5]])
    #expect(try log.statistics().live.recordCount == 1)
  }
}
