import FileIO
import LogStore
import StorageTestSupport
import Testing

@testable import Compaction

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A segment that cannot be read is left as it is; what others hold is compacted all the same.
@Suite struct LeftSegmentTests {
  private static func open(_ fileSystem: any FileSystem) throws(LogError) -> Log {
    var configuration = LogConfiguration()
    configuration.maintenance = .none
    configuration.readMode = .buffered
    configuration.compression = .none
    configuration.segmentByteCountMinimum = 2 << 10
    configuration.segmentByteCountMaximum = 2 << 10
    configuration.randomSource = SeededRandomSource(seed: 5)
    configuration.timeSource = ManualTimeSource()
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  private static func delete(_ keys: some Sequence<Int>, _ log: Log) throws(LogError) {
    for key in keys {
      let batch = log.makeBatch()
      try batch.delete([UInt8(key)], in: CompactorTests.people)
      try log.commit(batch)
    }
  }

  /// Several segments with live and dead records, and tombstones of others.
  private static func filled(_ fileSystem: SimulatedFileSystem) throws -> Log {
    let log = try open(fileSystem)
    try CompactorTests.put(0..<100, log)
    try CompactorTests.put(stride(from: 0, to: 100, by: 3), log, size: 90)
    try delete(stride(from: 1, to: 100, by: 3), log)
    try log.sealActiveSegment()
    return log
  }

  private static func name(_ segment: SegmentStatistics) -> String {
    StoreDirectory.segment(segment.identifier).description
  }

  @Test(
    "P19: a damaged segment is reported, and stops none of those with tombstones of its records")
  func damagedBystander() throws {
    let fileSystem = SimulatedFileSystem()
    var log = try Self.filled(fileSystem)
    let first = try #require(try log.statistics().segments.first)
    try log.close()
    fileSystem.removeFile(Self.name(first), in: "/store")
    log = try Self.open(fileSystem)
    let before = try log.statistics().segments.count
    let report = try Compactor(log).run()
    #expect(report.damages.map(\.file) == [Self.name(first)])
    #expect(report.leftSegments == [first.identifier])
    #expect(report.segmentCount >= before - 2)
    #expect(try log.statistics().runs.count == 1, "the others are merged without it")
    #expect(try log.statistics().segments.contains { $0.identifier == first.identifier })
  }

  @Test(
    "P19: a segment that cannot be read at all, or whose header is damaged, stops no other",
    arguments: [0..<64, 0..<(1 << 20), nil] as [Range<Int>?])
  func unreadableBystander(range: Range<Int>?) throws {
    let fileSystem = SimulatedFileSystem()
    var log = try Self.filled(fileSystem)
    let first = try #require(try log.statistics().segments.first)
    try log.close()
    if let range {
      fileSystem.setOverlays([ReadOverlay(file: "store/" + Self.name(first), .unreadable(range))])
    } else {
      fileSystem.flipBit(3, of: Self.name(first), in: "/store", at: 60)
    }
    log = try Self.open(fileSystem)
    let before = try log.statistics().segments.count
    let report = try Compactor(log).run()
    #expect(report.damages.count == (range == nil ? 1 : 0))
    #expect(report.readFailures.count == (range == nil ? 0 : 1))
    #expect(report.leftSegments == [first.identifier])
    #expect(report.segmentCount >= before - 2)
    #expect(try log.statistics().runs.count == 1, "the others are merged without it")
    try CompactorTests.put([200], log)
    try log.close()
    guard range != nil else { return }
    fileSystem.setOverlays([])
    log = try Self.open(fileSystem)
    #expect(try CompactorTests.contents(log).count == 68)
    try log.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
  }

  @Test("P19: merging the indexes at the end of a compaction does without what cannot be read")
  func unreadableIndex() throws {
    let fileSystem = SimulatedFileSystem()
    var log = try Self.filled(fileSystem)
    let first = try #require(try log.statistics().segments.first)
    try log.close()
    fileSystem.setOverlays([
      ReadOverlay(file: "store/" + Self.name(first), .unreadable(0..<Int(first.byteCount)))
    ])
    log = try Self.open(fileSystem)
    // Nothing is to be rewritten. The first one finds out.
    for _ in 0..<2 { #expect(try Compactor(log).run(.upgradesOnly).segmentCount == 0) }
    #expect(try log.statistics().runs.count == 1, "the others are merged without it")
    fileSystem.setOverlays([])
    #expect(try CompactorTests.contents(log).count == 67)
    try log.close()
  }

  @Test(
    "P19: a bad sector of the disk stops the segment that it is in, and no other",
    arguments: [.ioError, .other(code: EBADMSG)] as [FileIOError.Reason])
  func badSector(reason: FileIOError.Reason) throws {
    let fileSystem = SimulatedFileSystem()
    let log = try Self.filled(fileSystem)
    let victim = try #require(
      try log.statistics().segments.first { $0.live.recordCount > 0 && $0.deadRecordCount > 0 })
    let count = try log.statistics().segments.count
    // The index is read; the records are not.
    let dead = ReadOverlay(
      file: Self.name(victim), .unreadable(64..<Int(victim.byteCount)), reason: reason)
    fileSystem.setOverlays([dead])
    let report = try Compactor(log).run()
    #expect(report.damages.isEmpty)
    #expect(report.leftSegments == [victim.identifier])
    #expect(report.readFailures.count == 1)
    #expect("\(report.readFailures)".contains(Self.name(victim)))
    #expect(report.segmentCount >= count - 2)
    fileSystem.setOverlays([])
    let again = try Compactor(log).run()
    #expect(again.readFailures.isEmpty && again.segmentCount > 0)
    #expect(try CompactorTests.contents(log).count == 67)
  }

  @Test("What is copied a second time is counted a second time, so that it can be paced")
  func copiedTwice() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try Self.filled(fileSystem)
    let victim = try #require(
      try log.statistics().segments.last { $0.live.recordCount > 0 && $0.deadRecordCount == 0 })
    let plan = CompactionPlan(steps: [
      try #require(
        CompactionPolicy.everything.plan(
          try log.statistics().segments, targetByteCount: 1 << 20
        ) { _ in true }.steps.first)
    ])
    #expect(plan.steps[0].inputs.contains(victim.identifier))
    for distance in stride(from: 20, to: 400, by: 10) {
      fileSystem.flipBit(
        3, of: Self.name(victim), in: "/store", at: Int(victim.byteCount) - distance)
    }
    var copied: [UInt64] = []
    var last = CompactionProgress()
    let report = try Compactor(log).carryOut(plan) { progress in
      copied.append(progress.copiedByteCount)
      last = progress
      return true
    }
    #expect(report.damages.count == 1)
    #expect(copied == copied.sorted())
    #expect(last.byteCount > 1000 && last.copiedByteCount > last.byteCount * 5 / 4)
  }

  @Test("A disk that cannot be written ends the compaction, as before")
  func failingWrites() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try Self.filled(fileSystem)
    fileSystem.setFaults([
      FaultPlan(
        operation: fileSystem.operationCount + 1, .fail(.ioError), isPermanent: true,
        kinds: [.write])
    ])
    #expect(throws: LogError.self) { try Compactor(log).run() }
    fileSystem.setFaults([])
    #expect(try CompactorTests.contents(log).count == 67)
  }

  @Test("Progress counts tombstones, and reaches what it says is the whole, and no more")
  func progress() throws {
    let log = try Self.open(SimulatedFileSystem())
    try CompactorTests.put(0..<200, log)
    try log.sealActiveSegment()
    let live = Set(try log.statistics().segments.map(\.identifier))
    try Self.delete(0..<200, log)
    try log.sealActiveSegment()
    let statistics = try log.statistics()
    let steps = CompactionPolicy.everything.plan(
      statistics.segments.filter { !live.contains($0.identifier) }, targetByteCount: 1 << 20
    ) { _ in false }
    #expect(steps.liveRecordCount == 0 && steps.tombstoneCount == 200)
    for isWhole in [false, true] {
      let plan = isWhole ? try Compactor(log).plan() : steps
      var last = CompactionProgress()
      try Compactor(log).carryOut(plan) { progress in
        #expect(progress.recordCount <= progress.recordCountTotal)
        #expect(progress.byteCount <= progress.byteCountTotal)
        #expect(progress.recordCountTotal == plan.liveRecordCount + plan.tombstoneCount)
        last = progress
        return true
      }
      #expect(last.recordCount == plan.tombstoneCount && last.recordCount > 0)
    }
  }
}
