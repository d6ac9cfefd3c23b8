import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// What a transaction tells whoever keeps a catalog of its own.
@Suite("A commit is told once it is written, and before it is seen")
struct CommittedCallTests {
  static func open(_ fileSystem: any FileSystem) throws -> Log {
    var configuration = TestLog.configuration
    configuration.transactionByteCountInMemory = 1 << 10
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  static func put(_ numbers: Range<Int>, _ transaction: Transaction) throws {
    for number in numbers {
      try transaction.put(
        TestLog.key(number), in: TestLog.people, schemaVersion: 1,
        payload: TestLog.payload(number))
    }
  }

  @Test(
    "P2: told once, when nobody sees it yet: small ones, large ones and those without a change",
    arguments: [Durability.process, .full], [0, 1, 300])
  func order(durability: Durability, count: Int) throws {
    let log = try Self.open(SimulatedFileSystem())
    try TestLog.put([1000], log)
    let before = log.snapshot().lastSequence
    var told: [CommitSequence] = []
    let committed = { told.append(log.snapshot().lastSequence) }
    try log.transact(durability: durability, committed: committed) { transaction in
      try Self.put(0..<count, transaction)
    }
    #expect(told == [before])
    #expect(log.snapshot().lastSequence.rawValue == before.rawValue + UInt64(count))
    try log.close()
  }

  @Test("P1: a commit that cannot be written is not told", arguments: [1, 300])
  func failed(count: Int) throws {
    let fileSystem = SimulatedFileSystem()
    let log = try Self.open(fileSystem)
    try TestLog.put([1000], log)
    fileSystem.setFaults([
      FaultPlan(operation: fileSystem.operationCount + 1, .fail(.noSpace), isPermanent: true)
    ])
    var toldCount = 0
    let committed = { toldCount += 1 }
    #expect(throws: LogError.self) {
      try log.transact(durability: .process, committed: committed) { transaction in
        try Self.put(0..<count, transaction)
      }
    }
    fileSystem.setFaults([])
    #expect(toldCount == 0)
    #expect(try TestLog.contents(log).count == 1)
  }
}
