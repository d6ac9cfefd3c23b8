import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Transactions too large for memory, on a disk without room for them.
@Suite struct FullDiskLargeTransactionTests {
  let fileSystem = SimulatedFileSystem()

  func open() throws -> Log {
    fileSystem.setByteCountLimit(2 << 20)
    var configuration = LogConfiguration()
    configuration.segmentByteCountMinimum = 256 << 10
    configuration.segmentByteCountMaximum = 256 << 10
    configuration.transactionByteCountInMemory = 16 << 10
    configuration.compression = .none
    configuration.maintenance = .inline
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  func put(_ numbers: Range<Int>, in log: Log) throws {
    try log.transact(durability: .process) { transaction in
      for number in numbers {
        try transaction.put(
          TestLog.key(number), in: TestLog.people, schemaVersion: 0,
          payload: [UInt8](repeating: 7, count: 1000))
      }
    }
  }

  /// Puts one at a time until there is no room for one.
  func fill(_ log: Log) throws -> Int {
    var count = 0
    while true {
      do { try put(count..<(count + 1), in: log) } catch LogError.diskFull { return count }
      count += 1
    }
  }

  @Test("P11: none uses what the reserve left for deletions and compaction")
  func givenUp() throws {
    let log = try open()
    let count = try fill(log)
    var deleted = 0
    while !log.isReserveGivenUp, deleted < count {
      try log.transact(durability: .process) { transaction in
        try transaction.delete(TestLog.key(deleted), in: TestLog.people)
      }
      deleted += 1
    }
    #expect(log.isReserveGivenUp)
    let directory = try fileSystem.openDirectory(at: "/store", create: false)
    let free = try #require(try directory.freeByteCount())
    #expect(free > 100 << 10)
    #expect(throws: LogError.self) { try put(5000..<5050, in: log) }
    #expect(try directory.freeByteCount() == free)
    fileSystem.setByteCountLimit(4 << 20)
    try put(5000..<5050, in: log)
    #expect(!log.isReserveGivenUp)
    #expect(try TestLog.contents(log).count == count - deleted + 50)
    try log.close()
  }

  @Test("P11: the disk counts as full until there is room for what found none, and a segment more")
  func refused() throws {
    let log = try open()
    for number in 0..<200 { try put(number..<(number + 1), in: log) }
    #expect(!log.isDiskFull)
    #expect(throws: LogError.self) { try put(1000..<3500, in: log) }
    // A compaction could not make room for it.
    #expect(!log.isDiskFull)
    for number in 0..<200 { try put(number..<(number + 1), in: log) }
    #expect(throws: LogError.self) { try put(1000..<2500, in: log) }
    #expect(!log.isReserveGivenUp)
    #expect(log.isDiskFull)
    fileSystem.setByteCountLimit(3 << 20)
    try put(0..<1, in: log)
    #expect(!log.isDiskFull)
    let count = try fill(log)
    #expect(log.isDiskFull)
    fileSystem.setByteCountLimit((3 << 20) + (128 << 10))
    #expect(log.isDiskFull)
    fileSystem.setByteCountLimit(4 << 20)
    #expect(!log.isDiskFull)
    #expect(try TestLog.contents(log).count == count)
    try log.close()
  }

  @Test("P11: descriptions alone may use what the reserve left, and no put beside them")
  func descriptions() throws {
    let log = try open()
    let count = try fill(log)
    let reserve = Int(try log.statistics().reserveByteCount)
    #expect(log.giveUpReserve())
    fileSystem.setByteCountLimit(fileSystem.usedByteCount + reserve - (8 << 10))
    func put(in collections: [CollectionIdentifier]) throws(LogError) {
      let batch = log.makeBatch()
      for collection in collections {
        try batch.put([1, 2, 3], in: collection, schemaVersion: 0, payload: [4, 5, 6])
      }
      try log.commit(batch)
    }
    try put(in: [.catalog, .ledger, .catalogCopies])
    for collections in [[.catalog, .ledger, TestLog.people], [TestLog.people]] {
      #expect {
        try put(in: collections)
      } throws: { error in
        if case .diskFull = error as? LogError { true } else { false }
      }
    }
    #expect(log.isReserveGivenUp)
    #expect(try TestLog.contents(log).count == count)
    #expect(try log.snapshot().record(for: [1, 2, 3], in: .ledger) != nil)
    try log.close()
  }

  @Test("P11: the reserve grows with a store of large transactions only")
  func grows() throws {
    let log = try open()
    for start in stride(from: 0, to: 600, by: 100) { try put(start..<(start + 100), in: log) }
    #expect(try log.statistics().reserveByteCount > 256 << 10)
    try log.close()
  }
}
