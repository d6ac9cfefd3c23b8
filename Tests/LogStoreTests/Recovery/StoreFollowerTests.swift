import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Reading a store while another handle writes it.
@Suite struct StoreFollowerTests {
  private static func follow(
    _ fileSystem: any FileSystem, at path: String = "/store", durability: Durability = .full,
    readMode: LogConfiguration.ReadMode = .mapped
  ) throws -> Log {
    var configuration = TestLog.configuration
    configuration.access = .readOnly
    configuration.durability = durability
    configuration.readMode = readMode
    return try Log.open(at: path, configuration: configuration, fileSystem: fileSystem)
  }

  @Test("a reader beside a writer shows what was committed, and the newest after a refresh")
  func showsWhatWasCommitted() throws {
    let fileSystem = InMemoryFileSystem()
    let writer = try TestLog.open(fileSystem)
    try TestLog.put(0..<10, writer)
    let reader = try Self.follow(fileSystem)
    #expect(reader.isBesideWriter)
    #expect(!writer.isBesideWriter)
    #expect(try TestLog.contents(reader) == TestLog.expected(0..<10))
    try TestLog.put(10..<12, writer)
    #expect(try TestLog.contents(reader) == TestLog.expected(0..<10))
    let before = reader.snapshot()
    #expect(try reader.refresh() == writer.snapshot().lastSequence)
    #expect(try TestLog.contents(reader) == TestLog.expected(0..<12))
    #expect(try reader.statistics().live.recordCount == 12)
    #expect(try before.record(for: TestLog.key(11), in: TestLog.people) == nil)
    #expect(throws: LogError.readOnly) { try TestLog.put([1], reader) }
    try reader.close()
    #expect(throws: LogError.closed) { try reader.refresh() }
    try TestLog.put([50], writer)
    try writer.close()
  }

  @Test(
    "what a reader shows stays readable when the writer compacts it away",
    arguments: [LogConfiguration.ReadMode.mapped, .buffered])
  func compactionTakesNothingAway(readMode: LogConfiguration.ReadMode) throws {
    let fileSystem = SimulatedFileSystem()
    let writer = try TestLog.open(fileSystem)
    for start in 0..<10 { try TestLog.put((start * 10)..<(start * 10 + 15), writer) }
    let reader = try Self.follow(fileSystem, readMode: readMode)
    let snapshot = reader.snapshot()
    let files = Set(fileSystem.snapshotOfFiles(in: "/store").keys)
    try writer.sealActiveSegment()
    try ManifestRebuildingTests.rewriteAll(writer)
    try TestLog.delete(0..<50, writer)
    try writer.sealActiveSegment()
    try ManifestRebuildingTests.rewriteAll(writer)
    let left = Set(fileSystem.snapshotOfFiles(in: "/store").keys)
    #expect(files.intersection(left) == ["MANIFEST"])
    #expect(try TestLog.contents(reader) == TestLog.expected(0..<105))
    try reader.refresh()
    #expect(try TestLog.contents(reader) == TestLog.expected(50..<105))
    #expect(try snapshot.record(for: TestLog.key(3), in: TestLog.people) != nil)
    try writer.close()
    try reader.refresh()
    #expect(try TestLog.contents(reader) == TestLog.expected(50..<105))
  }

  @Test(
    "what cannot be mapped stays readable, too, however few files may be open",
    arguments: [true, false])
  func unmappable(isAlone: Bool) throws {
    let fileSystem = SimulatedFileSystem()
    var writer = try TestLog.open(fileSystem)
    for start in 0..<10 { try TestLog.put((start * 10)..<(start * 10 + 15), writer) }
    if isAlone { try writer.close() } else { try writer.sealActiveSegment() }
    fileSystem.setFaults([
      FaultPlan(operation: 1, .fail(.other(code: 12)), isPermanent: true, kinds: [.map])
    ])
    var configuration = TestLog.configuration
    configuration.access = .readOnly
    configuration.admitsWriters = isAlone
    configuration.openFileMaximum = 1
    let reader = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    let snapshot = reader.snapshot()
    if isAlone { writer = try TestLog.open(fileSystem) }
    try TestLog.delete(0..<50, writer)
    try writer.sealActiveSegment()
    try ManifestRebuildingTests.rewriteAll(writer)
    #expect(try TestLog.contents(snapshot.records(in: TestLog.people)) == TestLog.expected(0..<105))
    try reader.refresh()
    #expect(try TestLog.contents(reader) == TestLog.expected(50..<105))
    #expect(try snapshot.record(for: TestLog.key(3), in: TestLog.people) != nil)
    #expect(fileSystem.firedFaultCount > 0)
    try writer.close()
  }

  @Test("reading beside a writer changes no byte, and hinders neither the writer nor the next one")
  func hindersNobody() throws {
    let fileSystem = SimulatedFileSystem()
    let writer = try TestLog.open(fileSystem)
    try TestLog.put(0..<30, writer)
    let before = fileSystem.snapshotOfFiles(in: "/store")
    let reader = try Self.follow(fileSystem)
    #expect(try TestLog.contents(reader).count == 30)
    #expect(fileSystem.snapshotOfFiles(in: "/store") == before)
    try writer.close()
    let next = try TestLog.open(fileSystem)
    try TestLog.put(30..<40, next)
    try reader.refresh()
    #expect(try TestLog.contents(reader) == TestLog.expected(0..<40))
  }

  @Test("what is shown with full durability survives the loss of power; a half commit is the end")
  func shownCommitsSurvive() throws {
    for durability in [Durability.full, .process] {
      let fileSystem = SimulatedFileSystem()
      let writer = try TestLog.open(fileSystem, durability: .process)
      for number in 0..<5 { try TestLog.put([number], writer) }
      let reader = try Self.follow(fileSystem, durability: durability)
      #expect(try TestLog.contents(reader) == TestLog.expected(0..<5))
      let lost = fileSystem.crashPoint().choices(exhaustiveUnitCount: 0, randomCount: 0)[1]
      let survivor = try TestLog.open(fileSystem.afterCrash(lost))
      #expect(try TestLog.contents(survivor).count == (durability == .full ? 5 : 0))
      // A frame that is being written: all but its last bytes.
      let name = try #require(
        fileSystem.snapshotOfFiles(in: "/store").keys.first { $0.hasPrefix("segment") })
      try TestLog.put([5], writer)
      let end = try Int(writer.statistics().byteCount)
      fileSystem.overwrite(name, in: "/store", at: end - 20, with: [UInt8](repeating: 0, count: 20))
      try reader.refresh()
      #expect(try TestLog.contents(reader) == TestLog.expected(0..<5))
      #expect(try TestLog.contents(Self.follow(fileSystem)) == TestLog.expected(0..<5))
    }
  }

  @Test("P8: durable bytes that have changed are reported beside a writer too")
  func rotIsReported() throws {
    let fileSystem = SimulatedFileSystem()
    let writer = try TestLog.open(fileSystem)
    for number in 0..<5 { try TestLog.put([number], writer) }
    let name = try #require(
      fileSystem.snapshotOfFiles(in: "/store").keys.first { $0.hasPrefix("segment") })
    fileSystem.flipBit(0, of: name, in: "/store", at: 200)
    do {
      _ = try Self.follow(fileSystem)
      Issue.record("it was opened")
    } catch LogError.corruption(let report) {
      #expect(report.file == name)
    }
    withExtendedLifetime(writer) {}
  }

  @Test("a manifest that was rebuilt and not yet replaced is rebuilt by a reader too")
  func aRebuiltManifestIsFollowed() throws {
    let fileSystem = try ManifestRebuildingTests.store(.compacted)
    let expected = try TestLog.contents(TestLog.open(fileSystem, access: .readOnly))
    fileSystem.removeFile("MANIFEST", in: "/store")
    let writer = try TestLog.open(fileSystem)
    let reader = try Self.follow(fileSystem)
    #expect(try TestLog.contents(reader) == expected)
    try TestLog.put([99], writer)
    try reader.refresh()
    #expect(try TestLog.contents(reader).count == expected.count + 1)
  }

  @Test("damage that stays is believed after few readings of the store")
  func damageIsBelieved() throws {
    let fileSystem = try ManifestRebuildingTests.store(.compacted)
    let segments = fileSystem.snapshotOfFiles(in: "/store").filter { $0.key.hasPrefix("segment") }
    let writer = try TestLog.open(fileSystem)
    fileSystem.flipBit(0, of: "MANIFEST", in: "/store", at: 60)
    for name in segments.keys { fileSystem.flipBit(0, of: name, in: "/store", at: 200) }
    let alone = SimulatedFileSystem(files: fileSystem.snapshotOfFiles(in: "/store"), in: "/store")
    #expect(throws: LogError.self) { try TestLog.open(alone, access: .readOnly) }
    let once = alone.readByteCount
    let before = fileSystem.readByteCount
    #expect(throws: LogError.self) { try Self.follow(fileSystem) }
    let count = fileSystem.readByteCount - before
    #expect(2 * once < count && count < 8 * once, "\(count) bytes, one opening: \(once)")
    withExtendedLifetime(writer) {}
  }

  /// The history that the stress writes: commit `number` puts one key and deletes another.
  private struct History {
    /// The contents after each sequence that ends a commit.
    private(set) var states: [UInt64: [[UInt8]: [UInt8]]] = [0: [:]]

    static func batch(_ number: Int, _ log: Log) throws -> WriteBatch {
      let batch = log.makeBatch()
      try batch.put(
        TestLog.key(number % 60), in: TestLog.people, schemaVersion: 0,
        payload: TestLog.payload(number))
      if number % 3 == 0 { try batch.delete(TestLog.key((number + 30) % 60), in: TestLog.people) }
      return batch
    }

    init(commitCount: Int) {
      var contents: [[UInt8]: [UInt8]] = [:]
      var sequence: UInt64 = 0
      for number in 0..<commitCount {
        contents[TestLog.key(number % 60)] = TestLog.payload(number)
        sequence += 1
        if number % 3 == 0 {
          contents[TestLog.key((number + 30) % 60)] = nil
          sequence += 1
        }
        states[sequence] = contents
      }
    }
  }

  @Test(
    "readers beside a writer that commits, seals and compacts always see a prefix",
    arguments: [LogConfiguration.ReadMode.mapped, .buffered])
  func readersSeePrefixes(readMode: LogConfiguration.ReadMode) throws {
    let commitCount = 1500
    let directory = try TemporaryDirectory()
    let path = "\(directory.path)/store"
    let history = History(commitCount: commitCount)
    let writer = try Log.open(at: path, configuration: TestLog.configuration)
    let progress = Lock((done: false, acknowledged: UInt64(0), checks: 0))
    let failures = Threads.run(4) { thread in
      if thread == 0 {
        defer { progress.withLock { $0.done = true } }
        for number in 0..<commitCount {
          let sequence = try writer.commit(
            History.batch(number, writer), durability: number % 8 == 0 ? .full : .process)
          progress.withLock { $0.acknowledged = sequence.rawValue }
          if number % 25 == 24 { try writer.sealActiveSegment() }
          if number % 50 == 49 { try ManifestRebuildingTests.rewriteAll(writer) }
        }
        return
      }
      var log: Log?
      var last: UInt64 = 0
      while !progress.withLock({ $0.done }) {
        let promised = progress.withLock { $0.acknowledged }
        if thread == 3, let log {
          try log.refresh()
        } else {
          log = try Self.follow(
            POSIXFileSystem(), at: path, durability: thread == 1 ? .full : .process,
            readMode: readMode)
        }
        guard let log else { return }
        let snapshot = log.snapshot()
        let sequence = snapshot.lastSequence.rawValue
        guard sequence >= promised, sequence >= last else {
          throw CaseFailure("shows \(sequence) after \(last), \(promised) were acknowledged")
        }
        guard let expected = history.states[sequence] else {
          throw CaseFailure("shows \(sequence), in the middle of a commit")
        }
        guard try TestLog.contents(log) == expected else {
          throw CaseFailure("other contents at \(sequence)")
        }
        last = sequence
        progress.withLock { $0.checks += 1 }
      }
    }
    #expect(failures == [])
    let checks = progress.withLock { $0.checks }
    print("\(readMode): \(checks) states were read beside the writer")
    #expect(checks > 10)
    try writer.close()
  }

  @Test("a refresh makes nothing anew while nothing is new, also when the writer has closed")
  func closedStoresAreKept() throws {
    let fileSystem = InMemoryFileSystem()
    let writer = try TestLog.open(fileSystem)
    for start in 0..<5 {
      try TestLog.put((start * 10)..<(start * 10 + 10), writer)
      try writer.sealActiveSegment()
    }
    try writer.mergeIndexes()
    let reader = try Self.follow(fileSystem)
    try writer.close()
    try reader.refresh()
    let run = try #require(reader.pipeline.runs.first)
    try reader.refresh()
    #expect(reader.pipeline.runs.first === run)
    #expect(try TestLog.contents(reader) == TestLog.expected(0..<50))
    let next = try TestLog.open(fileSystem)
    try TestLog.put(50..<60, next)
    try reader.refresh()
    #expect(try TestLog.contents(reader) == TestLog.expected(0..<60))
    try reader.close()
    try next.close()
  }

  @Test("P10: a manifest behind a rebuilt one is made durable, though they have the same number")
  func manifestsBehindRebuiltOnes() throws {
    let base = InMemoryFileSystem()
    let writer = try TestLog.open(base)
    try TestLog.put(0..<10, writer)
    try writer.sealActiveSegment()
    try ManifestRebuildingTests.rewriteAll(writer)
    let count = Lock(0)
    let observed = ObservedFileSystem(base) { call in
      if call == .synchronizeDirectory { count.withLock { count in count += 1 } }
    }
    let reader = try Self.follow(observed)
    try base.openDirectory(at: "/store", create: false).remove(StoreDirectory.manifest)
    try reader.refresh()
    #expect(reader.pipeline.isManifestRebuilt)
    let generation = reader.pipeline.manifest.generation
    try TestLog.put([10], writer)
    count.withLock { count in count = 0 }
    // The second one finds nothing new.
    for _ in 0..<2 {
      try reader.refresh()
      #expect(!reader.pipeline.isManifestRebuilt)
      #expect(reader.pipeline.manifest.generation == generation)
      #expect(count.withLock { count in count } == 1)
    }
    #expect(try TestLog.contents(reader) == TestLog.expected(0..<11))
    try reader.close()
    try writer.close()
  }
}
