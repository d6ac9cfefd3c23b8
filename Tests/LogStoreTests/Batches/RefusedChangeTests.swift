import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// A body may go on after a change that was refused; what it asked for is committed or nothing is.
@Suite("Transactions whose body goes on after an error") struct RefusedChangeTests {
  private static func open(_ fileSystem: any FileSystem) throws(LogError) -> Log {
    var configuration = TestLog.configuration
    configuration.transactionByteCountInMemory = 1 << 10
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  private static func put(_ number: Int, _ transaction: Transaction) throws(LogError) {
    try transaction.put(
      TestLog.key(number), in: TestLog.people, schemaVersion: 1,
      payload: (0..<100).map { UInt8(truncatingIfNeeded: number &* ($0 + 7)) })
  }

  enum Refused: CaseIterable { case emptyKey, longKey, emptyDelete, schemaVersion }

  private static func refuse(_ what: Refused, _ transaction: Transaction) throws(LogError) {
    let people = TestLog.people
    switch what {
    case .emptyKey: try transaction.put([], in: people, schemaVersion: 1, payload: [1])
    case .longKey:
      try transaction.put(
        [UInt8](repeating: 1, count: LogLimits.keyByteCount + 1), in: people, schemaVersion: 1,
        payload: [1])
    case .emptyDelete: try transaction.delete([], in: people)
    case .schemaVersion: try transaction.put([1], in: people, schemaVersion: .max, payload: [1])
    }
  }

  @Test(
    "P1: a large transaction that ends with a refused change is whole, with a manifest or without",
    arguments: Refused.allCases)
  func endsWithARefusal(what: Refused) throws {
    for count in 5..<40 {
      let fileSystem = SimulatedFileSystem()
      let log = try Self.open(fileSystem)
      try log.transact { transaction in
        for number in 0..<count { try Self.put(number, transaction) }
        #expect(throws: LogError.self) { try Self.refuse(what, transaction) }
      }
      let all = try TestLog.contents(log)
      #expect(all.count == count)
      try log.close()
      #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
      fileSystem.removeFile("MANIFEST", in: "/store")
      try TestLog.compare(try Self.open(fileSystem), all)
    }
  }

  @Test(
    "A large transaction that ends with a part without records, as earlier versions wrote",
    arguments: [1 << 10, 4 << 10] as [UInt64])
  func endsWithNothing(segmentByteCount: UInt64) throws {
    let fileSystem = SimulatedFileSystem()
    var configuration = TestLog.configuration
    configuration.segmentByteCountMinimum = segmentByteCount
    configuration.segmentByteCountMaximum = segmentByteCount
    let log = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    try TestLog.put(1000..<1005, log)
    let batch = log.makeBatch()
    for number in 0..<40 {
      try batch.put(
        TestLog.key(number), in: TestLog.people, schemaVersion: 0, payload: TestLog.payload(number))
    }
    log.pipeline.enterForCommit("a test")
    let spill = try TransactionSpill(log.pipeline)
    try spill.write(batch, isLast: false)
    try spill.write(log.makeBatch(), isLast: true)
    try log.pipeline.publish(spill) {}
    log.pipeline.leave()
    try TestLog.put([2000], log)
    let all = try TestLog.contents(log)
    #expect(all.count == 46)
    try log.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
    let report = try LogSalvage.salvage("/store", to: "/out", fileSystem: fileSystem)
    #expect(report.liveRecordCount == 46 && report.losses.isEmpty, "\(report)")
    fileSystem.removeFile("MANIFEST", in: "/store")
    try TestLog.compare(try Self.open(fileSystem), all)
  }

  @Test(
    "P1: a change that found no room on the disk is not left out of what is committed",
    arguments: [FileIOError.Reason.ioError, .noSpace])
  func failedSpill(reason: FileIOError.Reason) throws {
    let rehearsal = SimulatedFileSystem()
    let first = try Self.fill(rehearsal) { _ in }
    var failed = 0
    for operation in (first.before + 1)...first.after {
      let fileSystem = SimulatedFileSystem()
      var hasThrown = false
      let outcome = try Self.fill(
        fileSystem, faults: [FaultPlan(operation: operation, .fail(reason))]
      ) { _ in hasThrown = true }
      if hasThrown { failed += 1 }
      #expect(!(hasThrown && outcome.isCommitted), "operation \(operation)")
      #expect(outcome.count == (outcome.isCommitted ? 45 : 5), "operation \(operation)")
    }
    #expect(failed > 3)
  }

  /// One transaction of 40 changes behind five, whose body passes over errors.
  private static func fill(
    _ fileSystem: SimulatedFileSystem, faults: [FaultPlan] = [], failed: (LogError) -> Void
  ) throws -> (before: Int, after: Int, isCommitted: Bool, count: Int) {
    let log = try open(fileSystem)
    try TestLog.put(1000..<1005, log)
    let before = fileSystem.operationCount
    fileSystem.setFaults(faults)
    var isCommitted = true
    do {
      try log.transact { transaction in
        for number in 0..<40 {
          do throws(LogError) { try put(number, transaction) } catch { failed(error) }
        }
      }
    } catch { isCommitted = false }
    let after = fileSystem.operationCount
    fileSystem.setFaults([])
    return (before, after, isCommitted, try TestLog.contents(log).count)
  }
}
