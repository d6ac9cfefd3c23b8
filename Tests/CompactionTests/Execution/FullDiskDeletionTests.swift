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

  static let people = CollectionIdentifier(1)

  private static func open(
    _ fileSystem: SimulatedFileSystem, reserve: UInt64? = nil, segmentByteCount: UInt64 = 64 << 10
  ) throws(LogError) -> Log {
    var configuration = LogConfiguration()
    if let reserve { configuration.diskReserveByteCountMaximum = reserve }
    configuration.segmentByteCountMinimum = segmentByteCount
    configuration.segmentByteCountMaximum = segmentByteCount
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

  private static func delete(
    _ number: Int, _ log: Log, _ durability: Durability = .process
  ) throws(LogError) {
    let batch = log.makeBatch()
    try batch.delete(key(number), in: people)
    try log.commit(batch, durability: durability)
  }

  /// Deletes, behind a compaction where that is refused first; whether it was.
  private static func deleteWithRoom(
    _ number: Int, _ log: Log, _ durability: Durability = .process
  ) throws -> Bool {
    do throws(LogError) {
      try delete(number, log, durability)
      return false
    } catch {
      guard error.isDiskFull else { throw error }
      try Compactor(log).run()
      try delete(number, log, durability)
      return true
    }
  }

  /// A store with a small segment, as the first session of an app leaves one.
  private static func begun(_ fileSystem: SimulatedFileSystem) throws -> Log {
    let log = try open(fileSystem)
    for number in UInt32(1)...20 {
      let batch = log.makeBatch()
      try batch.put(
        [0xFF, UInt8(number)], in: CollectionIdentifier(2), schemaVersion: 0, payload: [1, 2, 3])
      try log.commit(batch)
    }
    try log.close()
    return try open(fileSystem)
  }

  static func count(_ log: Log) throws -> Int {
    let cursor = try log.snapshot().records(in: people)
    var count = 0
    while try cursor.next() != nil { count += 1 }
    return count
  }

  @Test(
    "P11: deletions end where a compaction would find no room, and go on behind it",
    arguments: Order.allCases, [Durability.process, .full])
  func compactionHasRoom(order: Order, durability: Durability) throws {
    let fileSystem = SimulatedFileSystem()
    fileSystem.setByteCountLimit(2 << 20)
    let log = try Self.begun(fileSystem)
    let count = try Self.fill(log)
    var numbers = Array(0..<count)
    var generator = SeededGenerator(seed: 5)
    if order == .random { numbers.shuffle(using: &generator) }
    var refusedCount = 0
    for (position, number) in numbers.prefix(count / 2).enumerated() {
      if try Self.deleteWithRoom(number, log, durability) { refusedCount += 1 }
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

  /// Where segments are wholly dead, writing one anew takes nothing; sealing the open segment does,
  /// whose index may be larger than all that is kept for a manifest and for closing.
  @Test(
    "P11: deletions leave room for the index of the segment that they are written to",
    arguments: 0..<8)
  func openSegmentHasRoom(step: Int) throws {
    let fileSystem = SimulatedFileSystem()
    fileSystem.setByteCountLimit((3 << 20) + step * (32 << 10))
    let log = try Self.open(fileSystem, segmentByteCount: 256 << 10)
    let count = try Self.fill(log)
    var refusedCount = 0
    for number in 0..<count {
      if try Self.deleteWithRoom(number, log) { refusedCount += 1 }
    }
    print("\(count) deleted, \(refusedCount) refused once")
    #expect(refusedCount > 0 && refusedCount < 10)
    #expect(try Self.count(log) == 0)
    try Compactor(log).run()
    try log.close()
    let again = try Self.open(fileSystem, segmentByteCount: 256 << 10)
    #expect(try Self.fill(again) > count / 2)
  }

  @Test(
    "P11: a store that ends while deletions are refused spares the room when it is opened again")
  func reopened() throws {
    var fileSystem = SimulatedFileSystem()
    fileSystem.setByteCountLimit(2 << 20)
    var log = try Self.begun(fileSystem)
    let count = try Self.fill(log)
    var numbers = Array(0..<count)
    var generator = SeededGenerator(seed: 6)
    numbers.shuffle(using: &generator)
    var deletedCount = 0
    func deleteUntilRefused() throws {
      do throws(LogError) {
        while true {
          try Self.delete(numbers[deletedCount], log)
          deletedCount += 1
        }
      } catch { guard error.isDiskFull else { throw error } }
    }
    try deleteUntilRefused()
    for _ in 0..<4 {
      fileSystem = fileSystem.afterCrash(.processKill)
      fileSystem.setByteCountLimit(2 << 20)
      log = try Self.open(fileSystem)
      #expect(try Self.count(log) == count - deletedCount)
      try deleteUntilRefused()
    }
    try Compactor(log).run()
    try Self.delete(numbers[deletedCount], log)
    #expect(try Self.count(log) == count - deletedCount - 1)
    try log.close()
  }

  @Test("P11: without a reserve, and with one that an earlier process left, deletions are tried")
  func withoutReserve() throws {
    let fileSystem = SimulatedFileSystem()
    fileSystem.setByteCountLimit(2 << 20)
    var log = try Self.begun(fileSystem)
    let count = try Self.fill(log)
    try log.close()
    log = try Self.open(fileSystem, reserve: 0)
    for number in 0..<20 { try Self.delete(number, log) }
    fileSystem.setByteCountLimit(16 << 20)
    for number in 20..<count { try Self.delete(number, log) }
    #expect(try Self.count(log) == 0)
    try log.close()
  }
}
