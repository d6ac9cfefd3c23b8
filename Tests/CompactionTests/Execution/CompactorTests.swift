import BinaryCoding
import FileIO
import LogStore
import SchemaRegistry
import StorageTestSupport
import Testing

@testable import Compaction

@Suite struct CompactorTests {
  static let people = CollectionIdentifier(1)

  /// Upgrades version 0 to 1 by appending a byte; fails for some keys and drops others.
  struct AppendingUpgrader: RecordUpgrader {
    var failsFor: @Sendable (UInt8) -> Bool = { _ in false }
    var drops: @Sendable (UInt8) -> Bool = { _ in false }

    func isStale(_ version: CollectionVersion) -> Bool {
      version.collection == people && version.schemaVersion == 0
    }

    func upgrade(_ record: StaleRecord, to payload: inout ByteWriter) -> UpgradeOutcome {
      if failsFor(record.key[0]) {
        return .failed(
          .migrationFailed(
            type: "Person", keyText: "\(record.key[0])", fromVersion: 0, operationID: "v1/Person/1",
            underlying: "no"))
      }
      if drops(record.key[0]) { return .dropped }
      payload.writeBytes(record.payload)
      payload.writeByte(1)
      return .upgraded(schemaVersion: 1)
    }
  }

  static func open(_ fileSystem: any FileSystem) throws(LogError) -> Log {
    var configuration = LogConfiguration()
    configuration.maintenance = .inline
    configuration.segmentByteCountMinimum = 2 << 10
    configuration.segmentByteCountMaximum = 2 << 10
    configuration.randomSource = SeededRandomSource(seed: 5)
    configuration.timeSource = ManualTimeSource()
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  static func put(_ keys: some Sequence<Int>, _ log: Log, size: Int = 100) throws(LogError) {
    for key in keys {
      let batch = log.makeBatch()
      try batch.put(
        [UInt8(key)], in: people, schemaVersion: 0,
        payload: (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ key) })
      try log.commit(batch)
    }
  }

  static func contents(_ log: Log) throws(LogError) -> [UInt8: (version: UInt64, count: Int)] {
    let cursor = try log.snapshot().records(in: people)
    var found: [UInt8: (version: UInt64, count: Int)] = [:]
    while let (key, record) = try cursor.next() {
      found[key[0]] = (record.schemaVersion, record.payload.count)
    }
    return found
  }

  @Test func upgradesCopiesAndGivesSpaceBack() throws {
    let log = try Self.open(InMemoryFileSystem())
    try Self.put(0..<100, log)
    try Self.put(0..<100, log)
    let report = try Compactor(log, upgrader: AppendingUpgrader()).run()
    #expect(report.upgradedCount == 100)
    #expect(report.byteCountAfter < report.byteCountBefore)
    let contents = try Self.contents(log)
    #expect(contents.count == 100)
    #expect(contents.values.allSatisfy { $0.version == 1 && $0.count == 101 })
    let again = try Compactor(log, upgrader: AppendingUpgrader()).run()
    #expect(again.segmentCount == 0)
    #expect(again.upgradedCount == 0)
  }

  @Test("R19: a record whose step fails keeps its bytes and is listed; others are upgraded")
  func aFailingStepKeepsItsRecord() throws {
    let log = try Self.open(InMemoryFileSystem())
    try Self.put(0..<50, log)
    let report = try Compactor(log, upgrader: AppendingUpgrader(failsFor: { $0 == 7 })).run()
    #expect(report.failedCount == 1)
    #expect(report.upgradedCount == 49)
    #expect(report.failures.count == 1)
    let contents = try Self.contents(log)
    #expect(contents[7]?.version == 0)
    #expect(contents[7]?.count == 100)
    let healed = try Compactor(log, upgrader: AppendingUpgrader()).run()
    #expect(healed.upgradedCount == 1)
    #expect(try Self.contents(log)[7]?.version == 1)
  }

  /// Makes one record larger than a record may be.
  struct InflatingUpgrader: RecordUpgrader {
    func isStale(_ version: CollectionVersion) -> Bool { version.schemaVersion == 0 }

    func upgrade(_ record: StaleRecord, to payload: inout ByteWriter) -> UpgradeOutcome {
      payload.writeZeros(record.key[0] == 7 ? LogLimits.payloadByteCount + 1 : 1)
      return .upgraded(schemaVersion: 1)
    }
  }

  @Test("R19: a record that grows beyond the limit is kept and listed; others are upgraded")
  func aRecordThatGrowsTooLargeIsKept() throws {
    let log = try Self.open(InMemoryFileSystem())
    try Self.put(0..<20, log)
    let report = try Compactor(log, upgrader: InflatingUpgrader()).run()
    #expect(report.failedCount == 1)
    #expect(report.upgradedCount == 19)
    #expect(try Self.contents(log)[7]?.count == 100)
    #expect(try Self.contents(log).count == 20)
  }

  @Test("R20: a record that a step drops is gone, and what it hid does not come back")
  func aDroppedRecordIsGone() throws {
    let fileSystem = InMemoryFileSystem()
    let log = try Self.open(fileSystem)
    try Self.put(0..<30, log)
    try Self.put([3], log, size: 50)
    let report = try Compactor(log, upgrader: AppendingUpgrader(drops: { $0 == 3 })).run()
    #expect(report.droppedCount == 1)
    #expect(try Self.contents(log)[3] == nil)
    try log.close()
    #expect(try Self.contents(Self.open(fileSystem))[3] == nil)
  }

  @Test("R21: a snapshot reads its own state while and after everything is compacted")
  func aSnapshotSurvivesCompaction() throws {
    let log = try Self.open(InMemoryFileSystem())
    try Self.put(0..<60, log)
    let snapshot = log.snapshot()
    let batch = log.makeBatch()
    for key in 0..<60 where key % 2 == 0 { try batch.delete([UInt8(key)], in: Self.people) }
    try log.commit(batch)
    try Compactor(log, upgrader: AppendingUpgrader()).run()
    #expect(try Self.contents(log).count == 30)
    for key in UInt8(0)..<60 {
      let record = try snapshot.record(for: [key], in: Self.people)
      #expect(record?.schemaVersion == 0)
      #expect(record?.payload.count == 100)
    }
  }

  @Test("P5: writes during a compaction win over what it copies")
  func writesDuringACompactionWin() throws {
    let fileSystem = InMemoryFileSystem()
    let log = try Self.open(fileSystem)
    try Self.put(0..<100, log)
    var isFirst = true
    let report = try CompactorTests.run(log) {
      if isFirst {
        isFirst = false
        try? Self.put([5], log, size: 9)
        let batch = log.makeBatch()
        try? batch.delete([6], in: Self.people)
        _ = try? log.commit(batch)
      }
    }
    #expect(report.wasCancelled == false)
    let contents = try Self.contents(log)
    #expect(contents[5]?.count == 9)
    #expect(contents[6] == nil)
    #expect(contents.count == 99)
    #expect(try log.statistics().live.recordCount == 99)
    try log.close()
    let again = try Self.open(fileSystem)
    #expect(try Self.contents(again).count == 99)
    #expect(try again.statistics().live.recordCount == 99)
  }

  /// Compacts with a call of `interruption` between copying and publishing.
  static func run(_ log: Log, interruption: () -> Void) throws(LogError) -> CompactionReport {
    try log.sealActiveSegment()
    let inputs = Set(try log.statistics().segments.map(\.identifier))
    let rewrite = try log.beginRewrite(of: inputs)
    while let record = try rewrite.next() {
      try rewrite.keep(record)
      interruption()
    }
    try rewrite.publish()
    return CompactionReport()
  }

  @Test("P19: a damaged record stops only the segment that holds it, and is reported")
  func aDamagedRecordStopsItsSegmentOnly() throws {
    let fileSystem = SimulatedFileSystem()
    var log = try Self.open(fileSystem)
    try Self.put(0..<100, log)
    try log.close()
    fileSystem.flipBit(0, of: "segment-00000001.log", in: "/store", at: 216)
    log = try Self.open(fileSystem)
    let report = try Compactor(log, upgrader: AppendingUpgrader()).run()
    #expect(report.damages.map(\.file) == ["segment-00000001.log"])
    #expect(report.upgradedCount > 60)
    #expect(try log.statistics().segments.contains { $0.identifier.rawValue == 1 })
  }

  @Test("P1, P19, R39: killed or cut off at any operation of a compaction that upgrades")
  func everyCrashOfAnUpgradingCompaction() throws {
    let prepared = SimulatedFileSystem()
    var log = try Self.open(prepared)
    try Self.put(0..<40, log)
    try Self.put(10..<20, log)
    let batch = log.makeBatch()
    for key in UInt8(30)..<35 { try batch.delete([key], in: Self.people) }
    try log.commit(batch)
    try log.close()
    let fileSystem = prepared.pristineCopy()
    fileSystem.recordCrashPoints()
    let upgrader = AppendingUpgrader(failsFor: { $0 == 7 }, drops: { $0 == 8 })
    log = try Self.open(fileSystem)
    try Compactor(log, upgrader: upgrader).run()
    try log.close()
    var states = 0
    for point in fileSystem.crashPoints {
      for choice in point.choices(exhaustiveUnitCount: 3, randomCount: 3) {
        states += 1
        let crashed = point.afterCrash(choice)
        do {
          let log = try Self.open(crashed)
          try Self.check(try Self.contents(log), isFinished: false)
          if states % 5 == 0 {
            try Compactor(log, upgrader: upgrader).run()
            try Self.check(try Self.contents(log), isFinished: true)
          }
          try log.close()
        } catch {
          Issue.record("\(point), \(choice): \(error)")
          return
        }
      }
    }
    print("\(states) crash states of an upgrading compaction")
    #expect(states > 200)
  }

  /// Every record is there once, in its old or its new form; what was deleted stays so.
  static func check(
    _ contents: [UInt8: (version: UInt64, count: Int)], isFinished: Bool
  ) throws {
    for key in UInt8(0)..<40 {
      let record = contents[key]
      switch key {
      case 30..<35:
        if record != nil { throw CaseFailure("\(key) came back") }
      case 8:
        if let record, isFinished || record.version != 0 { throw CaseFailure("8 is \(record)") }
      case 7:
        if record?.version != 0 || record?.count != 100 { throw CaseFailure("7 changed") }
      default:
        guard let record else { throw CaseFailure("\(key) is lost") }
        let isNew = record.version == 1 && record.count == 101
        let isOld = record.version == 0 && record.count == 100
        if !(isNew || (isOld && !isFinished)) { throw CaseFailure("\(key) is \(record)") }
      }
    }
  }
}
