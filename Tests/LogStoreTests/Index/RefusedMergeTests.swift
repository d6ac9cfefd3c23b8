import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

@Suite("Indexes that are not merged, because no run takes their keys or only with much room")
struct RefusedMergeTests {
  /// Keys with one hash, all different: what the first eight bytes make of a state of the hash, the
  /// eight at 32 make the same again.
  static func crowdedKey(_ number: Int) -> [UInt8] {
    let (first, second): (UInt64, UInt64) = (0x9E37_79B1_85EB_CA87, 0xC2B2_AE3D_27D4_EB4F)
    let inverseOfSecond: UInt64 = 0x0BA7_9078_168D_4BAF
    let seed = UInt64(TestLog.people.rawValue)
    let sum = seed &+ first &+ second &+ UInt64(number) &* second
    let state = (sum << 31 | sum >> 33) &* first
    let back = (0 &- state) &* inverseOfSecond
    let zeros = [UInt8](repeating: 0, count: 24)
    return bytes(UInt64(number)) + zeros + bytes(back) + zeros
  }

  private static func bytes(_ word: UInt64) -> [UInt8] {
    withUnsafeBytes(of: word.littleEndian) { [UInt8]($0) }
  }

  private static func hash(_ key: [UInt8]) -> UInt64 {
    key.withUnsafeBytes { RunFilter.hash(TestLog.people, $0) }
  }

  /// One commit, in a segment of its own.
  private static func put(
    _ numbers: some Sequence<Int>, _ log: Log, in collection: CollectionIdentifier = TestLog.people,
    key: (Int) -> [UInt8]
  ) throws {
    let batch = log.makeBatch()
    for number in numbers {
      try batch.put(
        key(number), in: collection, schemaVersion: 0, payload: TestLog.payload(number))
    }
    try log.commit(batch)
    try log.sealActiveSegment()
  }

  private static func expected(crowd: Range<Int>, others: Range<Int>) -> [[UInt8]: [UInt8]] {
    var expected = TestLog.expected(others)
    for number in crowd { expected[crowdedKey(number)] = TestLog.payload(number) }
    return expected
  }

  private static func expect(_ log: Log, crowd: Range<Int>, others: Range<Int>) throws {
    let expected = expected(crowd: crowd, others: others)
    #expect(try TestLog.contents(log) == expected)
    let snapshot = log.snapshot()
    for (key, payload) in expected {
      let found = try snapshot.record(for: key, in: TestLog.people)?.payload
      guard found == payload else { throw CaseFailure("key \(key)") }
    }
  }

  private static func sourceCount(_ log: Log) throws -> Int {
    try log.snapshot().view().beneath.sources.count
  }

  /// Each segment and each run that was begun has a number.
  private static func numberCount(_ log: Log) -> UInt64 {
    log.pipeline.enter("a test")
    defer { log.pipeline.leave() }
    return UInt64(log.pipeline.manifest.nextSegment)
  }

  @Test("Keys that were made for it have one hash")
  func keysHaveOneHash() {
    let keys = (0..<700).map(Self.crowdedKey)
    #expect(Set(keys).count == 700)
    #expect(Set(keys.map(Self.hash)).count == 1)
  }

  @Test("A run takes as many keys of one hash as a part has room for, and of more tells at once")
  func crowdIsFound() throws {
    let directory = try InMemoryFileSystem().openDirectory(at: "/store", create: true)
    for count in [600, 1000] {
      let file = try directory.open(
        StoreDirectory.run(RunIdentifier(UInt32(count))), .createNew)
      var builder = MergedRunBuilder(file, salt: 1)
      let keys = (0..<count).map(Self.crowdedKey).sorted { $0.lexicographicallyPrecedes($1) }
      let value = IndexValue(
        sequence: CommitSequence(1), schemaVersion: 0, offset: 0, length: 1, isTombstone: false)
      for key in keys {
        let fits = try key.withUnsafeBytes {
          try builder.append(IndexKey(TestLog.people, $0), value)
        }
        #expect(fits)
      }
      var askedCount = 0
      do throws(MergedRunBuilder.Failure) {
        let summary = try builder.finish {
          askedCount += 1
          return false
        }
        #expect(count == 600 && summary?.keyCount == 600)
      } catch {
        guard count == 1000, case .crowded(let crowd) = error else { throw error }
        #expect(crowd.contains(Self.hash(keys[0])))
        // Once in each pass over the pages, and between two.
        #expect(askedCount <= 4)
      }
    }
  }

  @Test(
    "Indexes with more keys of one hash than a run takes are left out of merges, which is no error",
    arguments: [UInt64(1) << 20, 1000])
  func crowdIsLeftOut(rangeKeyCount: UInt64) throws {
    let fileSystem = InMemoryFileSystem()
    let log = try RangedMergeTests.open(fileSystem, rangeKeyCount: rangeKeyCount)
    for part in 0..<4 {
      try Self.put(stride(from: part, to: 1100, by: 4), log, key: TestLog.key)
    }
    for part in 0..<2 {
      try Self.put(stride(from: part, to: 1000, by: 2), log, key: Self.crowdedKey)
    }
    try log.mergeIndexes()
    #expect(log.pipeline.manifest.runs.contains { $0.bounds.isAll })
    if rangeKeyCount > 1000 { #expect(try Self.sourceCount(log) == 3) }
    try Self.expect(log, crowd: 0..<1000, others: 0..<1100)
    // Nothing is tried again.
    let before = Self.numberCount(log)
    try log.mergeIndexes()
    try log.mergeIndexes(sparingLargest: true)
    #expect(Self.numberCount(log) == before)
    // What comes is merged with the rest.
    let mergeCount = try log.statistics().activity.mergeCount
    try Self.put(1100..<1200, log, key: TestLog.key)
    try log.mergeIndexes()
    #expect(try log.statistics().activity.mergeCount == mergeCount + 1)
    try Self.expect(log, crowd: 0..<1000, others: 0..<1200)
    try log.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
  }

  @Test("In a merge by ranges only keys of the range tell which indexes have the crowd")
  func crowdOfRange() throws {
    let fileSystem = InMemoryFileSystem()
    let log = try RangedMergeTests.open(fileSystem, rangeKeyCount: 1000)
    // They lie behind the first range, which has all of the crowd: a part of its run has a few
    // keys of a thousand, but would have hundreds of all these.
    let others = CollectionIdentifier(TestLog.people.rawValue + 1)
    for part in 0..<4 {
      try Self.put(stride(from: part, to: 16_000, by: 4), log, in: others, key: TestLog.key)
    }
    for part in 0..<2 {
      try Self.put(stride(from: part, to: 1000, by: 2), log, key: Self.crowdedKey)
    }
    try log.mergeIndexes()
    // No run of a range has keys of them: so the others are merged by ranges still.
    let runs = log.pipeline.manifest.runs
    #expect(runs.count > 4 && runs.allSatisfy { !$0.bounds.isAll })
    #expect(try Self.sourceCount(log) == runs.count + 2)
    #expect(runs.reduce(0) { $0 + $1.keyCount } == 16_000)
    try Self.expect(log, crowd: 0..<1000, others: 0..<0)
    let snapshot = log.snapshot()
    for number in stride(from: 0, to: 16_000, by: 999) {
      let found = try snapshot.record(for: TestLog.key(number), in: others)
      #expect(found?.payload == TestLog.payload(number))
    }
    try log.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
  }

  /// Merges that were begun and did not become a run.
  private static func refusedCount(_ log: Log) throws -> UInt64 {
    let statistics = try log.statistics()
    return numberCount(log) - UInt64(statistics.segments.count) - statistics.activity.mergeCount
  }

  @Test("Merging as segments come does not try what was refused again, and goes on with the others")
  func refusedOnceAsSegmentsCome() throws {
    var configuration = TestLog.configuration
    configuration.segmentByteCountMinimum = 64 << 20
    configuration.segmentByteCountMaximum = 64 << 20
    let log = try Log.open(
      at: "/store", configuration: configuration, fileSystem: InMemoryFileSystem())
    for part in 0..<3 {
      try Self.put(stride(from: part, to: 1000, by: 4), log, key: Self.crowdedKey)
    }
    let before = try Self.refusedCount(log)
    try Self.put(stride(from: 3, to: 1000, by: 4), log, key: Self.crowdedKey)
    #expect(try Self.refusedCount(log) == before + 1)
    #expect(try log.statistics().activity.mergeCount == 0)
    for part in 0..<4 {
      try Self.put(stride(from: part, to: 400, by: 4), log, key: TestLog.key)
    }
    #expect(try Self.refusedCount(log) == before + 1)
    #expect(try log.statistics().activity.mergeCount == 1)
    try Self.expect(log, crowd: 0..<1000, others: 0..<400)
    try log.close()
  }

  private static func wait(for condition: () throws -> Bool) rethrows -> Bool {
    let end = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < end {
      if try condition() { return true }
    }
    return false
  }

  @Test("Merging in the background leaves the crowd out, and tries nothing again")
  func refusedOnceInTheBackground() throws {
    var configuration = TestLog.configuration
    configuration.segmentByteCountMinimum = 64 << 20
    configuration.segmentByteCountMaximum = 64 << 20
    configuration.durability = .process
    configuration.maintenance = .background
    let log = try Log.open(
      at: "/store", configuration: configuration, fileSystem: InMemoryFileSystem())
    // None of these two can be merged with anything.
    for start in [0, 700] { try Self.put(start..<(start + 700), log, key: Self.crowdedKey) }
    for part in 0..<4 {
      try Self.put(stride(from: part, to: 400, by: 4), log, key: TestLog.key)
    }
    #expect(try Self.wait { try Self.sourceCount(log) == 3 })
    let before = Self.numberCount(log)
    try Self.put(400..<500, log, key: TestLog.key)
    // A segment, and the run that it is merged to.
    #expect(
      try Self.wait { try Self.sourceCount(log) == 3 && Self.numberCount(log) == before + 2 })
    try Self.expect(log, crowd: 0..<1400, others: 0..<500)
    try log.close()
  }

  /// A record in each of some collections.
  private static func putOneEach(_ collections: Range<UInt32>, _ log: Log) throws {
    let batch = log.makeBatch()
    for number in collections {
      try batch.put(
        TestLog.key(Int(number)), in: CollectionIdentifier(number), schemaVersion: 0,
        payload: [1])
    }
    try log.commit(batch)
    try log.sealActiveSegment()
  }

  @Test("A merged index of many collections with one record each is made only where it is small")
  func manyCollections() throws {
    let fileSystem = InMemoryFileSystem()
    let log = try RangedMergeTests.open(fileSystem, rangeKeyCount: 1 << 20)
    for start in [UInt32(1000), 1200] { try Self.putOneEach(start..<(start + 200), log) }
    try log.mergeIndexes()
    #expect(try Self.sourceCount(log) == 1)
    for start in [UInt32(2000), 4000] { try Self.putOneEach(start..<(start + 2000), log) }
    try TestLog.put(0..<100, log)
    try log.sealActiveSegment()
    let before = try log.statistics().fileByteCount
    try log.mergeIndexes()
    #expect(try log.statistics().fileByteCount < before + (1 << 20))
    #expect(try Self.sourceCount(log) == 3)
    // Who asks for one index has it tried again, once; others have not.
    let numberCount = Self.numberCount(log)
    try log.mergeIndexes()
    #expect(Self.numberCount(log) == numberCount + 1)
    try log.mergeIndexes(sparingLargest: true)
    #expect(Self.numberCount(log) == numberCount + 1)
    let snapshot = log.snapshot()
    for number in [UInt32(1000), 1399, 2000, 5999] {
      let collection = CollectionIdentifier(number)
      let found = try snapshot.record(for: TestLog.key(Int(number)), in: collection)
      #expect(found?.payload == [1])
    }
    try log.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
  }

  @Test("What all ranges may have of padding one of them may have")
  func rangeOfManyCollections() throws {
    let fileSystem = InMemoryFileSystem()
    let log = try RangedMergeTests.open(fileSystem, rangeKeyCount: 4096)
    for part in 0..<4 {
      try Self.put(stride(from: part, to: 64_000, by: 4), log, key: TestLog.key)
    }
    try Self.putOneEach(1000..<2500, log)
    try log.mergeIndexes()
    let sources = try log.snapshot().view().beneath.sources
    #expect(sources.count > 4 && sources.allSatisfy(\.isRanged))
    try log.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
  }

  @Test("What ranges before have of padding counts, and where no index is sparse most goes")
  func paddingOfRangesBefore() throws {
    let log = try RangedMergeTests.open(InMemoryFileSystem(), rangeKeyCount: 1 << 20)
    let batch = log.makeBatch()
    for number in 0..<1200 {
      try batch.put(
        TestLog.key(number), in: CollectionIdentifier(UInt32(1000 + number % 20)),
        schemaVersion: 0, payload: [1])
    }
    try log.commit(batch)
    try log.sealActiveSegment()
    try Self.put(0..<1000, log, key: TestLog.key)
    var merge = try #require(try RangedMergeTests.beginMerge(log))
    // The newest is the first.
    #expect(merge.sources.count == 2)
    let many = try #require(merge.sources.last?.fileNumber)
    merge.range = RangedMerge(
      lower: nil, firstNewFile: .max, keyCount: 1 << 20, wholeKeyCount: 1 << 20,
      spread: PageSpread(paddingByteCount: 1 << 40))
    do throws(IndexMerge.Failure) {
      _ = try merge.perform(isCancelled: { false })
      Issue.record("a merge with much padding was made")
    } catch {
      guard case .sparse(let numbers) = error else { throw error }
      #expect(numbers == Set([many]))
    }
    try log.close()
  }

  @Test("A run of long keys, of which few fit a page, is not taken for a sparse one")
  func longKeysAreNotSparse() throws {
    let log = try RangedMergeTests.open(InMemoryFileSystem(), rangeKeyCount: 1 << 20)
    for start in [0, 2000] {
      try Self.put(start..<(start + 2000), log) {
        TestLog.key($0) + [UInt8](repeating: 7, count: 950)
      }
    }
    try log.mergeIndexes()
    try #require(try Self.sourceCount(log) == 1)
    for start in [UInt32(1000), 3000] { try Self.putOneEach(start..<(start + 1300), log) }
    try Self.put(0..<100, log, key: TestLog.key)
    try log.mergeIndexes()
    #expect(try Self.sourceCount(log) == 3)
    try log.close()
  }

  /// The index of a segment with a record of each of `keys` takes no more than is planned before
  /// and behind their commit, and more than `least`.
  private static func expectRoom(
    least: UInt64, _ keys: [(CollectionIdentifier, [UInt8])]
  ) throws {
    var configuration = TestLog.configuration
    configuration.maintenance = .none
    configuration.segmentByteCountMinimum = 64 << 20
    configuration.segmentByteCountMaximum = 64 << 20
    let log = try Log.open(
      at: "/store", configuration: configuration, fileSystem: InMemoryFileSystem())
    let batch = log.makeBatch()
    for (collection, key) in keys {
      try batch.put(key, in: collection, schemaVersion: 0, payload: [1])
    }
    log.pipeline.enter("a test")
    let request = CommitRequest(batch, durability: .full)
    let plannedBefore = log.pipeline.compactionRoom(behind: [request]).indexByteCount
    log.pipeline.leave()
    try log.commit(batch)
    log.pipeline.enter("a test")
    let planned = log.pipeline.compactionRoom(behind: []).indexByteCount
    log.pipeline.leave()
    try log.sealActiveSegment()
    let segments = try log.snapshot().view().beneath.segments
    let taken = try #require(try segments.first?.run().header.runByteCount)
    #expect(taken > least && planned >= taken, "\(taken) bytes, \(planned) planned")
    #expect(plannedBefore >= taken, "\(taken) bytes, \(plannedBefore) planned before")
    try log.close()
  }

  @Test("The room that an open segment's index is to have is enough for many collections, too")
  func roomOfManyCollections() throws {
    try Self.expectRoom(
      least: 3000 * 60,
      (1...3000).map { (CollectionIdentifier(UInt32($0)), TestLog.key($0)) })
  }

  @Test("The room that an open segment's index is to have is enough for a few long keys, too")
  func roomOfLongKeys() throws {
    // One of 4000 bytes behind some 67 of 16.
    try Self.expectRoom(
      least: 2 << 20,
      (0..<20_300).map { number in
        let count = number % 67 == 66 && number < 20_100 ? 3992 : 8
        return (TestLog.people, TestLog.key(number) + [UInt8](repeating: 7, count: count))
      })
  }

  @Test("The room is enough where pages end for the next key is long", arguments: [1992, 992, 96])
  func roomOfUnequalKeys(shorter: Int) throws {
    try Self.expectRoom(
      least: 2 << 20,
      (0..<600).map { number in
        let count = number % 2 == 0 ? shorter : 3992
        return (TestLog.people, TestLog.key(number) + [UInt8](repeating: 7, count: count))
      })
  }
}
