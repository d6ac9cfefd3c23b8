import BinaryCoding
import FileIO
import StorageTestSupport
import Testing

@testable import Compaction
@testable import LogStore

@Suite("Dictionaries that no record needs any more go with a compaction, and never too early")
struct UnusedDictionaryTests {
  private typealias Base = DictionaryCompactionTests

  /// A store whose records were upgraded: the dictionary of version 0 is not needed any more.
  private static func upgraded(_ fileSystem: any FileSystem) throws -> Log {
    let log = try Base.open(fileSystem)
    try Base.fill(log, version: 0)
    try Compactor(log).run()
    try Compactor(log, upgrader: Base.AddingUpgrader()).run()
    return log
  }

  /// In how many of the store's segments a copy of the dictionary lies.
  private static func copyCount(_ number: UInt32, _ log: Log) throws -> Int {
    var count = 0
    for copy in UInt8(0)...1 {
      let key = CompressionDictionary.key(DictionaryIdentifier(number), copy: copy)
      let hit = try key.withUnsafeBytes { try log.pipeline.view.find(IndexKey(.catalog, $0)) }
      count += hit == nil ? 0 : 1
    }
    return count
  }

  @Test("After an upgrade the dictionary of the old version goes, and its number is not used again")
  func goes() throws {
    let fileSystem = SimulatedFileSystem()
    var log = try Self.upgraded(fileSystem)
    #expect(try log.statistics().dictionaries.map(\.identifier.rawValue) == [2])
    #expect(try Self.copyCount(1, log) == 0)
    #expect(try Self.copyCount(2, log) == 2)
    try Base.check(log, isUpgraded: true)
    try log.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
    log = try Base.open(fileSystem)
    try Base.check(log, isUpgraded: true)
    #expect(try log.statistics().dictionaries.map(\.identifier.rawValue) == [2])
    #expect(try log.pipeline.takeDictionaryIdentifier().rawValue == 3)
    #expect(try Compactor(log).run().segmentCount == 0)
  }

  @Test("Snapshots and readers beside the writer go on reading what needs it")
  func snapshotsKeepReading() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try Base.open(fileSystem)
    try Base.fill(log, version: 0)
    try Compactor(log).run()
    var configuration = LogConfiguration()
    configuration.access = .readOnly
    let reader = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    let snapshot = log.snapshot()
    try Compactor(log, upgrader: Base.AddingUpgrader()).run()
    #expect(try Self.copyCount(1, log) == 0)
    for number in 0..<Base.count {
      let found = try snapshot.record(for: Base.key(number), in: Base.people)
      guard found?.payload == Base.payload(number) else {
        Issue.record("\(number) is not what the snapshot showed")
        break
      }
    }
    try Base.check(reader)
    try reader.refresh()
    try Base.check(reader, isUpgraded: true)
  }

  @Test("A dictionary that a kept record needs stays")
  func staysWhileNeeded() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try Base.open(fileSystem)
    try Base.fill(log, version: 0)
    try Compactor(log).run()
    try Compactor(log, upgrader: Base.AddingUpgrader(failsFor: { $0 == 1234 })).run()
    try Compactor(log).run()
    #expect(try log.statistics().dictionaries.map(\.identifier.rawValue) == [1, 2])
    #expect(try Self.copyCount(1, log) == 2)
  }

  @Test("One that cannot be left out is tried once, and moved around no more")
  func triedOnce() throws {
    let fileSystem = SimulatedFileSystem()
    var log = try Base.open(fileSystem, maintenance: .none)
    var generator = SeededGenerator(seed: 3)
    let batch = log.makeBatch()
    for number in 0..<40 {
      try batch.put(
        Base.key(number), in: CollectionIdentifier(2), schemaVersion: 1,
        payload: (0..<1000).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }
    try log.commit(batch)
    try log.sealActiveSegment()
    let oldest = try #require(try log.statistics().segments.first?.identifier)
    try Base.fill(log, version: 0)
    try Compactor(log).run()
    try log.close()
    // It may hold what a copy of the dictionary hides.
    fileSystem.removeFile(StoreDirectory.segment(oldest).description, in: "/store")
    log = try Base.open(fileSystem, maintenance: .none)
    try Compactor(log, upgrader: Base.AddingUpgrader()).run(.upgradesOnly)
    #expect(try Self.copyCount(1, log) == 2)
    var spared = SparedSegments()
    var reviews = DictionaryReviews()
    let counts = try (0..<2).map { _ in
      var report = CompactionReport()
      try Compactor(log).carryOut(
        CompactionPlan(steps: []), into: &report, dictionaries: &reviews,
        sparing: spared.keepingDictionaries
      ) { _ in true }
      spared.note(report)
      return report.segmentCount
    }
    #expect(counts[0] > 0)
    #expect(counts[1] == 0)
  }

  @Test("All that are read together make one table, which stays as long as the log")
  func oneTable() throws {
    let fileSystem = SimulatedFileSystem()
    var log = try Base.open(fileSystem, segmentByteCount: 4 << 20)
    let batch = log.makeBatch()
    for collection in UInt32(1)...6 {
      for number in 0..<Base.count {
        try batch.put(
          Base.key(number), in: CollectionIdentifier(collection), schemaVersion: 1,
          payload: Base.payload(number))
      }
    }
    try log.commit(batch)
    try Base.put(0..<100, log)
    try Compactor(log).run()
    try log.close()
    log = try Base.open(fileSystem, segmentByteCount: 4 << 20)
    #expect(try log.statistics().dictionaries.count == 6)
    #expect(log.pipeline.dictionaries.tableCount == 1)
  }

  @Test("P2: when synchronizing fails while one batch brings it back, no other is acknowledged")
  func failingToBringItBackEndsWriting() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try Base.open(fileSystem)
    try Base.fill(log, version: 0)
    try Compactor(log).run()
    let (needing, other) = (log.makeBatch(), log.makeBatch())
    for number in 5000..<5100 {
      try needing.put(
        Base.key(number), in: Base.people, schemaVersion: 0, payload: Base.payload(number))
    }
    try other.put(Base.key(1), in: Base.people, schemaVersion: 9, payload: [1])
    try Compactor(log, upgrader: Base.AddingUpgrader()).run()
    let batch = log.makeBatch()
    try batch.put(Base.key(2), in: Base.people, schemaVersion: 9, payload: [2])
    try log.commit(batch, durability: .process)
    fileSystem.setFaults([
      FaultPlan(
        operation: 1, .fail(.ioError), isPermanent: true, occurrences: 1, kinds: [.synchronize])
    ])
    let group = [needing, other].map { CommitRequest($0, durability: .process) }
    log.pipeline.enter("a test")
    log.pipeline.append(group)
    log.pipeline.leave()
    for request in group {
      guard request.failure != nil else {
        Issue.record("a commit succeeded without its dictionary")
        continue
      }
    }
  }

  @Test("A batch that was made before it went is committed with it, and is read after a crash")
  func batchesBringItBack() throws {
    for isKilled in [false, true] {
      let fileSystem = SimulatedFileSystem()
      var log = try Base.open(fileSystem)
      try Base.fill(log, version: 0)
      try Compactor(log).run()
      let batch = log.makeBatch()
      for number in 5000..<5100 {
        try batch.put(
          Base.key(number), in: Base.people, schemaVersion: 0, payload: Base.payload(number))
      }
      #expect(batch.dictionaryUses.uses.entries.map(\.key).sorted() == [1])
      try Compactor(log, upgrader: Base.AddingUpgrader()).run()
      #expect(try Self.copyCount(1, log) == 0)
      try log.commit(batch)
      #expect(try Self.copyCount(1, log) == 2)
      if !isKilled { try log.close() }
      let next = isKilled ? fileSystem.afterCrash(.processKill) : fileSystem
      log = try Base.open(next)
      for number in 5000..<5100 {
        let found = try log.snapshot().record(for: Base.key(number), in: Base.people)
        guard found?.payload == Base.payload(number) else {
          Issue.record("\(number) cannot be read")
          break
        }
      }
      try Compactor(log, upgrader: Base.AddingUpgrader()).run()
      #expect(try log.statistics().dictionaries.map(\.identifier.rawValue) == [2])
    }
  }

  @Test(
    "P1: one that is left out while another compaction needs it again is written anew",
    arguments: [false, true])
  func neededWhileLeftOut(isPublishedFirst: Bool) throws {
    let fileSystem = SimulatedFileSystem()
    var log = try Base.open(fileSystem)
    try Base.fill(log, version: 0)
    try Compactor(log).run()
    var report = CompactionReport()
    var reviews = DictionaryReviews()
    let compactor = Compactor(log, upgrader: Base.AddingUpgrader())
    let all = Set((UInt32(1)...1000).map { SegmentIdentifier($0) })
    try compactor.carryOut(
      compactor.plan(.upgradesOnly), into: &report, dictionaries: &reviews, sparing: all
    ) { _ in true }
    let inputs = try log.segmentsOfUnusedDictionaries(byteCountMaximum: .max, sparing: [])
    try #require(!inputs.isEmpty)
    let rewrite = try log.beginRewrite(of: Set(inputs))
    while try rewrite.carryOver() {}
    #expect(rewrite.leavesOutDictionaries)
    if isPublishedFirst { try rewrite.publish() }
    // Its version is alive again, and a compaction begins with that.
    try Base.put(9000..<9001, log, version: 0)
    try log.restoreDictionaries()
    if !isPublishedFirst { try rewrite.publish() }
    // What is gone is forgotten, and made anew when it pays.
    #expect(try Self.copyCount(1, log) == (isPublishedFirst ? 0 : 2))
    try Base.put(9001..<9100, log, version: 0)
    try log.close()
    log = try Base.open(fileSystem)
    for number in 9000..<9100 {
      let found = try log.snapshot().record(for: Base.key(number), in: Base.people)
      #expect(found?.payload == Base.payload(number))
    }
    try log.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
  }

  @Test("P1: killed or cut off at any operation of a compaction that leaves dictionaries out")
  func everyCrash() throws {
    let prepared = SimulatedFileSystem()
    var log = try Base.open(prepared)
    try Base.fill(log, version: 0)
    try Compactor(log).run()
    try log.close()
    let fileSystem = prepared.pristineCopy()
    fileSystem.recordCrashPoints()
    log = try Base.open(fileSystem)
    try Compactor(log, upgrader: Base.AddingUpgrader()).run()
    #expect(try Self.copyCount(1, log) == 0)
    try log.close()
    var states = 0
    for (number, point) in fileSystem.crashPoints.enumerated() {
      let choices = point.choices(exhaustiveUnitCount: 1, randomCount: 1)
      for (position, choice) in choices.enumerated()
      where position == 0 || (position + number) % 16 == 0 {
        states += 1
        do {
          let log = try Base.open(point.afterCrash(choice))
          try Base.check(log, mayBeUpgraded: true)
          if states % 7 == 0 {
            try Compactor(log, upgrader: Base.AddingUpgrader()).run()
            try Base.check(log, isUpgraded: true)
            let left = try log.statistics().dictionaries.map(\.identifier.rawValue)
            if left.contains(1) { throw CaseFailure("dictionary 1 stays: \(left)") }
          }
          try log.close()
        } catch {
          Issue.record("\(point), \(choice): \(error)")
          return
        }
      }
    }
    print("\(states) crash states of a compaction that leaves a dictionary out")
    #expect(states > 100)
  }
}
