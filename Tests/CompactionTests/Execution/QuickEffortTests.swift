import FileIO
import LogStore
import StorageTestSupport
import Testing

@testable import Compaction

@Suite("A quick rewrite keeps what commits compressed; one that takes its time does it again")
struct QuickEffortTests {
  typealias Base = DictionaryCompactionTests

  /// Long enough for it to matter which matches are found.
  static func payload(_ number: Int) -> [UInt8] {
    [number, number * 31 % 997, number * 7 % 89].flatMap(Base.payload)
  }

  static func put(_ numbers: some Sequence<Int>, _ log: Log, version: UInt64 = 1) throws {
    let batch = log.makeBatch()
    for number in numbers {
      try batch.put(
        Base.key(number), in: Base.people, schemaVersion: version, payload: payload(number))
    }
    try log.commit(batch)
  }

  static var someNumbers: StrideTo<Int> { stride(from: 0, to: Base.count, by: 7) }

  /// All records, and dead ones in every segment.
  static func fill(_ log: Log) throws {
    for start in stride(from: 0, to: Base.count, by: 100) {
      try put(start..<(start + 100), log)
      try put(start..<(start + 10), log)
    }
  }

  /// A log with a dictionary, and fresh records that commits compressed against it.
  static func filled(_ fileSystem: SimulatedFileSystem) throws -> Log {
    let log = try Base.open(fileSystem)
    try fill(log)
    try Compactor(log).run()
    try fill(log)
    return log
  }

  /// Every record is there once; those of `old` in the old form or, with `isUpgraded`, in the new.
  static func check(
    _ log: Log, old: Set<Int> = [], isUpgraded: Bool? = nil
  ) throws {
    let contents = try Base.contents(log)
    #expect(contents.count == Base.count)
    let addition = Base.AddingUpgrader().addition
    let wrong = contents.filter { number, found in
      let isOld = old.contains(number) && found.version == 0
      if isOld, isUpgraded == true { return true }
      let isNew = old.contains(number) && found.version == 1
      return found.payload != (isNew ? payload(number) + addition : payload(number))
    }
    #expect(wrong.keys.sorted() == [])
  }

  /// How many segments with live records of people say, by the flag in their headers, that these
  /// could be smaller.
  static func quickSegmentCount(
    _ log: Log, _ fileSystem: SimulatedFileSystem
  ) throws -> Int {
    let files = fileSystem.snapshotOfFiles(in: "/store")
    return try log.statistics().segments.count { segment in
      segment.liveByVersion.keys.contains { $0.collection == Base.people }
        && files[StoreDirectory.segment(segment.identifier).description]?[12] == 1
    }
  }

  @discardableResult
  static func run(_ log: Log, _ effort: CompressionEffort) throws -> CompactionReport {
    try Compactor(log, upgrader: NoUpgrade(), effort: effort).run()
  }

  @Test("Quickly compacted, live records keep their bytes; compacted again, they become smaller")
  func quickThenThorough() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try Self.filled(fileSystem)
    let before = try log.statistics().live
    #expect(try Self.quickSegmentCount(log, fileSystem) == 0)
    try Self.run(log, .quick)
    #expect(try log.statistics().live == before)
    #expect(try Self.quickSegmentCount(log, fileSystem) > 0)
    try Self.check(log)
    try Self.put(Self.someNumbers, log)
    try Self.run(log, .thorough)
    let thorough = try log.statistics().live
    #expect(thorough.recordCount == before.recordCount)
    #expect(Double(thorough.byteCount) < 0.95 * Double(before.byteCount))
    #expect(try Self.quickSegmentCount(log, fileSystem) == 0)
    try Self.check(log)
    try log.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
    try Self.check(try Base.open(fileSystem))
  }

  @Test("What a rewrite that took its time compressed stays as it is in a quick one")
  func thoroughThenQuick() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try Self.filled(fileSystem)
    try Self.run(log, .thorough)
    try Self.put(Self.someNumbers, log)
    let before = try log.statistics().live
    try Self.run(log, .quick)
    #expect(try log.statistics().live == before)
    try Self.check(log)
  }

  @Test("Records without a dictionary are compressed against the one that a quick rewrite makes")
  func withoutDictionary() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try Base.open(fileSystem)
    try Self.fill(log)
    let before = try log.statistics().live.byteCount
    try Self.run(log, .quick)
    let statistics = try log.statistics()
    #expect(statistics.dictionaries.count == 1)
    #expect(Double(statistics.live.byteCount) < 0.8 * Double(before))
    try Self.check(log)
  }

  /// How many indexes look-ups ask, at most.
  private static func sourceCount(_ log: Log) throws -> Int {
    let statistics = try log.statistics()
    let covered = statistics.runs.reduce(0) { $0 + $1.segmentCount }
    return statistics.runs.count + max(0, statistics.segments.count { !$0.isActive } - covered)
  }

  @Test(
    "Indexes are merged before a quick rewrite ends, or soon after, where there is a thread for it",
    arguments: [LogConfiguration.Maintenance.inline, .background])
  func indexesAreMerged(maintenance: LogConfiguration.Maintenance) throws {
    let fileSystem = SimulatedFileSystem()
    var log = try Base.open(fileSystem, segmentByteCount: 16 << 10)
    try Self.fill(log)
    try Self.put(Self.someNumbers, log, version: 0)
    try log.close()
    log = try Base.open(fileSystem, segmentByteCount: 16 << 10, maintenance: maintenance)
    try Compactor(log, upgrader: Base.AddingUpgrader(), effort: .quick).run()
    let end = ContinuousClock.now + .seconds(maintenance == .inline ? 0 : 20)
    while try Self.sourceCount(log) > 2, ContinuousClock.now < end {}
    #expect(try Self.sourceCount(log) <= 2)
    try Self.check(log, old: Set(Self.someNumbers), isUpgraded: true)
    try log.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
  }

  @Test("P1, P12: at any write of a quick rewrite the disk may fail; a second one finishes")
  func failures() throws {
    let files = SimulatedFileSystem()
    let log = try Self.filled(files)
    let upgrader = Base.AddingUpgrader()
    try Self.put(Self.someNumbers, log, version: 0)
    try log.close()
    let start = files.snapshotOfFiles(in: "/store")
    var failures: [String] = []
    var failedCount = 0
    for operation in stride(from: 1, through: 120, by: 3) {
      let fileSystem = SimulatedFileSystem(files: start, in: "/store")
      do {
        let log = try Base.open(fileSystem)
        fileSystem.setFaults([
          FaultPlan(
            operation: fileSystem.operationCount + operation, .fail(.noSpace), isPermanent: true)
        ])
        do {
          try Compactor(log, upgrader: upgrader, effort: .quick, threadCount: 2).run()
        } catch { failedCount += 1 }
        let again = try Base.open(fileSystem.pristineCopy())
        try Self.check(again, old: Set(Self.someNumbers))
        try Compactor(again, upgrader: upgrader, effort: .quick).run()
        try Self.check(again, old: Set(Self.someNumbers), isUpgraded: true)
        let stale = CollectionVersion(collection: Base.people, schemaVersion: 0)
        if let left = again.liveByVersion[stale] { failures.append("\(operation): \(left)") }
      } catch { failures.append("\(operation): \(error)") }
    }
    #expect(failures == [])
    #expect(failedCount > 10)
  }
}
