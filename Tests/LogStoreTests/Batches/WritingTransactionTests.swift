import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Transactions that only write cost what commits cost: they publish nothing, and their memory is
/// used again; those that read see what they must.
@Suite struct WritingTransactionTests {
  private static func put(_ number: Int, _ step: Int, _ transaction: Transaction) throws {
    try transaction.put(
      TestLog.key(number), in: TestLog.people, schemaVersion: 0, payload: TestLog.payload(step))
  }

  @Test("P5: a transaction that only writes publishes nothing; one that reads sees all before it")
  func readersPublish() throws {
    let log = try TestLog.openWithLargeSegments()
    try TestLog.put([0], log)
    for number in 1..<5 { try log.transact { try Self.put(number, number, $0) } }
    let version = Int(log.pipeline.table.version)
    for number in 5..<10 { try log.transact { try Self.put(number, number, $0) } }
    #expect(Int(log.pipeline.table.version) == version)
    try log.transact { transaction in
      // Its own change first, and one that nobody has looked at.
      try Self.put(3, 33, transaction)
      for (number, step) in [(9, 9), (3, 33)] {
        let record = try transaction.record(for: TestLog.key(number), in: TestLog.people)
        #expect(record?.payload == TestLog.payload(step))
      }
      let absent = try transaction.record(for: TestLog.key(10), in: TestLog.people)
      #expect(absent == nil)
    }
    #expect(Int(log.pipeline.table.version) == version + 1)
    try log.transact { transaction in
      let cursor = try transaction.records(in: TestLog.people)
      var count = 0
      while let (_, record) = try cursor.next() {
        #expect(record.payload != TestLog.payload(3))
        count += 1
      }
      #expect(count == 10)
    }
  }

  @Test("P1: batches that are used again carry nothing over", arguments: UInt64(1)...20)
  func nothingIsCarriedOver(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var configuration = TestLog.configuration
    configuration.durability = .process
    configuration.transactionByteCountInMemory = 2 << 10
    let log = try Log.open(
      at: "/store", configuration: configuration, fileSystem: SimulatedFileSystem())
    var expected: [[UInt8]: [UInt8]] = [:]
    var cursors: [(RecordCursor, [[UInt8]: [UInt8]])] = []
    for step in 0..<150 {
      let before = log.snapshot().lastSequence.rawValue
      var changed = expected
      let count = Int.random(in: 0..<40, using: &generator)
      let fails = Int.random(in: 0..<4, using: &generator) == 0
      let isWalked = Int.random(in: 0..<6, using: &generator) == 0
      do {
        try log.transact(durability: Bool.random(using: &generator) ? .full : .process) {
          transaction in
          for _ in 0..<count {
            let number = Int.random(in: 0..<50, using: &generator)
            if Int.random(in: 0..<4, using: &generator) == 0 {
              try transaction.delete(TestLog.key(number), in: TestLog.people)
              changed[TestLog.key(number)] = nil
            } else {
              try Self.put(number, step, transaction)
              changed[TestLog.key(number)] = TestLog.payload(step)
            }
          }
          if isWalked { cursors.append((try transaction.records(in: TestLog.people), changed)) }
          if fails { throw CaseFailure("given up") }
        }
        expected = changed
        #expect(log.snapshot().lastSequence.rawValue == before + UInt64(count))
      } catch is CaseFailure {
        #expect(log.snapshot().lastSequence.rawValue == before)
      }
      // Takes a batch out of the same pool.
      if Bool.random(using: &generator) {
        try log.put(
          TestLog.key(step), in: TestLog.people, schemaVersion: 0, payload: TestLog.payload(step))
        expected[TestLog.key(step)] = TestLog.payload(step)
      }
      #expect(try TestLog.contents(log) == expected, "seed \(seed), step \(step)")
    }
    // A cursor keeps what its transaction saw, whoever uses batches meanwhile.
    for (cursor, contents) in cursors {
      #expect(try TestLog.contents(cursor) == contents, "seed \(seed)")
    }
  }

  @Test("a transaction that is used after its body is a programmer error")
  func usedLaterTraps() async {
    await #expect(processExitsWith: .failure) {
      let log = try TestLog.open(InMemoryFileSystem())
      let kept = try log.transact { $0 }
      _ = try? kept.put(TestLog.key(1), in: TestLog.people, schemaVersion: 0, payload: [])
    }
    await #expect(processExitsWith: .failure) {
      let log = try TestLog.open(InMemoryFileSystem())
      var kept: Transaction?
      try? log.transact { transaction in
        kept = transaction
        throw CaseFailure("given up")
      }
      _ = try? kept?.record(for: TestLog.key(1), in: TestLog.people)
    }
  }
}
