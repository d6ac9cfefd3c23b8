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
    var notes = true

    func transforms(_ version: CollectionVersion) -> Bool { version.schemaVersion == 1 }

    func transform(
      _ record: LentRecord, _ memory: inout TransformMemory
    ) throws(LogError) -> RecordTransformation {
      let payload = try record.payload(decompressedInto: &memory.old)
      let rest = UnsafeRawBufferPointer(rebasing: payload.dropFirst(6))
      memory.new.writeBytes(rest)
      memory.new.writeBytes([payload[payload.count - 1] % 2 == 0 ? 33 : 63])
      if notes { memory.copies.note(0, from: 6, count: rest.count) }
      return .replaced(schemaVersion: 2)
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
