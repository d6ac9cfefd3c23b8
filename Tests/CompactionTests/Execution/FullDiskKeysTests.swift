import FileIO
import StorageTestSupport
import Testing

@testable import Compaction
@testable import LogStore

/// Records and keys of all sizes on a full disk: the index of a segment takes from a tenth of its
/// records to more than they do.
@Suite struct FullDiskKeysTests {
  struct Shape: CustomTestStringConvertible {
    var keyByteCount: Int
    var payloadByteCount: Int
    var batchCount = 1
    var reserve: UInt64 = 16 << 20

    var testDescription: String {
      "keys of \(keyByteCount), payloads of \(payloadByteCount), \(batchCount) at once, "
        + "reserve \(reserve)"
    }
  }

  static let shapes = [
    Shape(keyByteCount: 8, payloadByteCount: 1000), Shape(keyByteCount: 16, payloadByteCount: 20),
    Shape(keyByteCount: 16, payloadByteCount: 60),
    Shape(keyByteCount: 16, payloadByteCount: 120),
    Shape(keyByteCount: 16, payloadByteCount: 120, batchCount: 50),
    Shape(keyByteCount: 16, payloadByteCount: 20, batchCount: 200),
    Shape(keyByteCount: 64, payloadByteCount: 150),
    Shape(keyByteCount: 400, payloadByteCount: 20),
    Shape(keyByteCount: 800, payloadByteCount: 400), Shape(keyByteCount: 1500, payloadByteCount: 8),
    Shape(keyByteCount: 3000, payloadByteCount: 8),
    Shape(keyByteCount: 3000, payloadByteCount: 3000),
    Shape(keyByteCount: 3000, payloadByteCount: 8, batchCount: 20),
    Shape(keyByteCount: 4096, payloadByteCount: 100),
  ]

  private static let people = FullDiskDeletionTests.people

  private static func open(
    _ fileSystem: SimulatedFileSystem, _ shape: Shape
  ) throws(LogError) -> Log {
    var configuration = LogConfiguration()
    configuration.diskReserveByteCountMaximum = shape.reserve
    configuration.segmentByteCountMinimum = 256 << 10
    configuration.segmentByteCountMaximum = 256 << 10
    configuration.compression = .none
    configuration.maintenance = .inline
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  private static func key(_ number: Int, _ shape: Shape) -> [UInt8] {
    var generator = SeededGenerator(seed: UInt64(number))
    var key = (0..<shape.keyByteCount).map { _ in UInt8.random(in: 0...255, using: &generator) }
    withUnsafeBytes(of: UInt32(number).bigEndian) { key.replaceSubrange(0..<4, with: $0) }
    return key
  }

  private static func put(
    _ numbers: Range<Int>, _ log: Log, _ shape: Shape, in collection: CollectionIdentifier = people
  ) throws(LogError) {
    let batch = log.makeBatch()
    for number in numbers {
      try batch.put(
        key(number, shape), in: collection, schemaVersion: 0,
        payload: [UInt8](
          repeating: UInt8(truncatingIfNeeded: number), count: shape.payloadByteCount))
    }
    try log.commit(batch, durability: .process)
  }

  /// Puts until the disk is full; how many.
  private static func fill(_ log: Log, _ shape: Shape) throws -> Int {
    var count = 0
    do throws(LogError) {
      while true {
        try put(count..<count + shape.batchCount, log, shape)
        count += shape.batchCount
      }
    } catch {
      guard error.isDiskFull else { throw error }
      return count
    }
  }

  private static func delete(
    _ number: Int, _ log: Log, _ shape: Shape
  ) throws(LogError) {
    let batch = log.makeBatch()
    try batch.delete(key(number, shape), in: people)
    try log.commit(batch, durability: .process)
  }

  /// Deletes what `numbers` says, behind a compaction where that is refused; at which it was.
  private static func delete(
    _ numbers: some Sequence<Int>, _ log: Log, _ shape: Shape
  ) throws -> [Int] {
    var refusedAt: [Int] = []
    for (position, number) in numbers.enumerated() {
      do throws(LogError) {
        try delete(number, log, shape)
      } catch {
        guard error.isDiskFull else { throw error }
        refusedAt.append(position)
        // It may find no room; then deletions go on.
        do throws(LogError) { try Compactor(log).run() } catch {
          guard error.isDiskFull else { throw error }
        }
        try delete(number, log, shape)
      }
    }
    return refusedAt
  }

  /// A store on a disk that it fills; how many records it has, but for `otherCount` others that
  /// have a segment of their own.
  private static func full(
    _ shape: Shape, otherCount: Int = 0
  ) throws -> (SimulatedFileSystem, Log, Int) {
    let fileSystem = SimulatedFileSystem()
    fileSystem.setByteCountLimit(3 << 20)
    var log = try open(fileSystem, shape)
    if otherCount > 0 {
      try put(0..<otherCount, log, shape, in: CollectionIdentifier(2))
      try log.close()
      log = try open(fileSystem, shape)
    }
    let count = try fill(log, shape)
    return (fileSystem, log, count)
  }

  @Test(
    "P11: where nothing is dead deletions begin, and go on behind a compaction", arguments: shapes,
    FullDiskDeletionTests.Order.allCases)
  func nothingDead(shape: Shape, order: FullDiskDeletionTests.Order) throws {
    let (fileSystem, log, count) = try Self.full(shape)
    var numbers = Array(0..<count)
    var generator = SeededGenerator(seed: 7)
    if order == .random { numbers.shuffle(using: &generator) }
    let refusedAt = try Self.delete(numbers.prefix(count / 2), log, shape)
    print("\(shape.testDescription), \(order): refused at \(refusedAt) of \(count / 2)")
    #expect(refusedAt.first ?? .max > count / 50 && refusedAt.count < 10)
    #expect(try FullDiskDeletionTests.count(log) == count - count / 2)
    try Compactor(log).run()
    try log.close()
    let again = try Self.open(fileSystem, shape)
    #expect(try FullDiskDeletionTests.count(again) == count - count / 2)
    #expect(try Self.fill(again, shape) > 0)
  }

  /// No segment could be written anew, but the deletions of all records of one fit in.
  @Test(
    "P11: with a reserve below a segment deletions go on, and segments without anything live go",
    arguments: [(64 << 10, 400), (96 << 10, 400), (160 << 10, 400), (160 << 10, 120)], [0, 100])
  func smallReserve(reserve: (byteCount: UInt64, payload: Int), otherCount: Int) throws {
    let shape = Shape(
      keyByteCount: 16, payloadByteCount: reserve.payload, batchCount: 50,
      reserve: reserve.byteCount)
    let (_, log, count) = try Self.full(shape, otherCount: otherCount)
    let refusedAt = try Self.delete(0..<count, log, shape)
    print("\(shape.testDescription), \(otherCount) others: refused at \(refusedAt) of \(count)")
    #expect(refusedAt.first ?? .max > count / 100 && refusedAt.count < 40)
    #expect(try FullDiskDeletionTests.count(log) == 0)
    try Compactor(log).run()
    #expect(try Self.fill(log, shape) > count / 2)
    try log.close()
  }

  /// Who opens it writes the open segment anew first, which then has thousands of deletions.
  @Test(
    "P11: a store that is killed before a deletion is refused is repaired, and deletions go on",
    arguments: [20, 120, 400], FullDiskDeletionTests.Order.allCases)
  func killed(payloadByteCount: Int, order: FullDiskDeletionTests.Order) throws {
    let shape = Shape(keyByteCount: 16, payloadByteCount: payloadByteCount)
    let (fileSystem, log, count) = try Self.full(shape)
    var numbers = Array(0..<count)
    var generator = SeededGenerator(seed: 8)
    if order == .random { numbers.shuffle(using: &generator) }
    var deletedCount = 0
    do throws(LogError) {
      while deletedCount < count {
        try Self.delete(numbers[deletedCount], log, shape)
        deletedCount += 1
      }
    } catch { guard error.isDiskFull else { throw error } }
    #expect(deletedCount < count)
    let killed = fileSystem.afterCrash(.processKill)
    killed.setByteCountLimit(3 << 20)
    let again = try Self.open(killed, shape)
    #expect(try FullDiskDeletionTests.count(again) == count - deletedCount)
    let refusedAt = try Self.delete(numbers.dropFirst(deletedCount), again, shape)
    print("\(shape.testDescription), \(order): killed at \(deletedCount), refused at \(refusedAt)")
    #expect(try FullDiskDeletionTests.count(again) == 0)
    #expect(refusedAt.count < 20)
    try again.close()
  }

  @Test("P11: puts at launch take nothing of what an earlier process left for deletions")
  func launches() throws {
    let shape = Shape(keyByteCount: 16, payloadByteCount: 120)
    var (fileSystem, log, count) = try Self.full(shape)
    var deletedCount = 0
    do throws(LogError) {
      while deletedCount < count {
        try Self.delete(deletedCount, log, shape)
        deletedCount += 1
      }
    } catch { guard error.isDiskFull else { throw error } }
    #expect(deletedCount < count)
    var acceptedCount = 0
    for launch in 0..<20 {
      fileSystem = fileSystem.afterCrash(.processKill)
      fileSystem.setByteCountLimit(3 << 20)
      log = try Self.open(fileSystem, shape)
      for putCount in [200, 20, 1] {
        let first = 1_000_000 + launch * 1000
        do throws(LogError) {
          try Self.put(first..<first + putCount, log, shape)
          acceptedCount += putCount
        } catch { guard error.isDiskFull else { throw error } }
      }
    }
    #expect(acceptedCount == 0)
    let refusedAt = try Self.delete(deletedCount..<count, log, shape)
    #expect(refusedAt.count < 20)
    #expect(try FullDiskDeletionTests.count(log) == 0)
    try log.close()
  }

  @Test("P11: what a killed process left is removed before a put is refused for its room")
  func leftByAKill() throws {
    let shape = Shape(keyByteCount: 16, payloadByteCount: 120)
    let fileSystem = SimulatedFileSystem()
    fileSystem.setByteCountLimit(3 << 20)
    var log = try Self.open(fileSystem, shape)
    for _ in 0..<4 {
      for start in stride(from: 0, to: 3000, by: 50) {
        try Self.put(start..<start + 50, log, shape)
      }
    }
    try Compactor(log).run()
    try log.close()
    // No manifest lists it any more: the inputs of a compaction that was killed look like this.
    let directory = try fileSystem.openDirectory(at: "/store", create: false)
    let name = StoreDirectory.segment(SegmentIdentifier(1))
    try directory.open(name, .createNew).allocate(0..<1 << 20)
    try directory.remove(StoreDirectory.reserve)
    fileSystem.setByteCountLimit(fileSystem.usedByteCount + (16 << 10))
    log = try Self.open(fileSystem, shape)
    try Self.put(5000..<5001, log, shape)
    #expect(try log.statistics().reserveByteCount > 0)
    #expect(try FullDiskDeletionTests.count(log) == 3001)
    try log.close()
  }

  @Test("P11: the reserve is there again when a compaction has made room for it")
  func madeAgain() throws {
    let shape = Shape(keyByteCount: 8, payloadByteCount: 1000)
    let (_, log, count) = try Self.full(shape)
    _ = try Self.delete(0..<count / 2, log, shape)
    #expect(log.isReserveGivenUp)
    try Compactor(log).run()
    #expect(!log.isReserveGivenUp)
    #expect(try log.statistics().reserveByteCount > 0)
    try log.close()
  }

  /// What is free holds manifests, but no index of the open segment.
  @Test(
    "P11: a compaction that finds no room to seal lets segments go first of which nothing is live")
  func sealsLast() throws {
    let shape = Shape(keyByteCount: 16, payloadByteCount: 20, batchCount: 100, reserve: 0)
    let fileSystem = SimulatedFileSystem()
    let log = try Self.open(fileSystem, shape)
    for start in stride(from: 0, to: 20_000, by: 100) {
      try Self.put(start..<start + 100, log, shape)
    }
    for number in 0..<15_000 { try Self.delete(number, log, shape) }
    let before = try log.statistics()
    let active = try #require(before.segments.first { $0.isActive })
    #expect(active.recordCount > 3000)
    fileSystem.setByteCountLimit(fileSystem.usedByteCount + (12 << 10))
    var counts: [UInt64] = []
    let report = try Compactor(log).run { progress in
      counts.append(progress.copiedByteCount)
      return true
    }
    #expect(try log.statistics().fileByteCount < before.fileByteCount / 2)
    #expect(report.byteCountBefore >= before.fileByteCount)
    #expect(report.segmentCount >= before.segments.count)
    #expect(zip(counts, counts.dropFirst()).allSatisfy { $0 <= $1 })
    #expect(try FullDiskDeletionTests.count(log) == 5000)
    try log.close()
  }

  @Test("Segments of no size have room, too", arguments: [0, 1, 2] as [UInt64])
  func noSize(byteCount: UInt64) throws {
    let fileSystem = SimulatedFileSystem()
    fileSystem.setByteCountLimit(1 << 20)
    var configuration = LogConfiguration()
    configuration.segmentByteCountMinimum = byteCount
    configuration.segmentByteCountMaximum = byteCount
    let log = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    let shape = Shape(keyByteCount: 8, payloadByteCount: 1)
    for number in 0..<10 { try Self.put(number..<number + 1, log, shape) }
    for number in 0..<5 { try Self.delete(number, log, shape) }
    #expect(try FullDiskDeletionTests.count(log) == 5)
    try log.close()
  }
}
