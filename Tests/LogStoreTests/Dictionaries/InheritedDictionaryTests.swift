import BinaryCoding
import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// What records of a new schema version are compressed against.
@Suite struct InheritedDictionaryTests {
  private static let next = CollectionVersion(
    collection: DictionaryLog.people, schemaVersion: 2)

  private static func payload(_ number: Int) -> [UInt8] {
    let payload = DictionaryLog.payload(number)
    return payload.dropFirst(6) + (payload[payload.count - 1] % 2 == 0 ? [33] : [63])
  }

  /// What a rewrite makes of records: the payload without its first word, and what it says of that.
  private struct Adding: RecordTransformer {
    private let notes: Bool
    private let schemaVersion: UInt64

    init(notes: Bool = true, to schemaVersion: UInt64 = 2) {
      self.notes = notes
      self.schemaVersion = schemaVersion
    }

    func transforms(_ version: CollectionVersion) -> Bool {
      version.collection == DictionaryLog.people && version.schemaVersion < schemaVersion
    }

    func transform(
      _ record: LentRecord, _ memory: inout TransformMemory
    ) throws(LogError) -> RecordTransformation {
      let payload = try record.payload(decompressedInto: &memory.old)
      let rest = UnsafeRawBufferPointer(rebasing: payload.dropFirst(6))
      memory.new.writeBytes(rest)
      memory.new.writeBytes([payload[payload.count - 1] % 2 == 0 ? 33 : 63])
      if notes { memory.copies.note(0, from: 6, count: rest.count) }
      return .replaced(schemaVersion: schemaVersion)
    }
  }

  private static func bytes(_ log: Log, of version: CollectionVersion) -> [UInt8]? {
    log.pipeline.dictionaries.newest(of: version).map { [UInt8]($0.bytes) }
  }

  @Test("A version gets the dictionary of the version before, if it does, in two copies of its own")
  func inherits() throws {
    let fileSystem = InMemoryFileSystem()
    var log = try DictionaryLog.open(fileSystem)
    try DictionaryLog.makeDictionary(log)
    let made = try log.makeDictionary(
      for: Self.next, sample: (0..<512).map { Self.payload($0 * 3) }, recordCount: 5000)
    #expect(made)
    let old = try #require(Self.bytes(log, of: DictionaryLog.version))
    #expect(Self.bytes(log, of: Self.next) == old)
    #expect(try log.statistics().dictionaries.count == 2)
    // It is looked at again like any other: nothing is better now.
    let again = try log.makeDictionary(
      for: Self.next, sample: (0..<512).map { Self.payload($0 * 3) }, recordCount: 5000)
    #expect(!again)
    try log.close()
    log = try DictionaryLog.open(fileSystem)
    #expect(Self.bytes(log, of: Self.next) == old)
    try log.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
  }

  @Test("A version whose records are of another kind, or of another collection, gets its own")
  func makesItsOwn() throws {
    let log = try DictionaryLog.open(InMemoryFileSystem())
    try DictionaryLog.makeDictionary(log)
    let others = (0..<512).map { number in
      [UInt8]("quite another text, with other words in it: item \(number * 7919) of \(number)".utf8)
    }
    #expect(try log.makeDictionary(for: Self.next, sample: others, recordCount: 9000))
    let elsewhere = CollectionVersion(collection: CollectionIdentifier(2), schemaVersion: 2)
    #expect(
      try log.makeDictionary(
        for: elsewhere, sample: (0..<512).map { Self.payload($0 * 3) }, recordCount: 5000))
    let old = Self.bytes(log, of: DictionaryLog.version)
    #expect(Self.bytes(log, of: Self.next) != old)
    #expect(Self.bytes(log, of: elsewhere) != old)
  }

  @Test("A store that grew gets a larger dictionary for the next version, not that of before")
  func outgrownIsNotInherited() throws {
    let log = try DictionaryLog.open(InMemoryFileSystem())
    try DictionaryLog.makeDictionary(log)
    let before = try #require(Self.bytes(log, of: DictionaryLog.version)).count
    try log.makeDictionary(
      for: Self.next, sample: (0..<2000).map { Self.payload($0 * 3) }, recordCount: 900_000)
    #expect(try #require(Self.bytes(log, of: Self.next)).count > before)
  }

  /// `count` bytes that are like nothing else.
  private static func noise(_ count: Int, _ generator: inout SeededGenerator) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  @Test("Where the one of before saves little, another is tried, though it does as well as it did")
  func littleIsNotEnough() throws {
    let log = try DictionaryLog.open(InMemoryFileSystem())
    var generator = SeededGenerator(seed: 92)
    let payloads = (0..<512).map { _ in
      Self.noise(40, &generator) + [UInt8]("kept: always".utf8)
    }
    #expect(
      try log.makeDictionary(for: DictionaryLog.version, sample: payloads, recordCount: 5000))
    let upgraded = payloads.map { $0 + [UInt8]("kept: always, and a new text".utf8) }
    #expect(try log.makeDictionary(for: Self.next, sample: upgraded, recordCount: 5000))
    let dictionary = try #require(log.pipeline.dictionaries.newest(of: Self.next))
    #expect([UInt8](dictionary.bytes) != Self.bytes(log, of: DictionaryLog.version))
    #expect(dictionary.sample.storedFraction < 0.7)
  }

  @Test("Where no dictionary does as well, that of before is not inherited, though it does well")
  func noneIsAsGood() throws {
    let log = try DictionaryLog.open(InMemoryFileSystem())
    try DictionaryLog.makeDictionary(log)
    let payloads = (0..<512).map { [UInt8](repeating: UInt8($0 % 251), count: 900) }
    #expect(try !log.makeDictionary(for: Self.next, sample: payloads, recordCount: 5000))
    #expect(Self.bytes(log, of: Self.next) == nil)
  }

  @Test(
    "It is as large as the records of the collection pay for, of whatever version",
    arguments: [0, 30_000])
  func fewRecordsAmongMany(count: Int) throws {
    let log = try DictionaryLog.open(InMemoryFileSystem())
    try log.makeDictionary(
      for: DictionaryLog.version, sample: (0..<2000).map { DictionaryLog.payload($0 * 3) },
      recordCount: 30_000)
    try DictionaryLog.put(0..<count, log)
    try log.makeDictionary(
      for: Self.next, sample: (0..<512).map { Self.payload($0 * 3) }, recordCount: 3000)
    let old = try #require(Self.bytes(log, of: DictionaryLog.version))
    let inherits = Self.bytes(log, of: Self.next) == old
    #expect(inherits == (count > 0))
  }

  @Test("Versions that were passed over inherit, and so do all that follow; old ones are left out")
  func chain() throws {
    let fileSystem = InMemoryFileSystem()
    var log = try DictionaryLog.open(fileSystem)
    try DictionaryLog.put(0..<50, log)
    try DictionaryLog.makeDictionary(log)
    let old = try #require(Self.bytes(log, of: DictionaryLog.version))
    for schemaVersion in [4, 5, 9] as [UInt64] {
      let version = CollectionVersion(
        collection: DictionaryLog.people, schemaVersion: schemaVersion)
      #expect(
        try log.makeDictionary(
          for: version, sample: (0..<512).map { Self.payload($0 * 3) }, recordCount: 5000))
      #expect(Self.bytes(log, of: version) == old)
      try Self.rewrite(log, .quick, Adding(to: schemaVersion), threadCount: 1)
      try log.close()
      log = try DictionaryLog.open(fileSystem)
    }
    try Self.rewrite(log, .thorough)
    #expect(try log.statistics().dictionaries.map(\.version?.schemaVersion) == [9])
    #expect(
      Self.bytes(log, of: CollectionVersion(collection: DictionaryLog.people, schemaVersion: 9))
        == old)
  }

  @Test("P14: a disk that fails or a kill at any operation leaves both copies in use, or none")
  func interrupted() throws {
    let prepared = SimulatedFileSystem()
    try DictionaryLog.fill(prepared)
    var halves = 0
    func inherit(_ log: Log) throws -> Bool {
      try log.makeDictionary(
        for: Self.next, sample: (0..<512).map { Self.payload($0 * 3) }, recordCount: 5000)
    }
    for number in 1..<60 {
      let fileSystem = prepared.pristineCopy()
      var log = try DictionaryLog.open(fileSystem)
      let old = try #require(Self.bytes(log, of: DictionaryLog.version))
      fileSystem.setFaults([
        FaultPlan(
          operation: fileSystem.operationCount + number, .fail(.noSpace), isPermanent: true)
      ])
      let isMade = (try? inherit(log)) ?? false
      let copies = try log.pipeline.dictionaries.copies()[DictionaryIdentifier(2)]?.intact ?? 0
      #expect(isMade == (copies == 0b11), "operation \(number)")
      #expect((Self.bytes(log, of: Self.next) != nil) == isMade, "operation \(number)")
      if copies == 1 { halves += 1 }
      let crash = fileSystem.crashPoint().cornerChoices[number % 3]
      log = try DictionaryLog.open(fileSystem.afterCrash(crash))
      // What failed when both were written may be there all the same.
      #expect(try !(inherit(log) && isMade), "operation \(number)")
      #expect(Self.bytes(log, of: Self.next) == old, "operation \(number)")
      #expect(try DictionaryLog.defect(0..<200, log) == nil, "operation \(number)")
    }
    #expect(halves > 0)
  }

  /// A store whose records a quick rewrite has upgraded, after a thorough one; closed.
  private static func upgraded(
    notes: Bool, threadCount: Int, _ fileSystem: SimulatedFileSystem
  ) throws -> UInt64 {
    let log = try DictionaryLog.open(fileSystem)
    try DictionaryLog.put(0..<50, log)
    try DictionaryLog.makeDictionary(log)
    try DictionaryLog.put(50..<600, log)
    try rewrite(log, .thorough)
    try log.makeDictionary(
      for: next, sample: (0..<512).map { payload($0 * 3) }, recordCount: 5000)
    let tally = try rewrite(log, .quick, Adding(notes: notes), threadCount: threadCount)
    #expect(tally.replacedCount == 600)
    for number in 0..<600 {
      let found = try log.snapshot().record(
        for: DictionaryLog.key(number), in: DictionaryLog.people)
      if found?.payload != payload(number) || found?.schemaVersion != 2 {
        Issue.record("\(number)")
      }
    }
    #expect(try log.statistics().dictionaries.map(\.recordCount) == [0, 600])
    let byteCount = try log.statistics().live.byteCount
    try log.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
    return byteCount
  }

  @discardableResult
  private static func rewrite(
    _ log: Log, _ effort: CompressionEffort, _ transformer: Adding? = nil, threadCount: Int = 0
  ) throws -> RewriteTally {
    try log.sealActiveSegment()
    let rewrite = try log.beginRewrite(
      of: Set(try log.statistics().segments.map(\.identifier)), effort: effort,
      transformer: transformer, threadCount: threadCount)
    while try rewrite.carryOver(atMost: 100) {}
    try rewrite.publish()
    return rewrite.tally
  }

  @Test("Records that a quick rewrite upgrades keep their matches, and read as what they became")
  func upgradedRecords() throws {
    let with = try Self.upgraded(notes: true, threadCount: 1, SimulatedFileSystem())
    let without = try Self.upgraded(notes: false, threadCount: 1, SimulatedFileSystem())
    // Those that took their time to be found: a quick search finds less.
    #expect(with < without)
  }

  @Test("With any number of threads the files of an upgrade are the same, to the bit")
  func anyThreads() throws {
    let files = try [0, 1, 3].map { threadCount in
      let fileSystem = SimulatedFileSystem()
      _ = try Self.upgraded(notes: true, threadCount: threadCount, fileSystem)
      return fileSystem.snapshotOfFiles(in: "/store")
    }
    #expect(files[1] == files[0])
    #expect(files[2] == files[0])
  }
}
