import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Merged runs in a store: look-ups and walks give what the footers give.
@Suite struct MergedIndexTests {
  private static func open(
    _ fileSystem: any FileSystem, _ maintenance: LogConfiguration.Maintenance = .inline,
    readMode: LogConfiguration.ReadMode = .mapped, rangeKeyCount: UInt64 = 32 << 10
  ) throws(LogError) -> Log {
    var configuration = TestLog.configuration
    configuration.segmentByteCountMinimum = 1 << 10
    configuration.segmentByteCountMaximum = 1 << 10
    configuration.maintenance = maintenance
    configuration.readMode = readMode
    configuration.rangeKeyCountMinimum = rangeKeyCount
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  private static func compact(
    _ log: Log, _ identifiers: [SegmentIdentifier], dropping: Set<[UInt8]> = []
  ) throws {
    let rewrite = try log.beginRewrite(
      of: Set(identifiers), transformer: Dropping(keys: dropping))
    _ = try rewrite.carryOver()
    try rewrite.publish()
  }

  private struct Dropping: RecordTransformer {
    struct Kept: Error {}
    let keys: Set<[UInt8]>

    func transforms(_ version: CollectionVersion) -> Bool { version.collection == TestLog.people }

    func transform(_ record: LentRecord, _ memory: inout TransformMemory) -> RecordTransformation {
      keys.contains([UInt8](record.key)) ? .dropped : .kept(Kept())
    }
  }

  private static func expect(
    _ log: Log, _ model: [Int: Int], _ keys: Range<Int>, _ place: String
  ) throws {
    let snapshot = log.snapshot()
    for number in keys {
      let found = try snapshot.record(for: TestLog.key(number), in: TestLog.people)?.payload
      if found != model[number].map(TestLog.payload) {
        Issue.record("\(place): key \(number)")
        return
      }
    }
    let walked = try TestLog.contents(log)
    let expected = Dictionary(
      uniqueKeysWithValues: model.map { (TestLog.key($0), TestLog.payload($1)) })
    if walked != expected { Issue.record("\(place): the walk differs") }
    if try log.statistics().live.recordCount != UInt64(model.count) {
      Issue.record("\(place): the live totals differ")
    }
  }

  @Test("P2: merging counts no commit in the manifest that a loss of power can take back")
  func mergingLosesNothingThatItCounted() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try Self.open(fileSystem, .none)
    for round in 0..<4 {
      try TestLog.put((round * 10)..<(round * 10 + 10), log)
      try log.sealActiveSegment()
    }
    try TestLog.put(100..<105, log)
    let batch = log.makeBatch()
    try batch.delete(TestLog.key(3), in: TestLog.people)
    try log.commit(batch, durability: .process)
    try log.mergeIndexes()
    let expected = TestLog.expected(Array(0..<40) + Array(100..<105)).filter {
      $0.key != TestLog.key(3)
    }
    let point = fileSystem.crashPoint()
    for choice in point.choices(exhaustiveUnitCount: 6, randomCount: 16) {
      let crashed = point.afterCrash(choice)
      let recovered = try Self.open(crashed)
      try TestLog.compare(recovered, expected)
      try TestLog.put([200], recovered)
      try recovered.close()
      let again = try Self.open(crashed)
      try TestLog.compare(again, expected.merging(TestLog.expected([200])) { $1 })
      try again.close()
    }
  }

  /// Commits a few puts and deletions.
  private static func change(
    _ keys: Range<Int>, _ log: Log, _ model: inout [Int: Int], _ generator: inout SeededGenerator
  ) throws {
    let batch = log.makeBatch()
    for _ in 0..<Int.random(in: 1...8, using: &generator) {
      let number = Int.random(in: keys, using: &generator)
      if Int.random(in: 0..<3, using: &generator) == 0 {
        try batch.delete(TestLog.key(number), in: TestLog.people)
        model[number] = nil
      } else {
        let value = Int.random(in: 0..<1000, using: &generator)
        try batch.put(
          TestLog.key(number), in: TestLog.people, schemaVersion: 0,
          payload: TestLog.payload(value))
        model[number] = value
      }
    }
    try log.commit(batch)
  }

  @Test(
    "P5: puts, deletions, compactions of any segments and merges never give a wrong answer",
    arguments: [UInt64(1), 2, 3, 4, 5, 6, 7, 8], [UInt64(32 << 10), 5])
  func everyMixtureGivesTheNewest(seed: UInt64, rangeKeyCount: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let fileSystem = InMemoryFileSystem()
    let readMode: LogConfiguration.ReadMode = seed % 2 == 0 ? .mapped : .buffered
    let maintenance: LogConfiguration.Maintenance = seed % 3 == 0 ? .none : .inline
    var log = try Self.open(
      fileSystem, maintenance, readMode: readMode, rangeKeyCount: rangeKeyCount)
    var model: [Int: Int] = [:]
    let keys = 0..<60
    var runCount = 0
    var rangeCount = 0
    for step in 0..<250 {
      switch Int.random(in: 0..<20, using: &generator) {
      case 0: try log.mergeIndexes()
      case 1: try log.sealActiveSegment()
      case 2, 3, 4:
        let sealed = try log.statistics().segments.filter { !$0.isActive }
        let chosen = sealed.filter { _ in Int.random(in: 0..<3, using: &generator) == 0 }
        let dropped = keys.filter { _ in Int.random(in: 0..<20, using: &generator) == 0 }
        let before = try log.statistics().live.recordCount
        try Self.compact(
          log, chosen.map(\.identifier), dropping: Set(dropped.map(TestLog.key)))
        // What was dropped is known by what is gone.
        for number in dropped
        where try log.snapshot().record(for: TestLog.key(number), in: TestLog.people) == nil {
          model[number] = nil
        }
        #expect(try log.statistics().live.recordCount <= before)
      case 5:
        try log.close()
        log = try Self.open(
          fileSystem, maintenance, readMode: readMode, rangeKeyCount: rangeKeyCount)
      default:
        try Self.change(keys, log, &model, &generator)
      }
      runCount += try log.statistics().runs.count
      rangeCount = max(rangeCount, log.pipeline.manifest.runs.count { !$0.bounds.isAll })
      try Self.expect(log, model, keys, "seed \(seed), step \(step)")
      if step % 50 == 49 {
        try log.close()
        let report = try LogVerifier.verify("/store", fileSystem: fileSystem)
        #expect(report.isIntact, "seed \(seed), step \(step): \(report)")
        log = try Self.open(
          fileSystem, maintenance, readMode: readMode, rangeKeyCount: rangeKeyCount)
      }
    }
    #expect(runCount > 0, "seed \(seed): there was never a run")
    #expect(rangeCount > 3 || rangeKeyCount > 5, "seed \(seed): there were never ranges")
  }

  /// A store whose keys 0 to 199 lie in many segments, with one run over all; closed.
  static func merged() throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    let log = try open(fileSystem, .none)
    for start in stride(from: 0, to: 200, by: 10) { try TestLog.put(start..<(start + 10), log) }
    try TestLog.delete(50..<60, log)
    try log.sealActiveSegment()
    try log.mergeIndexes()
    #expect(try log.statistics().runs.count == 1)
    #expect(try log.statistics().segments.count > 10)
    try log.close()
    return fileSystem
  }

  private static func runName(_ fileSystem: InMemoryFileSystem) throws -> FileName {
    let names = try fileSystem.openDirectory(at: "/store", create: false).list()
    return try #require(names.first { $0.hasPrefix("index-") }.flatMap { FileName($0) })
  }

  private static let expected = Dictionary(
    uniqueKeysWithValues: (0..<200).filter { !(50..<60).contains($0) }.map { ($0, $0) })

  @Test("A missing run costs time and nothing else, is told, and is written anew by the next merge")
  func aMissingRunIsNoError() throws {
    for readMode in [LogConfiguration.ReadMode.mapped, .buffered] {
      let fileSystem = try Self.merged()
      let directory = try fileSystem.openDirectory(at: "/store", create: false)
      try directory.remove(try Self.runName(fileSystem))
      let report = try LogVerifier.verify("/store", fileSystem: fileSystem)
      #expect(report.damages.isEmpty)
      #expect(report.rebuildable.count == 1)
      let log = try Self.open(fileSystem, .none, readMode: readMode)
      try Self.expect(log, Self.expected, 0..<220, "missing")
      #expect(try log.statistics().runs.map(\.isDamaged) == [true])
      try log.mergeIndexes()
      #expect(try log.statistics().runs.map(\.isDamaged) == [false])
      try Self.expect(log, Self.expected, 0..<220, "written anew")
      try log.close()
      #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
    }
  }

  @Test("A run that goes while its descriptor is lent to others is missing, not an error")
  func aRunThatGoesIsNoError() throws {
    let fileSystem = try Self.merged()
    var configuration = TestLog.configuration
    configuration.maintenance = .none
    configuration.readMode = .buffered
    configuration.openFileMaximum = 1
    configuration.indexCacheByteCount = 0
    let log = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    _ = try log.snapshot().record(for: TestLog.key(0), in: TestLog.people)
    try fileSystem.openDirectory(at: "/store", create: false).remove(try Self.runName(fileSystem))
    try Self.expect(log, Self.expected, 0..<220, "gone")
    try log.close()
  }

  @Test("P6: a flipped bit anywhere in a run never changes an answer")
  func aDamagedRunNeverLies() throws {
    let fileSystem = try Self.merged()
    let directory = try fileSystem.openDirectory(at: "/store", create: false)
    let name = try Self.runName(fileSystem)
    let file = try directory.open(name, .readWrite)
    let bytes = try FileReading.all(of: file, limit: 1 << 30, name: name)
    for position in stride(from: 0, to: bytes.count, by: 41) {
      let damaged = [bytes[position] ^ (1 << UInt8(position % 8))]
      try damaged.withUnsafeBytes { try file.write([$0], at: UInt64(position)) }
      let readMode: LogConfiguration.ReadMode = position % 2 == 0 ? .mapped : .buffered
      let log = try Self.open(fileSystem, .none, readMode: readMode)
      try Self.expect(log, Self.expected, 0..<220, "byte \(position)")
      try log.close()
      try [bytes[position]].withUnsafeBytes { try file.write([$0], at: UInt64(position)) }
    }
  }

  @Test("A walk goes on through the footers when a page of the run turns out damaged on the way")
  func aWalkSurvivesDamage() throws {
    let fileSystem = InMemoryFileSystem()
    let log = try Self.open(fileSystem, .none, readMode: .buffered)
    for start in stride(from: 0, to: 4000, by: 10) { try TestLog.put(start..<(start + 10), log) }
    try log.sealActiveSegment()
    try log.mergeIndexes()
    let cursor = try log.snapshot().records(in: TestLog.people)
    for number in 0..<100 { #expect(try cursor.next()?.key == TestLog.key(number)) }
    let name = try Self.runName(fileSystem)
    let file = try fileSystem.openDirectory(at: "/store", create: false).open(name, .readWrite)
    // The third page; the first two, and the last one, may be in the cursor's hands already.
    try [UInt8](repeating: 0, count: 100).withUnsafeBytes { try file.write([$0], at: 4096 * 3) }
    for number in 100..<4000 {
      let found = try cursor.next()
      if found?.key != TestLog.key(number) {
        Issue.record("key \(number)")
        return
      }
    }
    #expect(try cursor.next() == nil)
    #expect(try log.statistics().runs.map(\.isDamaged) == [true])
  }

  @Test("A run whose segments were all compacted is dropped, and its file goes")
  func aUselessRunIsDropped() throws {
    let fileSystem = try Self.merged()
    let log = try Self.open(fileSystem, .none)
    let sealed = try log.statistics().segments.map(\.identifier)
    let old = log.snapshot()
    try Self.compact(log, sealed)
    #expect(try log.statistics().runs.isEmpty)
    #expect(try old.record(for: TestLog.key(1), in: TestLog.people) != nil)
    try Self.expect(log, Self.expected, 0..<220, "compacted")
    try log.close()
    withExtendedLifetime(old) {}
  }

  @Test("A merge that segments were compacted under is published for those that are left")
  func compactionDuringAMerge() throws {
    let fileSystem = InMemoryFileSystem()
    let log = try Self.open(fileSystem, .none)
    for start in stride(from: 0, to: 200, by: 10) { try TestLog.put(start..<(start + 10), log) }
    try log.sealActiveSegment()
    let sealed = try log.statistics().segments.map(\.identifier)
    for leaving in [0, 1, sealed.count / 2] {
      log.pipeline.enter("a test")
      let merge = try #require(
        try log.pipeline.beginMerge(.single, range: nil))
      log.pipeline.leave()
      let descriptor = try #require(try merge.perform(isCancelled: { false })?.run)
      let current = try log.statistics().segments.filter { !$0.isActive }.map(\.identifier)
      try Self.compact(log, Array(current.dropLast(leaving)))
      try TestLog.put([3, 4, 500], log)
      log.pipeline.enter("a test")
      try log.pipeline.publish(descriptor, of: merge, isDurable: true)
      log.pipeline.leave()
      var model = Dictionary(uniqueKeysWithValues: (0..<200).map { ($0, $0) })
      model[500] = 500
      try Self.expect(log, model, 0..<520, "leaving \(leaving)")
      #expect(try log.statistics().runs.count == (leaving == 0 ? 0 : 1))
      try log.sealActiveSegment()
    }
    try log.close()
    let report = try LogVerifier.verify("/store", fileSystem: fileSystem)
    #expect(report.isIntact && report.notes.isEmpty, "\(report)")
  }

  @Test("A merge that is given up, or fails, leaves no file and changes nothing")
  func aFailedMergeLeavesNothing() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try Self.open(fileSystem, .none)
    for start in stride(from: 0, to: 200, by: 10) { try TestLog.put(start..<(start + 10), log) }
    try log.sealActiveSegment()
    let directory = try fileSystem.openDirectory(at: "/store", create: false)
    let names = try directory.list()
    let rehearsal = fileSystem.operationCount
    try log.mergeIndexes()
    let operations = fileSystem.operationCount - rehearsal
    #expect(try directory.list().count == names.count + 1)
    var failedCount = 0
    for operation in 1...operations {
      let fileSystem = SimulatedFileSystem()
      let log = try Self.open(fileSystem, .none)
      for start in stride(from: 0, to: 200, by: 10) { try TestLog.put(start..<(start + 10), log) }
      try log.sealActiveSegment()
      fileSystem.setFaults([
        FaultPlan(operation: fileSystem.operationCount + operation, .fail(.noSpace))
      ])
      var failure: LogError?
      do throws(LogError) { try log.mergeIndexes() } catch { failure = error }
      fileSystem.setFaults([])
      #expect(fileSystem.firedFaultCount == 1, "operation \(operation)")
      if failure != nil {
        failedCount += 1
        #expect(log.pipeline.manifest.runs.isEmpty, "operation \(operation)")
      }
      try Self.expect(
        log, Dictionary(uniqueKeysWithValues: (0..<200).map { ($0, $0) }), 0..<220,
        "operation \(operation)")
      if let failure, log.pipeline.poison == nil {
        let left = try fileSystem.openDirectory(at: "/store", create: false).list()
        #expect(left.filter { $0.hasPrefix("index-") }.isEmpty, "operation \(operation)")
        if case .fileIO(let cause) = failure, cause.operation == "synchronizeDirectory" {
          // P10: nothing that needs the directory is promised after that.
          #expect(throws: LogError.self) { try TestLog.put([7], log) }
        } else {
          try TestLog.put([7], log)
        }
      }
    }
    #expect(failedCount > 5)
  }

  @Test("Files of runs that a crash left are swept, whatever their numbers")
  func leftoversAreSwept() throws {
    let fileSystem = try Self.merged()
    let directory = try fileSystem.openDirectory(at: "/store", create: false)
    let listed = try Self.runName(fileSystem)
    for number in [UInt32(1), 5000] {
      _ = try directory.open(StoreDirectory.run(RunIdentifier(number)), .createNew)
    }
    let log = try Self.open(fileSystem, .none)
    try TestLog.put([1], log)
    let runs = try directory.list().filter { $0.hasPrefix("index-") }
    #expect(runs == [listed.description])
    let newest = try log.statistics().segments.map(\.identifier.rawValue).max() ?? 0
    #expect(newest > 5000)
  }
}
