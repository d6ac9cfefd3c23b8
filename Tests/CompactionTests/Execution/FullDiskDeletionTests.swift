import FileIO
import LogStore
import StorageTestSupport
import Testing

@testable import Compaction

/// Deletions on a full disk use the reserve, which compaction needs to give their room back.
@Suite struct FullDiskDeletionTests {
  enum Order: String, CaseIterable {
    case ascending, random
  }

  private static let people = CollectionIdentifier(1)

  private static func open(_ fileSystem: SimulatedFileSystem) throws(LogError) -> Log {
    var configuration = LogConfiguration()
    configuration.segmentByteCountMinimum = 64 << 10
    configuration.segmentByteCountMaximum = 64 << 10
    configuration.compression = .none
    configuration.maintenance = .inline
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  private static func key(_ number: Int) -> [UInt8] {
    withUnsafeBytes(of: UInt32(number).bigEndian) { [UInt8]($0) }
  }

  /// Puts until the disk is full; how many.
  private static func fill(_ log: Log) throws -> Int {
    var count = 0
    do throws(LogError) {
      while true {
        let batch = log.makeBatch()
        try batch.put(
          key(count), in: people, schemaVersion: 0,
          payload: [UInt8](repeating: UInt8(truncatingIfNeeded: count), count: 200))
        try log.commit(batch, durability: .process)
        count += 1
      }
    } catch {
      guard error.isDiskFull else { throw error }
      return count
    }
  }

  private static func delete(_ number: Int, _ log: Log) throws(LogError) {
    let batch = log.makeBatch()
    try batch.delete(key(number), in: people)
    try log.commit(batch, durability: .process)
  }

  private static func count(_ log: Log) throws -> Int {
    let cursor = try log.snapshot().records(in: people)
    var count = 0
    while try cursor.next() != nil { count += 1 }
    return count
  }

  @Test(
    "P11: deletions end where a compaction would find no room, and go on behind it",
    arguments: Order.allCases)
  func compactionHasRoom(order: Order) throws {
    let fileSystem = SimulatedFileSystem()
    fileSystem.setByteCountLimit(2 << 20)
    let log = try Self.open(fileSystem)
    let count = try Self.fill(log)
    var numbers = Array(0..<count)
    var generator = SeededGenerator(seed: 5)
    if order == .random { numbers.shuffle(using: &generator) }
    var refusedCount = 0
    for (position, number) in numbers.prefix(count / 2).enumerated() {
      do throws(LogError) {
        try Self.delete(number, log)
      } catch {
        guard error.isDiskFull else { throw error }
        refusedCount += 1
        try Compactor(log).run()
        try Self.delete(number, log)
      }
      guard position % 500 == 0 else { continue }
      #expect(try Self.count(log) == count - position - 1)
    }
    print("\(order): \(count / 2) of \(count) deleted, \(refusedCount) refused once")
    if order == .random { #expect(refusedCount > 0) }
    #expect(refusedCount < 40)
    try Compactor(log).run()
    try log.close()
    let again = try Self.open(fileSystem)
    #expect(try Self.count(again) == count - count / 2)
    #expect(try Self.fill(again) > 0)
  }

  @Test("P11: a store that ends while deletions are refused compacts when it is opened again")
  func reopened() throws {
    var fileSystem = SimulatedFileSystem()
    fileSystem.setByteCountLimit(2 << 20)
    let log = try Self.open(fileSystem)
    let count = try Self.fill(log)
    var numbers = Array(0..<count)
    var generator = SeededGenerator(seed: 6)
    numbers.shuffle(using: &generator)
    var deletedCount = 0
    do throws(LogError) {
      for number in numbers {
        try Self.delete(number, log)
        deletedCount += 1
      }
      Issue.record("nothing was refused")
    } catch { #expect(error.isDiskFull) }
    fileSystem = fileSystem.afterCrash(.processKill)
    fileSystem.setByteCountLimit(2 << 20)
    let again = try Self.open(fileSystem)
    #expect(try Self.count(again) == count - deletedCount)
    try Compactor(again).run()
    try Self.delete(numbers[deletedCount], again)
    #expect(try Self.count(again) == count - deletedCount - 1)
    try again.close()
  }
}
