import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

@Suite("Large commits and the segments they fill")
struct LargeCommitTests {
  private static func open(_ fileSystem: any FileSystem, minimum: UInt64?) throws(LogError) -> Log {
    var configuration = LogConfiguration()
    configuration.compression = .none
    configuration.maintenance = .inline
    if let minimum { configuration.segmentByteCountMinimum = minimum }
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  /// Commits of one record each.
  private static func put(_ numbers: Range<Int>, of byteCount: Int, _ log: Log) throws {
    for number in numbers {
      let batch = log.makeBatch()
      try batch.put(
        TestLog.key(number), in: TestLog.people, schemaVersion: 0,
        payload: [UInt8](repeating: 7, count: byteCount))
      try log.commit(batch)
    }
  }

  /// The sizes of the sealed segments behind commits of one record each.
  private static func sizes(
    commitCount: Int, of byteCount: Int, minimum: UInt64? = nil
  ) throws -> [UInt64] {
    let log = try open(InMemoryFileSystem(), minimum: minimum)
    try put(0..<commitCount, of: byteCount, log)
    return try log.statistics().segments.filter { !$0.isActive }.map(\.byteCount)
  }

  @Test("Behind large commits segments have room for 32, up to two of the smallest")
  func segmentsHaveRoom() throws {
    let small = try Self.sizes(commitCount: 120, of: 60 << 10)
    #expect(small.count >= 3)
    #expect(small.allSatisfy { ((2 << 20)...(3 << 20)).contains($0) }, "\(small)")
    // 32 times 70 KiB, but for the first.
    let large = try Self.sizes(commitCount: 160, of: 70 << 10)
    #expect(large.count >= 3)
    #expect(large.dropFirst().allSatisfy { (2240 << 10...2440 << 10).contains($0) }, "\(large)")
    #expect(large.first.map { $0 < 2200 << 10 } == true)
    let largest = try Self.sizes(commitCount: 30, of: 500 << 10)
    #expect(largest.count >= 3)
    #expect(
      largest.dropFirst().allSatisfy { (4000 << 10...4700 << 10).contains($0) }, "\(largest)")
    // Where the application wants small segments, they stay small.
    let wanted = try Self.sizes(commitCount: 24, of: 100 << 10, minimum: 64 << 10)
    #expect(wanted.count >= 6)
    #expect(wanted.allSatisfy { $0 < 400 << 10 }, "\(wanted)")
  }

  @Test("Commits of less than 64 KiB are not large")
  func thresholdOfLargeCommits() throws {
    let minimum: UInt64 = 256 << 10
    let small = try Self.sizes(commitCount: 30, of: 60 << 10, minimum: minimum)
    #expect(small.count >= 4)
    #expect(small.allSatisfy { $0 < 2 * minimum }, "\(small)")
    let large = try Self.sizes(commitCount: 30, of: 66 << 10, minimum: minimum)
    #expect(large.count >= 3)
    #expect(large.dropFirst().allSatisfy { $0 >= 2 * minimum }, "\(large)")
  }

  @Test("In a store of four times that a segment has a quarter of it, up to four of the smallest")
  func segmentsGrowWithTheStore() throws {
    let minimum: UInt64 = 64 << 10
    let sizes = try Self.sizes(commitCount: 110, of: 64 << 10, minimum: minimum)
    var total: UInt64 = 0
    var target: UInt64 = 0
    for (position, size) in sizes.enumerated() {
      if position > 0 { #expect((target...target + 80 << 10).contains(size), "\(sizes)") }
      // Known when the segment behind this one begins: then this one is not sealed yet.
      target = min(max(2 * minimum, total / 4), 4 * minimum)
      total += size
    }
    #expect(target == 4 * minimum, "\(sizes)")
    #expect(sizes.contains { (5 * minimum / 2...7 * minimum / 2).contains($0) }, "\(sizes)")
  }

  @Test("When large commits end, segments become as small as before")
  func smallCommitsBringThemBack() throws {
    let log = try Self.open(InMemoryFileSystem(), minimum: nil)
    try Self.put(0..<30, of: 200 << 10, log)
    #expect(try log.statistics().segmentByteCountTarget > 3 << 20)
    let before = Set(try log.statistics().segments.map(\.identifier))
    try Self.put(100..<600, of: 30 << 10, log)
    #expect(try log.statistics().segmentByteCountTarget == 2 << 20)
    let after = try log.statistics().segments.filter {
      !$0.isActive && !before.contains($0.identifier)
    }
    // The first comes behind one that still has large commits.
    #expect(after.count >= 2)
    #expect(
      after.dropFirst().allSatisfy { $0.byteCount < 2200 << 10 }, "\(after.map(\.byteCount))")
  }
}
