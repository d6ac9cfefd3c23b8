import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

@Suite("Indexes that were not merged, as runs of them were mostly empty, are tried again with more")
struct SparedIndexTests {
  /// Four keys of each of these make too few for the pages that they take, seventeen enough.
  private static let collections = UInt32(1000)..<2300

  private static func open(
    _ fileSystem: any FileSystem, _ maintenance: LogConfiguration.Maintenance
  ) throws -> Log {
    var configuration = TestLog.configuration
    configuration.maintenance = maintenance
    configuration.segmentByteCountMinimum = 64 << 20
    configuration.segmentByteCountMaximum = 64 << 20
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  /// A segment for each round, with a key more in each collection.
  private static func put(
    _ rounds: Range<Int>, _ log: Log, in collections: Range<UInt32> = SparedIndexTests.collections
  ) throws {
    for round in rounds {
      let batch = log.makeBatch()
      for collection in collections {
        try batch.put(
          TestLog.key(round), in: CollectionIdentifier(collection), schemaVersion: 0,
          payload: [UInt8(round)])
      }
      try log.commit(batch)
      try log.sealActiveSegment()
    }
  }

  private static func expect(_ log: Log, _ rounds: Range<Int>) throws {
    let snapshot = log.snapshot()
    for collection in stride(from: collections.lowerBound, to: collections.upperBound, by: 13) {
      for round in rounds {
        let found = try snapshot.record(
          for: TestLog.key(round), in: CollectionIdentifier(collection))
        guard found?.payload == [UInt8(round)] else {
          throw CaseFailure("key \(round) of \(collection)")
        }
      }
    }
  }

  private static func sourceCount(_ log: Log) throws -> Int {
    try log.snapshot().view().beneath.sources.count
  }

  /// Merges that were begun and did not become a run.
  private static func refusedCount(_ log: Log) throws -> UInt64 {
    let statistics = try log.statistics()
    log.pipeline.enter("a test")
    defer { log.pipeline.leave() }
    return UInt64(log.pipeline.manifest.nextSegment) - UInt64(statistics.segments.count)
      - statistics.activity.mergeCount
  }

  /// Of an index that says that it has so many keys.
  private static func source(_ number: UInt32, keyCount: UInt64) throws -> SealedIndex.Source {
    let descriptor = RunDescriptor(
      identifier: RunIdentifier(number), salt: 0, byteCount: 0, keyCount: keyCount, segments: [])
    let directory = try InMemoryFileSystem().openDirectory(at: "/store", create: true)
    let run = MergedRun(descriptor, in: directory, readMode: .mapped)
    return .merged(RunCoverage(run, of: SegmentTable([]) { $0.identifier }))
  }

  @Test("Indexes that say that they have no keys are not tried again and again")
  func emptyAreNotTriedAgain() throws {
    let sources = try [UInt32(1), 2].map { try Self.source($0, keyCount: 0) }
    var spared = SparedIndexes()
    spared.add(sparse: [1, 2], of: sources)
    spared.forgetSparse(ifGrownIn: sources)
    #expect(spared.numbers == Set<UInt32>([1, 2]))
  }

  @Test("Those that were merged without the sparse ones do not count when they are gone")
  func denseDoNotCount() throws {
    var left = try (UInt32(1)...40).map { try Self.source($0, keyCount: 1000) }
    let dense = try (UInt32(41)...44).map { try Self.source($0, keyCount: 100_000) }
    var spared = SparedIndexes()
    let numbers = Set(left.map(\.fileNumber))
    spared.add(sparse: numbers, of: left)
    left.append(try Self.source(45, keyCount: 1000))
    spared.add(sparse: [45], of: dense + left.suffix(1))
    spared.forgetSparse(ifGrownIn: left)
    #expect(spared.numbers == numbers.union([45]))
  }

  @Test("Who asks for one index has all tried that were left out before")
  func triedWhenAsked() throws {
    let fileSystem = InMemoryFileSystem()
    let log = try Self.open(fileSystem, .none)
    try Self.put(0..<4, log)
    try log.mergeIndexes()
    #expect(try Self.sourceCount(log) == 4)
    try Self.put(4..<17, log)
    try log.mergeIndexes()
    #expect(try Self.sourceCount(log) == 1)
    try Self.expect(log, 0..<17)
    try log.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
  }

  @Test("As segments come they are tried again when they have four times the keys, and not before")
  func triedWhenGrown() throws {
    let fileSystem = InMemoryFileSystem()
    let log = try Self.open(fileSystem, .inline)
    try Self.put(0..<3, log)
    let before = try Self.refusedCount(log)
    try Self.put(3..<16, log)
    // Four at a time.
    #expect(try Self.refusedCount(log) == before + 4)
    #expect(try Self.sourceCount(log) == 16)
    #expect(try log.statistics().activity.mergeCount == 0)
    try Self.put(16..<17, log)
    #expect(try Self.refusedCount(log) == before + 4)
    #expect(try Self.sourceCount(log) == 1)
    // What comes behind that is measured by itself, and tried again as soon.
    try Self.put(17..<34, log)
    #expect(try Self.refusedCount(log) == before + 8)
    #expect(try Self.sourceCount(log) == 2)
    try Self.expect(log, 0..<34)
    try log.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
  }

  @Test("Those that are gone do not count: what comes is measured by what is left")
  func goneDoNotCount() throws {
    let fileSystem = InMemoryFileSystem()
    let log = try Self.open(fileSystem, .inline)
    // Twice the keys of what comes below: four times these are more than that has.
    try Self.put(0..<4, log, in: 10_000..<12_600)
    #expect(try Self.sourceCount(log) == 4)
    try ManifestRebuildingTests.rewriteAll(log)
    let before = try Self.sourceCount(log)
    try #require(before < 4)
    try Self.put(0..<16, log)
    #expect(try Self.sourceCount(log) == before + 16)
    try Self.put(16..<17, log)
    #expect(try Self.sourceCount(log) == before + 1)
    try Self.expect(log, 0..<17)
    try log.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
  }
}
