import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Which tombstones a rewrite leaves out, and what it does where it cannot know.
@Suite struct NeededTombstoneTests {
  private static let others = 10_000

  private static func open(_ fileSystem: any FileSystem) throws(LogError) -> Log {
    var configuration = TestLog.configuration
    configuration.maintenance = .none
    configuration.readMode = .buffered
    configuration.durability = .process
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  /// Rewrites the segments in which `isInput` holds.
  @discardableResult
  private static func rewrite(
    _ log: Log, where isInput: (SegmentStatistics) -> Bool
  ) throws -> TombstoneTally {
    let inputs = try log.statisticsWithoutFiles().segments.filter { !$0.isActive && isInput($0) }
    let rewrite = try log.beginRewrite(of: Set(inputs.map(\.identifier)))
    while try rewrite.carryOver(atMost: 100) {}
    try rewrite.publish()
    return rewrite.tombstones
  }

  /// Keys that a filter cannot tell apart by where they lie.
  private static func numbers(_ range: Range<Int>) -> [Int] {
    range.map { ($0 &* 2_654_435_761) & 0xFFFF_FFFF }
  }

  private static func put(_ range: Range<Int>, _ log: Log) throws {
    for start in stride(from: range.lowerBound, to: range.upperBound, by: 10) {
      try TestLog.put(numbers(start..<min(start + 10, range.upperBound)), log)
    }
  }

  /// Puts the first `count` keys, and then those of many other segments.
  private static func fill(_ log: Log, count: Int) throws {
    try put(0..<count, log)
    try log.sealActiveSegment()
    try put(others..<(others + 6000), log)
    try log.sealActiveSegment()
  }

  @Test("Tombstones go when what they hid is gone, whatever the filters of other segments say")
  func filtersAreNotBelieved() throws {
    let log = try Self.open(InMemoryFileSystem())
    try Self.fill(log, count: 400)
    #expect(try log.statistics().segments.count > 60)
    try TestLog.delete(Self.numbers(0..<400), log)
    try log.sealActiveSegment()
    let hidden = try Self.rewrite(log) { $0.live.recordCount == 0 && $0.tombstoneCount == 0 }
    #expect(hidden == TombstoneTally())
    let tally = try Self.rewrite(log) { $0.tombstoneCount > 0 }
    #expect(tally.droppedCount == 400 && tally.keptCount == 0)
    let left = TestLog.expected(Self.numbers(Self.others..<(Self.others + 6000)))
    try TestLog.compare(log, left)
  }

  @Test("Tombstones that hide something stay, and the rewrite says where that is")
  func needed() throws {
    let log = try Self.open(InMemoryFileSystem())
    try Self.fill(log, count: 30)
    let first = try #require(try log.statistics().segments.first)
    try TestLog.delete(Self.numbers(0..<10), log)
    try log.sealActiveSegment()
    let tally = try Self.rewrite(log) { $0.tombstoneCount > 0 }
    #expect(tally.droppedCount == 0 && tally.keptCount == 10)
    #expect(tally.hiding == [first.identifier])
  }

  /// What is wrong with a segment that is not rewritten.
  enum Damage: CaseIterable {
    case missing, unreadable

    func strike(_ name: String, _ fileSystem: SimulatedFileSystem, dataEnd: Int) {
      switch self {
      case .missing: fileSystem.removeFile(name, in: "/store")
      case .unreadable:
        fileSystem.flipBit(1, of: name, in: "/store", at: dataEnd + 100)
        fileSystem.flipBit(1, of: name, in: "/store", at: dataEnd - 40)
      }
    }
  }

  /// A log of which the first segment is damaged; nothing in it is live, and no run covers it.
  private static func damaged(
    _ damage: Damage
  ) throws -> (log: Log, bystander: SegmentIdentifier, left: [Int]) {
    let fileSystem = SimulatedFileSystem()
    var log = try Self.open(fileSystem)
    try fill(log, count: 30)
    let bystander = try #require(try log.statistics().segments.first)
    try TestLog.put(numbers(0..<20), log)
    try TestLog.delete(numbers(20..<30) + numbers(others..<(others + 100)), log)
    try log.close()
    damage.strike(
      StoreDirectory.segment(bystander.identifier).description, fileSystem,
      dataEnd: Int(bystander.byteCount))
    log = try open(fileSystem)
    return (log, bystander.identifier, numbers(0..<20) + numbers((others + 100)..<(others + 6000)))
  }

  @Test(
    "P19: a damaged segment does not stop the copying of others, and all that hides it stays",
    arguments: Damage.allCases)
  func damagedBystander(damage: Damage) throws {
    let (log, bystander, left) = try Self.damaged(damage)
    let tally = try Self.rewrite(log) { $0.identifier != bystander }
    #expect(tally.keptCount >= 10 && tally.hiding.contains(bystander))
    for number in left {
      #expect(try log.snapshot().record(for: TestLog.key(number), in: TestLog.people) != nil)
    }
    #expect(try log.statistics().segments.contains { $0.identifier == bystander })
  }

  @Test("P19: what may be replaced in a damaged segment is copied, as nobody can tell")
  func olderThanDamaged() throws {
    let fileSystem = SimulatedFileSystem()
    var log = try Self.open(fileSystem)
    for start in [0, 40, 80] {
      try TestLog.put(Self.numbers(start..<(start + 40)), log)
      try log.sealActiveSegment()
    }
    try TestLog.delete(Self.numbers(0..<20), log)
    let segments = try log.statistics().segments
    try log.close()
    func strike() {
      Damage.unreadable.strike(
        StoreDirectory.segment(segments[1].identifier).description, fileSystem,
        dataEnd: Int(segments[1].byteCount))
    }
    strike()
    log = try Self.open(fileSystem)
    try Self.rewrite(log) { $0.identifier == segments[0].identifier }
    try log.close()
    // Healed, it shows that nothing is lost and nothing came back.
    strike()
    log = try Self.open(fileSystem)
    #expect(try TestLog.contents(log) == TestLog.expected(Self.numbers(20..<120)))
    #expect(try log.statistics().live.recordCount == 100)
  }

  @Test("Indexes are merged without that of a segment that was found damaged")
  func merging() throws {
    let (log, bystander, left) = try Self.damaged(.missing)
    try Self.rewrite(log) { $0.tombstoneCount > 0 }
    try log.mergeIndexes()
    let runs = try log.statistics().runs
    #expect(runs.count == 1)
    let all = try log.statistics().segments
    #expect(runs.first?.segmentCount == all.count - 1)
    #expect(all.contains { $0.identifier == bystander })
    for number in left {
      #expect(try log.snapshot().record(for: TestLog.key(number), in: TestLog.people) != nil)
    }
  }
}
