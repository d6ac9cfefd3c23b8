import FileIO
import LogStore
import StorageTestSupport
import Synchronization
import Testing

@testable import Compaction

@Suite("Extra disk is bounded also when an upgrade makes records grow")
struct GrowingRecordTests {
  private typealias Base = DictionaryCompactionTests

  /// Bytes of segment files that no manifest lists: what a compaction has written so far.
  private static func unpublishedByteCount(
    _ log: Log, _ fileSystem: SimulatedFileSystem
  ) throws -> Int {
    let listed = Set(
      try log.statistics().segments.map { StoreDirectory.segment($0.identifier).description })
    return fileSystem.snapshotOfFiles(in: "/store")
      .filter { $0.key.hasSuffix(".log") && !listed.contains($0.key) }
      .reduce(0) { $0 + $1.value.count }
  }

  @Test("Records grow tenfold: what is written before its inputs go stays below two segments")
  func tenfold() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try Base.open(fileSystem, segmentByteCount: 16 << 10, compression: .none)
    for start in stride(from: 0, to: 4000, by: 200) {
      try Base.put(start..<start + 200, log, version: 0)
    }
    let batch = log.makeBatch()
    for number in 0..<4000 where number % 10 != 0 {
      try batch.delete(Base.key(number), in: Base.people)
    }
    try log.commit(batch)
    let target = Int(try log.statistics().segmentByteCountTarget)
    let largest = Atomic(0)
    // Asked for each record that is upgraded: a good moment to look at the disk.
    let look: @Sendable (Int) -> Bool = { _ in
      do {
        _ = largest.max(
          try Self.unpublishedByteCount(log, fileSystem), ordering: .relaxed)
      } catch { Issue.record("\(error)") }
      return false
    }
    let upgrader = Base.AddingUpgrader(
      failsFor: look, addition: [UInt8](repeating: 7, count: 600))
    var steps: [Int] = []
    let report = try Compactor(log, upgrader: upgrader).run { progress in
      steps.append(progress.stepCount)
      return true
    }
    #expect(report.upgradedCount == 400)
    let found = largest.load(ordering: .relaxed)
    #expect(found > 0 && found <= 2 * target, "\(found) bytes, segments have \(target)")
    #expect(try log.statistics().live.recordCount == 400)
    #expect(steps == steps.sorted())
  }

  @Test(
    "P11: behind a compaction that found no room the reserve is made again where twice it is free",
    arguments: [true, false])
  func reserve(isPlanned: Bool) throws {
    let fileSystem = SimulatedFileSystem()
    fileSystem.setByteCountLimit(64 << 20)
    let log = try Base.open(fileSystem, segmentByteCount: 16 << 10, compression: .none)
    try Base.put(0..<200, log, version: 0)
    try log.sealActiveSegment()
    let reserve = Int(try log.statistics().reserveByteCount)
    #expect(reserve > 0)
    fileSystem.setByteCountLimit(fileSystem.usedByteCount + 2 * reserve)
    let upgrader = Base.AddingUpgrader(addition: [UInt8](repeating: 7, count: 8000))
    let compactor = Compactor(log, upgrader: upgrader)
    #expect {
      if isPlanned { try compactor.carryOut(try compactor.plan()) } else { try compactor.run() }
    } throws: { error in
      if case .diskFull = error as? LogError { true } else { false }
    }
    let isGivenUp = log.isReserveGivenUp
    #expect(!isGivenUp)
    #expect(try log.statistics().reserveByteCount > 0)
    try Base.put(200..<201, log)
    #expect(try log.statistics().live.recordCount == 201)
    try log.close()
  }

  @Test("A compacted store reads from one run")
  func oneRun() throws {
    let fileSystem = SimulatedFileSystem()
    var log = try Base.open(fileSystem, segmentByteCount: 16 << 10)
    try Base.fill(log)
    try Compactor(log).run()
    let statistics = try log.statistics()
    #expect(statistics.runs.count == 1)
    #expect(statistics.runs.first?.segmentCount == statistics.segments.count { !$0.isActive })
    try Base.check(log)
    try log.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
    log = try Base.open(fileSystem, segmentByteCount: 16 << 10)
    try Base.check(log)
  }
}
