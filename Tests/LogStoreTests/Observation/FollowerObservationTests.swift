import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// What a reader beside a writer tells of damage.
@Suite struct FollowerObservationTests {
  typealias Recorder = LogActivityTests.Recorder

  private static func damages(_ recorder: Recorder) -> [CorruptionReport] {
    recorder.events.compactMap { if case .damaged(let report) = $0 { report } else { nil } }
  }

  private static func follow(_ fileSystem: any FileSystem, _ recorder: Recorder) throws -> Log {
    var configuration = TestLog.configuration
    configuration.access = .readOnly
    configuration.observer = recorder
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  private static func segmentNames(_ log: Log) throws -> [FileName] {
    try log.statistics().segments.map { StoreDirectory.segment($0.identifier) }
  }

  @Test("A segment that goes while it is opened is no damage: there is a newer manifest")
  func replacedSegment() throws {
    let base = SimulatedFileSystem()
    let writer = try TestLog.open(base)
    try TestLog.put(0..<20, writer)
    let compacts = Lock(false)
    let observed = ObservedFileSystem(base) { call throws(FileIOError) in
      guard case .open(let name) = call, name != StoreDirectory.manifest else { return }
      let isFirst = compacts.withLock { compacts in
        defer { compacts = false }
        return compacts
      }
      guard isFirst else { return }
      // The manifest was read, and what it lists goes.
      do { try ManifestRebuildingTests.rewriteAll(writer) } catch { Issue.record(error) }
    }
    let recorder = Recorder()
    let reader = try Self.follow(observed, recorder)
    for start in [20, 30] {
      try TestLog.put(start..<start + 15, writer)
      try writer.sealActiveSegment()
    }
    let before = Set(try Self.segmentNames(writer))
    compacts.withLock { compacts in compacts = true }
    try reader.refresh()
    #expect(before.isDisjoint(with: try Self.segmentNames(writer)))
    #expect(try TestLog.contents(reader) == TestLog.expected(0..<45))
    #expect(Self.damages(recorder).isEmpty)
  }

  @Test("A segment that stays away is told once, by a refresh and by an opening")
  func missingSegment() throws {
    let base = SimulatedFileSystem()
    let writer = try TestLog.open(base)
    try TestLog.put(0..<10, writer)
    let missing = Lock<FileName?>(nil)
    let observed = ObservedFileSystem(base) { call throws(FileIOError) in
      if case .open(let name) = call, name == missing.withLock({ missing in missing }) {
        throw FileIOError(.notFound, operation: "open", path: "/store/\(name)")
      }
    }
    let recorder = Recorder()
    let reader = try Self.follow(observed, recorder)
    try TestLog.put(10..<20, writer)
    try writer.sealActiveSegment()
    let name = try #require(try Self.segmentNames(writer).last)
    missing.withLock { missing in missing = name }
    #expect(throws: LogError.self) { try reader.refresh() }
    #expect(Self.damages(recorder).map(\.file) == [name.description])
    let second = Recorder()
    #expect(throws: LogError.self) { _ = try Self.follow(observed, second) }
    #expect(Self.damages(second).map(\.file) == [name.description])
    #expect(try TestLog.contents(reader) == TestLog.expected(0..<10))
  }

  @Test("P8: rot in the segment that is written is told once, whether all or the rest is read")
  func rottenTail() throws {
    for isOpenBefore in [false, true] {
      let fileSystem = SimulatedFileSystem()
      let writer = try TestLog.open(fileSystem)
      try TestLog.put([0], writer)
      let recorder = Recorder()
      let reader = isOpenBefore ? try Self.follow(fileSystem, recorder) : nil
      let end = Int(try writer.statistics().byteCount)
      for number in 1..<5 { try TestLog.put([number], writer) }
      let name = try #require(try Self.segmentNames(writer).last)
      fileSystem.flipBit(0, of: name.description, in: "/store", at: end + 60)
      #expect(throws: LogError.self) {
        if let reader { try reader.refresh() } else { _ = try Self.follow(fileSystem, recorder) }
      }
      #expect(Self.damages(recorder).map(\.file) == [name.description], "\(isOpenBefore)")
      withExtendedLifetime(writer) {}
    }
  }

  @Test("Damage that a read meets afterwards is told, in old segments, new ones, and the last one")
  func laterDamage() throws {
    let fileSystem = SimulatedFileSystem()
    let writer = try TestLog.open(fileSystem)
    let recorder = Recorder()
    var configuration = TestLog.configuration
    configuration.access = .readOnly
    configuration.readMode = .buffered
    configuration.observer = recorder
    try TestLog.put([0], writer)
    try writer.sealActiveSegment()
    let reader = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    try TestLog.put([1], writer)
    try writer.sealActiveSegment()
    try TestLog.put([2], writer)
    try reader.refresh()
    for (number, name) in try Self.segmentNames(writer).enumerated() {
      let bytes = try #require(fileSystem.snapshotOfFiles(in: "/store")[name.description])
      let place = try #require(
        Self.place(of: Array(TestLog.payload(number).prefix(9)), in: Array(bytes)))
      fileSystem.flipBit(0, of: name.description, in: "/store", at: place)
      #expect(throws: LogError.self) {
        _ = try reader.snapshot().record(for: TestLog.key(number), in: TestLog.people)
      }
      #expect(Self.damages(recorder).last?.file == name.description)
    }
    #expect(Self.damages(recorder).count == 3)
    withExtendedLifetime(writer) {}
  }

  private static func place(of part: [UInt8], in bytes: [UInt8]) -> Int? {
    bytes.indices.first { bytes[$0...].starts(with: part) }
  }
}
