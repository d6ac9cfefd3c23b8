import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

@Suite("Merging indexes while one of a segment is lost")
struct LostSegmentMergeTests {
  private static func numbers(_ log: Log) throws -> Set<UInt32> {
    Set(try log.statistics().segments.map(\.identifier.rawValue))
  }

  /// A segment of which the first of several ranges has the keys already, and goes missing; what it
  /// held must not be taken for absent, then or when it is put back.
  @Test("A segment that was lost when a part of its keys was merged is not taken for merged")
  func partlyMerged() throws {
    let fileSystem = SimulatedFileSystem()
    var (log, model) = try RangedMergeTests.ranged(fileSystem)
    let before = try Self.numbers(log)
    try RangedMergeTests.put(stride(from: 0, to: 500, by: 10), 2, log, &model)
    try TestLog.delete(stride(from: 5, to: 500, by: 10), log)
    for number in stride(from: 5, to: 500, by: 10) { model[number] = nil }
    try log.sealActiveSegment()
    let lost = try #require(try Self.numbers(log).subtracting(before).first)
    let name = StoreDirectory.segment(SegmentIdentifier(lost)).description
    let range = try RangedMergeTests.mergeRange(log, nil)
    #expect(range != nil, "there must be another range")
    try log.close()
    let bytes = try #require(fileSystem.snapshotOfFiles(in: "/store")[name])

    fileSystem.removeFile(name, in: "/store")
    log = try RangedMergeTests.open(fileSystem)
    #expect(throws: LogError.self) { try TestLog.contents(log) }
    // So that there is something to be merged.
    try RangedMergeTests.put(stride(from: 1, to: 500, by: 10), 3, log, &model)
    try log.sealActiveSegment()
    do {
      var next = try RangedMergeTests.mergeRange(log, nil)
      while let range = next { next = try RangedMergeTests.mergeRange(log, range) }
      try log.mergeIndexes()
    } catch {}
    #expect(throws: LogError.self) { try TestLog.contents(log) }
    try? log.close()

    fileSystem.replaceContents(of: name, in: "/store", with: bytes)
    log = try RangedMergeTests.open(fileSystem)
    try RangedMergeTests.expect(log, model, "put back")
    try log.mergeIndexes()
    try RangedMergeTests.expect(log, model, "merged")
  }

  @Test("A run that is damaged keeps nobody from merging without a segment that is lost")
  func besideADamagedRun() throws {
    let fileSystem = SimulatedFileSystem()
    var log = try TestLog.open(fileSystem)
    for start in 0..<10 {
      try TestLog.put((start * 10)..<(start * 10 + 10), log)
      try log.sealActiveSegment()
    }
    try log.mergeIndexes()
    let run = try #require(try log.statistics().runs.first)
    let lost = try log.statistics().segments[3].identifier
    try log.close()
    fileSystem.removeFile(StoreDirectory.run(run.identifier).description, in: "/store")
    fileSystem.removeFile(StoreDirectory.segment(lost).description, in: "/store")
    log = try TestLog.open(fileSystem)
    #expect(throws: LogError.self) { try TestLog.contents(log) }
    #expect(try log.statistics().runs.map(\.isDamaged) == [true])
    do { try log.mergeIndexes() } catch {}
    try log.mergeIndexes()
    #expect(try log.statistics().runs.map(\.isDamaged) == [false])
    #expect(throws: LogError.self) { try TestLog.contents(log) }
    #expect(try log.snapshot().record(for: TestLog.key(55), in: TestLog.people) != nil)
    try log.close()
  }

  @Test("A segment that the disk refused once is merged when its index was read since")
  func refusedOnce() throws {
    let fileSystem = SimulatedFileSystem()
    var log = try TestLog.open(fileSystem)
    for start in 0..<10 {
      try TestLog.put((start * 10)..<(start * 10 + 10), log)
      try log.sealActiveSegment()
    }
    let refused = log.pipeline.view.sealed[3]
    try log.close()
    var configuration = TestLog.configuration
    configuration.maintenance = .none
    configuration.readMode = .buffered
    log = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    fileSystem.setOverlays([
      ReadOverlay(file: "store/\(refused.name)", .unreadable(0..<(1 << 20)))
    ])
    #expect(throws: LogError.self) { try TestLog.contents(log) }
    do { try log.mergeIndexes() } catch {}
    let covered = try log.statistics().runs.map(\.segmentCount)
    #expect(covered == [9])
    fileSystem.setOverlays([])
    #expect(try TestLog.contents(log) == TestLog.expected(0..<100))
    try log.mergeIndexes()
    #expect(try log.statistics().runs.map(\.segmentCount) == [10])
    #expect(try TestLog.contents(log) == TestLog.expected(0..<100))
    try log.close()
  }
}
