import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Few descriptors: every operation works or says what is missing, and nothing is harmed.
@Suite struct OpenFileTests {
  static func open(
    _ fileSystem: any FileSystem, _ readMode: LogConfiguration.ReadMode, openFileMaximum: Int
  ) throws(LogError) -> Log {
    var configuration = TestLog.configuration
    configuration.readMode = readMode
    configuration.openFileMaximum = openFileMaximum
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  /// A closed store of `count` segments of ten records each.
  static func make(_ count: Int, _ fileSystem: any FileSystem) throws {
    let log = try TestLog.open(fileSystem, durability: .process)
    for start in 0..<count {
      try TestLog.put((start * 10)..<(start * 10 + 10), log)
      try log.sealActiveSegment()
    }
    try log.close()
  }

  @Test("P12: a store of 500 segments is read, written, compacted and verified with 16 open files")
  func manySegments() throws {
    let fileSystem = LimitedFileSystem(InMemoryFileSystem())
    try Self.make(500, fileSystem)
    for readMode in [LogConfiguration.ReadMode.mapped, .buffered] {
      fileSystem.resetPeak()
      fileSystem.setLimit(22)
      let log = try Self.open(fileSystem, readMode, openFileMaximum: 16)
      #expect(try TestLog.contents(log) == TestLog.expected(0..<5000))
      for number in stride(from: 0, to: 5000, by: 7) {
        let record = try log.snapshot().record(for: TestLog.key(number), in: TestLog.people)
        #expect(record?.payload == TestLog.payload(number))
      }
      #expect(fileSystem.openCount <= (readMode == .mapped ? 2 : 18))
      try TestLog.put(0..<10, log)
      try TestLog.delete(10..<20, log)
      try TestLog.put(10..<20, log)
      let sealed = try log.statistics().segments.filter { !$0.isActive }.prefix(40)
      let rewrite = try log.beginRewrite(of: Set(sealed.map(\.identifier)))
      while let record = try rewrite.next() { try rewrite.keep(record) }
      try rewrite.publish()
      #expect(try TestLog.contents(log) == TestLog.expected(0..<5000))
      try log.close()
      #expect(fileSystem.peak <= 22)
      fileSystem.setLimit(Int.max)
    }
    fileSystem.setLimit(OpenFileBudget.maximumByDefault + 6)
    let report = try LogVerifier.verify("/store", fileSystem: fileSystem)
    #expect(report.isIntact, "\(report)")
  }

  @Test("P12: snapshots that outlive many segments hold no descriptor for each")
  func snapshotsHoldNoDescriptors() throws {
    let fileSystem = LimitedFileSystem(InMemoryFileSystem())
    let log = try Self.open(fileSystem, .mapped, openFileMaximum: 4)
    var snapshots: [Snapshot] = []
    for number in 0..<50 {
      try TestLog.put([number], log)
      snapshots.append(log.snapshot())
      try log.sealActiveSegment()
    }
    for (number, snapshot) in snapshots.enumerated() {
      #expect(try snapshot.record(for: TestLog.key(number), in: TestLog.people) != nil)
      #expect(try snapshot.record(for: TestLog.key(number + 1), in: TestLog.people) == nil)
    }
    #expect(fileSystem.openCount <= 6)
  }

  @Test("P12: a snapshot from before a segment was sealed reads it after compaction replaced it")
  func snapshotsOutliveCompaction() throws {
    let base = InMemoryFileSystem()
    let log = try Self.open(base, .buffered, openFileMaximum: 1)
    try TestLog.put(0..<5, log)
    var snapshot: Snapshot? = log.snapshot()
    for start in [5, 10] {
      try log.sealActiveSegment()
      try TestLog.put(start..<(start + 5), log)
    }
    try log.sealActiveSegment()
    let sealed = try log.statistics().segments.map(\.identifier)
    let rewrite = try log.beginRewrite(of: Set(sealed))
    while let record = try rewrite.next() { try rewrite.keep(record) }
    try rewrite.publish()
    rewrite.cancel()
    #expect(try TestLog.contents(log).count == 15)
    #expect(try snapshot?.record(for: TestLog.key(3), in: TestLog.people) != nil)
    let names = try base.openDirectory(at: "/store", create: false).list()
    #expect(names.contains(StoreDirectory.segment(SegmentIdentifier(1)).description))
    snapshot = nil
    #expect(try base.openDirectory(at: "/store", create: false).list().count == 2)
  }

  @Test(
    "P12: a reader beside a writer reads on what the writer removes, on a real disk",
    arguments: [LogConfiguration.ReadMode.mapped, .buffered])
  func besideAWriter(readMode: LogConfiguration.ReadMode) throws {
    let temporary = try TemporaryDirectory()
    let path = temporary.path + "/store"
    var configuration = TestLog.configuration
    configuration.durability = .process
    let writer = try Log.open(at: path, configuration: configuration)
    for start in 0..<20 {
      try TestLog.put((start * 10)..<(start * 10 + 10), writer)
      try writer.sealActiveSegment()
    }
    // Not synchronized: the reader does that.
    try TestLog.put(200..<210, writer)
    configuration.access = .readOnly
    configuration.durability = .full
    configuration.readMode = readMode
    configuration.openFileMaximum = 2
    let reader = try Log.open(at: path, configuration: configuration)
    try #require(reader.isBesideWriter)
    try writer.sealActiveSegment()
    let sealed = try writer.statistics().segments.map(\.identifier)
    let rewrite = try writer.beginRewrite(of: Set(sealed))
    while let record = try rewrite.next() { try rewrite.keep(record) }
    try rewrite.publish()
    #expect(try TestLog.contents(reader) == TestLog.expected(0..<210))
    try reader.close()
    try writer.close()
  }

  /// Everything that can be asked of a store; the first error ends it.
  private func useAll(
    _ fileSystem: any FileSystem, _ readMode: LogConfiguration.ReadMode
  ) throws(LogError) {
    let log = try Self.open(fileSystem, readMode, openFileMaximum: 8)
    try use(log)
    try log.close()
    _ = try LogVerifier.verify("/store", fileSystem: fileSystem)
  }

  private func use(_ log: Log) throws(LogError) {
    _ = try TestLog.contents(log)
    try TestLog.put(0..<40, log)
    try TestLog.delete([1000, 1001], log)
    try log.synchronize()
    let segments = try log.statistics().segments.prefix(5).map(\.identifier)
    let rewrite = try log.beginRewrite(of: Set(segments))
    while let record = try rewrite.next() { try rewrite.keep(record) }
    try rewrite.publish()
    _ = try TestLog.contents(log)
    try log.sealActiveSegment()
  }

  @Test(
    "P12: with 1 to 40 descriptors each operation succeeds or names the limit; nothing is lost",
    arguments: [LogConfiguration.ReadMode.mapped, .buffered])
  func fewDescriptors(readMode: LogConfiguration.ReadMode) throws {
    var enough: Int?
    for limit in 1...40 {
      let fileSystem = LimitedFileSystem(InMemoryFileSystem())
      try Self.make(30, fileSystem)
      fileSystem.setLimit(limit)
      do {
        try useAll(fileSystem, readMode)
        if enough == nil { enough = limit }
      } catch {
        guard case .fileIO(let cause) = error else { throw error }
        #expect(cause.reason == .tooManyOpenFiles(limit: UInt64(limit)))
        #expect("\(error)".contains("\(limit)"))
        #expect(enough == nil, "\(limit) descriptors are too few, \(enough ?? 0) were enough")
      }
      fileSystem.setLimit(Int.max)
      let log = try Self.open(fileSystem, readMode, openFileMaximum: 8)
      #expect(try TestLog.contents(log) == TestLog.expected(0..<300), "limit \(limit)")
      try use(log)
      try log.close()
      #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
    }
    #expect(try #require(enough) <= 6)
  }

  @Test(
    "P12: an operation that met the limit succeeds on the same handle when there is room again",
    arguments: [LogConfiguration.ReadMode.mapped, .buffered])
  func theHandleGoesOn(readMode: LogConfiguration.ReadMode) throws {
    let fileSystem = LimitedFileSystem(InMemoryFileSystem())
    try Self.make(30, fileSystem)
    for limit in 2...8 {
      let log = try Self.open(fileSystem, readMode, openFileMaximum: 8)
      fileSystem.setLimit(limit)
      for _ in 0..<2 {
        do throws(LogError) { try use(log) } catch {
          guard case .fileIO(let cause) = error else { throw error }
          #expect(cause.reason == .tooManyOpenFiles(limit: UInt64(limit)))
        }
      }
      fileSystem.setLimit(Int.max)
      try use(log)
      #expect(try TestLog.contents(log) == TestLog.expected(0..<300), "limit \(limit)")
      try log.close()
    }
  }
}
