import BinaryCoding
import FileIO
import LogStore
import SchemaRegistry
import StorageTestSupport
import Testing

@testable import Compaction

@Suite struct DictionaryCompactionTests {
  static let people = CollectionIdentifier(1)
  static let count = 2200

  /// Upgrades version 0 to 1 by adding text; fails for some keys and drops others.
  struct AddingUpgrader: RecordUpgrader {
    var failsFor: @Sendable (Int) -> Bool = { _ in false }
    var drops: @Sendable (Int) -> Bool = { _ in false }
    var addition = [UInt8]("; upgraded".utf8)

    func isStale(_ version: CollectionVersion) -> Bool { version.schemaVersion == 0 }

    func upgrade(_ record: StaleRecord, to payload: inout ByteWriter) -> UpgradeOutcome {
      let number = DictionaryCompactionTests.number([UInt8](record.key))
      // What is appended comes to nothing when the record fails or goes.
      if failsFor(number) || drops(number) { payload.writeBytes(addition) }
      if failsFor(number) {
        return .failed(
          .migrationFailed(
            type: "Person", keyText: "\(number)", fromVersion: 0, operationID: "v1/Person/1",
            underlying: "no"))
      }
      if drops(number) { return .dropped }
      payload.writeBytes(record.payload)
      payload.writeBytes(addition)
      return .upgraded(schemaVersion: 1)
    }
  }

  static func open(
    _ fileSystem: any FileSystem, segmentByteCount: UInt64 = 64 << 10,
    compression: LogConfiguration.Compression = .automatic,
    maintenance: LogConfiguration.Maintenance = .inline,
    readMode: LogConfiguration.ReadMode = .mapped
  ) throws(LogError) -> Log {
    var configuration = LogConfiguration()
    configuration.readMode = readMode
    configuration.maintenance = maintenance
    configuration.segmentByteCountMinimum = segmentByteCount
    configuration.segmentByteCountMaximum = segmentByteCount
    configuration.compression = compression
    configuration.randomSource = SeededRandomSource(seed: 5)
    configuration.timeSource = ManualTimeSource()
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  static func key(_ number: Int) -> [UInt8] {
    withUnsafeBytes(of: UInt32(number).bigEndian) { [UInt8]($0) }
  }

  static func number(_ key: [UInt8]) -> Int { key.reduce(0) { $0 << 8 | Int($1) } }

  static func payload(_ number: Int) -> [UInt8] {
    let names = [
      "Ada Lovelace", "Grace Hopper", "Edsger Dijkstra", "Barbara Liskov", "Alan Turing",
    ]
    return [UInt8]("name: \(names[number % 5]), born in 19\(number % 90 + 10), no. \(number)".utf8)
  }

  static func put(
    _ numbers: some Sequence<Int>, _ log: Log, in collection: CollectionIdentifier = people,
    version: UInt64 = 1
  ) throws(LogError) {
    let batch = log.makeBatch()
    for number in numbers {
      try batch.put(
        key(number), in: collection, schemaVersion: version, payload: payload(number))
    }
    try log.commit(batch)
  }

  /// All records, and in every segment some dead ones.
  static func fill(_ log: Log, version: UInt64 = 1) throws(LogError) {
    for start in stride(from: 0, to: count, by: 100) {
      try put(start..<(start + 100), log, version: version)
      try put(start..<(start + 10), log, version: version)
    }
    // The last segment too.
    for _ in 0..<3 { try put((count - 10)..<count, log, version: version) }
  }

  static func contents(_ log: Log) throws(LogError) -> [Int: (version: UInt64, payload: [UInt8])] {
    let cursor = try log.snapshot().records(in: people)
    var found: [Int: (version: UInt64, payload: [UInt8])] = [:]
    while let (key, record) = try cursor.next() {
      found[number(key)] = (record.schemaVersion, record.payload)
    }
    return found
  }

  /// Every record is there once, in its old or, with `isUpgraded`, in its new form.
  static func check(
    _ log: Log, isUpgraded: Bool = false, mayBeUpgraded: Bool = false, without dropped: [Int] = []
  ) throws {
    let contents = try contents(log)
    for number in 0..<count {
      guard let found = contents[number] else {
        if dropped.contains(number) { continue }
        throw CaseFailure("\(number) is lost")
      }
      let isNew = found.version == 1 && found.payload == payload(number) + AddingUpgrader().addition
      let isOld = found.payload == payload(number)
      let isRight = mayBeUpgraded ? isNew || isOld : isUpgraded ? isNew : isOld
      if !isRight { throw CaseFailure("\(number) is of version \(found.version)") }
    }
    if contents.count > count { throw CaseFailure("\(contents.count) records") }
  }

  @Test("Compaction makes a dictionary and compresses everything against it; a second has no work")
  func compactionMakesADictionary() throws {
    let fileSystem = InMemoryFileSystem()
    var log = try Self.open(fileSystem)
    try Self.fill(log)
    let report = try Compactor(log).run()
    #expect(report.keptCount == UInt64(Self.count))
    try Self.check(log)
    let dictionary = try #require(try log.statistics().dictionaries.first)
    #expect(dictionary.recordCount == UInt64(Self.count))
    #expect(dictionary.storedFraction ?? 1 < 0.5)
    #expect(try Compactor(log).run().segmentCount == 0)
    try log.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
    log = try Self.open(fileSystem)
    try Self.check(log)
    // What is written now uses it at once.
    try Self.put(0..<100, log)
    #expect(try log.statistics().dictionaries.first?.recordCount == UInt64(Self.count) + 100)
  }

  @Test("The copies of a dictionary stay in different files, however often they are moved")
  func copiesStayApart() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try Self.open(fileSystem)
    for round in 0..<4 {
      try Self.fill(log)
      try Compactor(log).run()
      let catalogs = try log.statistics().segments.filter {
        $0.liveByVersion.keys.contains { $0.collection == .catalog }
      }
      if catalogs.count < 2 { Issue.record("round \(round): the copies share a file") }
    }
    try Self.check(log)
    #expect(try log.statistics().dictionaries.count == 1)
  }

  @Test("The same store compacted twice gives the same bytes")
  func bytesRepeat() throws {
    let stores = try (0..<2).map { _ in
      let fileSystem = SimulatedFileSystem()
      let log = try Self.open(fileSystem)
      try Self.fill(log, version: 0)
      try Compactor(log, upgrader: AddingUpgrader()).run()
      try log.close()
      return fileSystem.snapshotOfFiles(in: "/store")
    }
    #expect(stores[0] == stores[1])
  }

  @Test("R19: a record whose step fails is kept to the bit, with the dictionary it needs")
  func aFailingStepKeepsTheDictionary() throws {
    let fileSystem = SimulatedFileSystem()
    var log = try Self.open(fileSystem)
    try Self.fill(log, version: 0)
    try Compactor(log).run()
    let fails: @Sendable (Int) -> Bool = { $0 % 100 == 7 }
    let report = try Compactor(log, upgrader: AddingUpgrader(failsFor: fails)).run()
    #expect(report.failedCount == 22)
    let dictionaries = try log.statistics().dictionaries
    #expect(dictionaries.map { $0.version?.schemaVersion } == [0, 1])
    #expect(dictionaries.map(\.recordCount) == [22, UInt64(Self.count) - 22])
    try Self.check(log, mayBeUpgraded: true)
    #expect(try Self.contents(log)[107]?.version == 0)
    try log.close()
    log = try Self.open(fileSystem)
    let healed = try Compactor(log, upgrader: AddingUpgrader()).run()
    #expect(healed.upgradedCount == 22)
    try Self.check(log, isUpgraded: true)
  }

  @Test("Records whose dictionary is lost are carried over as they are, and reported")
  func lostDictionariesStopNothing() throws {
    let fileSystem = SimulatedFileSystem()
    var log = try Self.open(fileSystem)
    try Self.fill(log, version: 0)
    try Compactor(log).run()
    let before = try log.statistics().segments
    try log.close()
    // Both copies: the text of a payload stands in them as it was put.
    for (name, bytes) in fileSystem.snapshotOfFiles(in: "/store") where name.hasSuffix(".log") {
      let sample = [UInt8]("Lovelace".utf8)
      for start in 0..<(bytes.count - 8) where bytes[start] == sample[0] {
        guard [UInt8](bytes[start..<(start + 8)]) == sample else { continue }
        fileSystem.flipBit(0, of: name, in: "/store", at: start)
      }
    }
    log = try Self.open(fileSystem)
    #expect(throws: LogError.self) { try Self.contents(log) }
    let report = try Compactor(log, upgrader: AddingUpgrader()).run()
    #expect(report.upgradedCount == 0)
    #expect(report.failedCount == UInt64(Self.count))
    #expect(report.failedCounts.isEmpty, "it says nothing about others")
    #expect(report.damages.map { $0.lostDictionary?.rawValue } == [1])
    let after = try log.statistics()
    #expect(after.dictionaries.map(\.isLost).contains(true))
    #expect(after.live.recordCount == before.reduce(0) { $0 + $1.live.recordCount })
  }

  @Test("P19: a damaged record stops only its segment, which is kept; the rest is compressed")
  func aDamagedRecordStopsItsSegmentOnly() throws {
    let fileSystem = SimulatedFileSystem()
    var log = try Self.open(fileSystem, segmentByteCount: 16 << 10)
    try Self.fill(log)
    try log.close()
    fileSystem.flipBit(2, of: "segment-00000003.log", in: "/store", at: 9000)
    log = try Self.open(fileSystem, segmentByteCount: 16 << 10)
    let report = try Compactor(log).run()
    #expect(report.damages.map(\.file) == ["segment-00000003.log"])
    let statistics = try log.statistics()
    #expect(statistics.segments.contains { $0.identifier.rawValue == 3 })
    #expect(statistics.dictionaries.count == 1)
    #expect(statistics.live.recordCount == UInt64(Self.count) + 2)
    var missing: [Int] = []
    for number in 0..<Self.count {
      do throws(LogError) {
        let found = try log.snapshot().record(for: Self.key(number), in: Self.people)
        if found?.payload != Self.payload(number) { Issue.record("\(number) is wrong") }
      } catch { missing.append(number) }
    }
    #expect(missing.count == 1)
  }

  @Test("Outputs are of the target size also when an upgrade makes records grow")
  func outputsRollOver() throws {
    let log = try Self.open(
      InMemoryFileSystem(), segmentByteCount: 16 << 10, compression: .none)
    try Self.put(0..<1000, log, version: 0)
    let large = AddingUpgrader(addition: [UInt8](repeating: 7, count: 500))
    try Compactor(log, upgrader: large).run()
    let statistics = try log.statistics()
    let target = statistics.segmentByteCountTarget
    #expect(statistics.segments.allSatisfy { $0.byteCount <= target + target / 2 + 300 << 10 })
    #expect(statistics.segments.count > 1)
    #expect(statistics.live.recordCount == 1000)
  }

  @Test("P1, P19, R39: killed or cut off at any operation of a compaction that makes dictionaries")
  func everyCrashOfACompactionThatTrains() throws {
    let prepared = SimulatedFileSystem()
    var log = try Self.open(prepared)
    try Self.put(0..<Self.count, log, version: 0)
    try Self.put(100..<200, log, version: 0)
    try log.close()
    let fileSystem = prepared.pristineCopy()
    fileSystem.recordCrashPoints()
    let upgrader = AddingUpgrader(failsFor: { $0 == 7 }, drops: { $0 == 8 })
    log = try Self.open(fileSystem)
    try Compactor(log, upgrader: upgrader).run()
    #expect(try log.statistics().dictionaries.count == 1)
    try log.close()
    var states = 0
    for (number, point) in fileSystem.crashPoints.enumerated() {
      let choices = point.choices(exhaustiveUnitCount: 1, randomCount: 1)
      for (position, choice) in choices.enumerated()
      where position == 0 || (position + number) % 16 == 0 {
        states += 1
        let crashed = point.afterCrash(choice)
        do {
          let log = try Self.open(crashed)
          try Self.check(log, mayBeUpgraded: true, without: [8])
          if states % 7 == 0 {
            try Compactor(log, upgrader: upgrader).run()
            try Self.check(log, mayBeUpgraded: true, without: [8])
            #expect(try log.statistics().dictionaries.last?.recordCount ?? 0 > 2000)
          }
          try log.close()
        } catch {
          Issue.record("\(point), \(choice): \(error)")
          return
        }
      }
    }
    print("\(states) crash states of a compaction that makes a dictionary")
    #expect(states > 100)
  }
}
