import BinaryCoding
import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// What is replaced while a rewrite runs, much or little, is not counted as live when it is over.
@Suite struct ReplacedMeanwhileTests {
  /// A key with so many bytes behind its number: of those with 2000 a watch notes five hundred.
  private static func key(_ number: Int, _ tailByteCount: Int = 2000) -> [UInt8] {
    TestLog.key(number) + [UInt8](repeating: 7, count: tailByteCount)
  }

  private static func put(
    _ numbers: Range<Int>, _ payload: UInt8, _ log: Log, tailByteCount: Int = 2000
  ) throws(LogError) {
    let batch = log.makeBatch()
    for number in numbers {
      try batch.put(
        key(number, tailByteCount), in: TestLog.people, schemaVersion: 0, payload: [payload])
    }
    try log.commit(batch)
  }

  private static func open(
    _ fileSystem: any FileSystem, segmentByteCount: UInt64 = 64 << 20,
    maintenance: LogConfiguration.Maintenance = .none
  ) throws(LogError) -> Log {
    var configuration = LogConfiguration()
    configuration.durability = .process
    configuration.maintenance = maintenance
    configuration.compression = .none
    configuration.transactionByteCountInMemory = 64 << 10
    configuration.segmentByteCountMinimum = segmentByteCount
    configuration.segmentByteCountMaximum = max(segmentByteCount, 64 << 20)
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  private static let count = 900

  /// The records in several segments, and a rewrite that has carried all of them over.
  private static func begun(
    _ maintenance: LogConfiguration.Maintenance = .none
  ) throws -> (log: Log, rewrite: SegmentRewrite) {
    let log = try open(
      InMemoryFileSystem(), segmentByteCount: 256 << 10, maintenance: maintenance)
    for start in stride(from: 0, to: count, by: 50) { try put(start..<(start + 50), 1, log) }
    try log.sealActiveSegment()
    return (log, try carriedOver(log))
  }

  private static func carriedOver(_ log: Log) throws -> SegmentRewrite {
    let rewrite = try log.beginRewrite(of: Set(log.pipeline.sealed.map(\.identifier)))
    while try rewrite.carryOver() {}
    return rewrite
  }

  /// Whether each segment counts what a walk over all indexes finds.
  private static func expectExactTotals(_ log: Log, _ comment: Comment) throws {
    _ = log.liveByVersion
    let found = try LiveTotalsCheck.totals(in: log.pipeline.view)
    for account in log.pipeline.accounts.values {
      let identifier = account.descriptor.identifier
      #expect(account.descriptor.live == found[identifier, default: LiveTotals()], comment)
    }
  }

  /// Whether the log holds `count` records, of which the first ones have payload `new`.
  private static func expectContents(
    _ log: Log, count: Int, replacedCount: Int, new: UInt8, tailByteCount: Int = 2000
  ) throws {
    let contents = try TestLog.contents(log)
    #expect(contents.count == count)
    let isRight = (0..<count).allSatisfy {
      contents[key($0, tailByteCount)] == [$0 < replacedCount ? new : 1]
    }
    #expect(isRight)
  }

  @Test(
    "P5: totals are exact whatever was replaced meanwhile, and only so much of it is noted",
    arguments: [0, 1, 100, 900], [LogConfiguration.Maintenance.none, .background])
  func notesAreBounded(replacedCount: Int, maintenance: LogConfiguration.Maintenance) throws {
    let (log, rewrite) = try Self.begun(maintenance)
    // What is replaced once more is no record of an input.
    for payload in [2, 3] as [UInt8] {
      for start in stride(from: 0, to: replacedCount, by: 50) {
        try Self.put(start..<min(start + 50, replacedCount), payload, log)
      }
    }
    _ = log.liveByVersion
    let watch = try #require(log.pipeline.watch)
    #expect(watch.isOverfull == (replacedCount == Self.count))
    #expect(watch.superseded.count == (watch.isOverfull ? 0 : replacedCount))
    try rewrite.publish()
    try Self.expectExactTotals(log, "\(replacedCount) replaced")
    try Self.expectContents(log, count: Self.count, replacedCount: replacedCount, new: 3)
    try log.close()
  }

  /// What becomes of records of the inputs while they are rewritten.
  enum Change: CaseIterable { case overwritten, deleted }

  /// Raises the schema version of records, which become longer, and drops one of seven.
  private struct Raising: RecordTransformer {
    static let payload = [UInt8](repeating: 1, count: 40)

    static func drops(_ key: [UInt8]) -> Bool { key[7] % 7 == 0 }

    func transforms(_ version: CollectionVersion) -> Bool {
      ReplacedMeanwhileTests.collections.contains(version.collection)
    }

    func transform(_ record: LentRecord, _ memory: inout TransformMemory) -> RecordTransformation {
      if Self.drops([UInt8](record.key)) { return .dropped }
      memory.new.writeBytes(Self.payload)
      return .replaced(schemaVersion: record.schemaVersion + 9)
    }
  }

  private static let collections = [TestLog.people, CollectionIdentifier(2)]
  private static let deletedCount = 60

  /// Numbers of a collection: the second one has a third of them.
  private static func numbers(_ numbers: Range<Int>, of collection: CollectionIdentifier) -> [Int] {
    numbers.filter { collection == TestLog.people || $0 % 3 == 0 }
  }

  /// Puts records of both collections, each under a schema version of its own, or deletes them.
  private static func commit(_ numbers: Range<Int>, _ payload: UInt8?, _ log: Log) throws {
    let batch = log.makeBatch()
    for collection in collections {
      for number in Self.numbers(numbers, of: collection) {
        if let payload {
          try batch.put(
            key(number), in: collection, schemaVersion: UInt64(collection.rawValue) + 1,
            payload: [payload])
        } else {
          try batch.delete(key(number), in: collection)
        }
      }
    }
    try log.commit(batch)
  }

  /// A rewrite that has carried over records of two collections, and tombstones that hide records
  /// of a segment which is not rewritten.
  private static func mixed(
    _ transformer: Raising?
  ) throws -> (log: Log, rewrite: SegmentRewrite) {
    let log = try open(InMemoryFileSystem(), segmentByteCount: 256 << 10)
    let deleted = count..<(count + deletedCount)
    try put(deleted, 1, log)
    try log.sealActiveSegment()
    let spared = Set(log.pipeline.sealed.map(\.identifier))
    let batch = log.makeBatch()
    for number in deleted { try batch.delete(key(number), in: TestLog.people) }
    try log.commit(batch)
    for start in stride(from: 0, to: count, by: 50) { try commit(start..<(start + 50), 1, log) }
    try log.sealActiveSegment()
    let inputs = Set(log.pipeline.sealed.map(\.identifier)).subtracting(spared)
    let rewrite = try log.beginRewrite(of: inputs, transformer: transformer)
    while try rewrite.carryOver() {}
    return (log, rewrite)
  }

  /// What both collections hold when it is published.
  private static func expected(
    _ collection: CollectionIdentifier, _ change: Change, replacedCount: Int, isRaised: Bool
  ) -> [[UInt8]: [UInt8]] {
    var expected: [[UInt8]: [UInt8]] = [:]
    for number in numbers(0..<count, of: collection) {
      let key = key(number)
      if number < replacedCount {
        expected[key] = change == .deleted ? nil : [2]
      } else if !isRaised {
        expected[key] = [1]
      } else if !Raising.drops(key) {
        expected[key] = Raising.payload
      }
    }
    return expected
  }

  @Test(
    "P5: totals are exact whatever the inputs hold, and whatever a rewrite and others make of it",
    arguments: Change.allCases, [100, 860])
  func mixedInputs(change: Change, replacedCount: Int) throws {
    for transformer in [nil, Raising()] as [Raising?] {
      let (log, rewrite) = try Self.mixed(transformer)
      for start in stride(from: 0, to: replacedCount, by: 20) {
        try Self.commit(start..<(start + 20), change == .deleted ? nil : 2, log)
      }
      _ = log.liveByVersion
      #expect(log.pipeline.watch?.isOverfull == (replacedCount == 860))
      try rewrite.publish()
      #expect(rewrite.tombstones.keptCount == UInt64(Self.deletedCount))
      let isRaised = transformer != nil
      try Self.expectExactTotals(log, "\(change), raised: \(isRaised)")
      for collection in Self.collections {
        let found = try TestLog.contents(log.snapshot().records(in: collection))
        let expected = Self.expected(
          collection, change, replacedCount: replacedCount, isRaised: isRaised)
        let isRight = found == expected
        #expect(isRight, "\(change), raised: \(isRaised)")
      }
      try log.close()
    }
  }

  @Test("P5: the same when a transaction replaced it in segments of its own")
  func largeTransactions() throws {
    let (log, rewrite) = try Self.begun()
    try Self.transact(0..<800, log)
    let watch = try #require(log.pipeline.watch)
    #expect(watch.isOverfull && watch.superseded.isEmpty)
    try rewrite.publish()
    try Self.expectExactTotals(log, "after a large transaction")
    try Self.expectContents(log, count: Self.count, replacedCount: 800, new: 2)
    try log.close()
  }

  /// Gives records payload 2 in a transaction that is written to segments of its own.
  private static func transact(_ numbers: Range<Int>, _ log: Log) throws {
    try log.transact { transaction in
      for number in numbers {
        try transaction.put(Self.key(number), in: TestLog.people, schemaVersion: 0, payload: [2])
      }
    }
  }

  /// What happens when a file is opened.
  private struct Hook {
    var file: FileName?
    var action: (@Sendable () throws(FileIOError) -> Void)?

    func wanted(at call: ObservedFileSystem.Call) -> (@Sendable () throws(FileIOError) -> Void)? {
      guard case .open(let name) = call, name == file else { return nil }
      return action
    }
  }

  /// A log with so many records in one segment, and a rewrite that has carried them over to a file
  /// which is not open for reading; 1100 are replaced.
  private static func replaced(
    tailByteCount: Int = 2000, count: Int = 1500
  ) throws -> (log: Log, rewrite: SegmentRewrite, hook: Lock<Hook>) {
    let hook = Lock(Hook())
    let fileSystem = ObservedFileSystem(InMemoryFileSystem()) { call throws(FileIOError) in
      let action = hook.withLock { hook in hook.wanted(at: call) }
      try action?()
    }
    let log = try open(fileSystem)
    try put(0..<count, 1, log, tailByteCount: tailByteCount)
    try log.sealActiveSegment()
    let rewrite = try carriedOver(log)
    try #require(rewrite.outputByteCount > 0)
    let output = SegmentIdentifier(log.pipeline.manifest.nextSegment - 1)
    hook.withLock { hook in hook.file = StoreDirectory.segment(output) }
    try put(0..<1100, 2, log, tailByteCount: tailByteCount)
    return (log, rewrite, hook)
  }

  @Test(
    "Outputs are opened, and much that was replaced is looked up in them, while others commit",
    arguments: [0, 2000])
  func othersCommit(tailByteCount: Int) throws {
    let (log, rewrite, hook) = try Self.replaced(tailByteCount: tailByteCount)
    let haveLock = Lock<[Bool]>([])
    let action: @Sendable () throws(FileIOError) -> Void = {
      let hasLock = log.pipeline.isEnteredHere
      let isFirst = haveLock.withLock { haveLock in
        haveLock.append(hasLock)
        return haveLock.count == 1
      }
      guard isFirst, !hasLock else { return }
      do throws(LogError) {
        try Self.put(1100..<1300, 2, log, tailByteCount: tailByteCount)
      } catch { Issue.record("\(error)") }
    }
    hook.withLock { hook in hook.action = action }
    try rewrite.publish()
    hook.withLock { hook in hook.action = nil }
    let openings = haveLock.withLock { haveLock in haveLock }
    #expect(openings.first == false && !openings.contains(true))
    try Self.expectExactTotals(log, "after commits beside the publication")
    try Self.expectContents(
      log, count: 1500, replacedCount: 1300, new: 2, tailByteCount: tailByteCount)
    try log.close()
  }

  @Test(
    "P5: each time that all is counted anew, twice as much may be replaced before the next time",
    arguments: [600, 1100], [false, true])
  func notesGrow(laterCount: Int, isTransaction: Bool) throws {
    let (log, rewrite, hook) = try Self.replaced(count: 2300)
    #expect(rewrite.watch.byteCountMaximum == 1 << 20 && rewrite.watch.isOverfull)
    let later = 1100..<(1100 + laterCount)
    let isCounting = Lock(false)
    let action: @Sendable () throws(FileIOError) -> Void = {
      let wasCounting = isCounting.withLock { isCounting in
        defer { isCounting = true }
        return isCounting
      }
      if wasCounting { return }
      do {
        if isTransaction { try Self.transact(later, log) } else { try Self.put(later, 2, log) }
      } catch { Issue.record("\(error)") }
    }
    hook.withLock { hook in hook.action = action }
    try rewrite.publish()
    hook.withLock { hook in hook.action = nil }
    let hasCounted = isCounting.withLock { isCounting in isCounting }
    #expect(hasCounted)
    // Two MiB are enough for notes of a thousand such keys, and one is not for 600.
    #expect(rewrite.watch.byteCountMaximum == (laterCount == 600 ? 2 << 20 : 4 << 20))
    try Self.expectExactTotals(log, "after \(laterCount) more")
    try Self.expectContents(log, count: 2300, replacedCount: later.upperBound, new: 2)
    try log.close()
  }

  @Test(
    "A rewrite whose output cannot be read is not published, and nothing is counted twice",
    arguments: [0, 2000])
  func unreadableOutputs(tailByteCount: Int) throws {
    let (log, rewrite, hook) = try Self.replaced(tailByteCount: tailByteCount)
    let action: @Sendable () throws(FileIOError) -> Void = { () throws(FileIOError) in
      throw FileIOError(.ioError, operation: "open", path: "/store")
    }
    hook.withLock { hook in hook.action = action }
    #expect(throws: LogError.self) { try rewrite.publish() }
    hook.withLock { hook in hook.action = nil }
    #expect(throws: LogError.self) { try rewrite.publish() }
    rewrite.cancel()
    try Self.expectExactTotals(log, "after a failed publication")
    try Self.carriedOver(log).publish()
    try Self.expectExactTotals(log, "after another one")
    try Self.expectContents(
      log, count: 1500, replacedCount: 1100, new: 2, tailByteCount: tailByteCount)
    try log.close()
  }
}
