import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// A segment of which the first bytes are damaged, or cannot be read, costs its own records.
@Suite("P6: a header that cannot be read stops no write, backup, reader or compaction of others")
struct UnreadableHeaderTests {
  enum Harm: CaseIterable, Sendable { case flippedBit, unreadable }

  /// Keys 0 to 399 in many segments, of which one is harmed; closed.
  ///
  /// Where keys are apart nobody needs the harmed segment to find those of others.
  private static func store(
    _ harm: Harm, keysAreApart: Bool = true
  ) throws -> (fileSystem: SimulatedFileSystem, harmed: Set<Int>) {
    let fileSystem = SimulatedFileSystem()
    let log = try open(fileSystem)
    for part in 0..<40 {
      let numbers =
        keysAreApart
        ? stride(from: part * 10, to: part * 10 + 10, by: 1) : stride(from: part, to: 400, by: 40)
      try TestLog.put(numbers, log)
    }
    try log.sealActiveSegment()
    let segment = log.pipeline.view.sealed[2]
    let harmed = (0..<400).filter { number in
      let hit = try? TestLog.key(number).withUnsafeBytes {
        try log.pipeline.view.find(IndexKey(TestLog.people, $0))
      }
      return hit?.segment === segment
    }
    try log.close()
    switch harm {
    case .flippedBit: fileSystem.flipBit(0, of: segment.name.description, in: "/store", at: 60)
    case .unreadable:
      fileSystem.setOverlays([
        ReadOverlay(file: "store/\(segment.name)", .unreadable(0..<64))
      ])
    }
    try #require(!harmed.isEmpty)
    return (fileSystem, Set(harmed))
  }

  private static func open(
    _ fileSystem: SimulatedFileSystem, _ access: LogConfiguration.Access = .readWrite
  ) throws -> Log {
    var configuration = TestLog.configuration
    configuration.maintenance = .none
    configuration.readMode = .buffered
    configuration.access = access
    configuration.admitsWriters = access == .readOnly
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  private static func expectOthers(_ log: Log, _ harmed: Set<Int>) throws {
    let snapshot = log.snapshot()
    for number in 0..<400 where !harmed.contains(number) {
      let found = try snapshot.record(for: TestLog.key(number), in: TestLog.people)
      #expect(found?.payload == TestLog.payload(number))
    }
  }

  @Test("Puts, deletions and rewrites of others go on", arguments: Harm.allCases)
  func writes(harm: Harm) throws {
    let (fileSystem, harmed) = try Self.store(harm)
    let log = try Self.open(fileSystem)
    try TestLog.put(400..<410, log)
    try TestLog.delete(400..<410, log)
    try Self.expectOthers(log, harmed)
    // What stands there can be replaced.
    try TestLog.put(harmed, log)
    try Self.expectOthers(log, [])
    // What was replaced there is looked up some times before that is given up.
    for _ in 0..<10 where (try? log.sealActiveSegment()) == nil {}
    try log.sealActiveSegment()
    try log.close()
  }

  @Test(
    "A rewrite keeps what a segment may have replaced that cannot be read", arguments: Harm.allCases
  )
  func rewrites(harm: Harm) throws {
    let (fileSystem, _) = try Self.store(harm, keysAreApart: false)
    let log = try Self.open(fileSystem)
    try TestLog.put([400], log)
    let rewrite = try log.beginRewrite(of: [SegmentIdentifier(1), SegmentIdentifier(2)])
    while let record = try rewrite.next() { try rewrite.keep(record) }
    try rewrite.publish()
    try log.close()
    guard harm == .unreadable else { return }
    fileSystem.setOverlays([])
    let healed = try Self.open(fileSystem)
    #expect(try TestLog.contents(healed) == TestLog.expected(0...400))
    try healed.close()
  }

  @Test("A reader beside the writer reads the others", arguments: Harm.allCases)
  func readers(harm: Harm) throws {
    let (fileSystem, harmed) = try Self.store(harm)
    let log = try Self.open(fileSystem)
    try TestLog.put(400..<410, log)
    let reader = try Self.open(fileSystem, .readOnly)
    try Self.expectOthers(reader, harmed)
    try TestLog.put([410], log)
    try reader.refresh()
    let found = try reader.snapshot().record(for: TestLog.key(410), in: TestLog.people)
    #expect(found?.payload == TestLog.payload(410))
    try reader.close()
    try log.close()
  }

  @Test(
    "A first backup says what saves the rest, where the disk does not give what is to be copied")
  func unreadableCopies() throws {
    let (fileSystem, _) = try Self.store(.unreadable)
    let log = try Self.open(fileSystem)
    let error = #expect(throws: LogError.self) {
      try log.backup(to: "/backup", fileSystem: fileSystem)
    }
    #expect("\(error, default: "")".hasSuffix("Save what can be read of the store with salvage"))
    fileSystem.setOverlays([])
    let report = try #require(try log.backup(to: "/backup", fileSystem: fileSystem))
    #expect(report.damages.isEmpty)
    try log.close()
  }

  @Test("A backup beside a writer says to try again where that removed what was refused before")
  func removedCopies() throws {
    let (fileSystem, _) = try Self.store(.unreadable)
    let reader = try Self.open(fileSystem, .readOnly)
    fileSystem.setOverlays([])
    let writer = try Self.open(fileSystem)
    try ManifestRebuildingTests.rewriteAll(writer)
    #expect(throws: LogError.storeIsBusy(path: "/store")) {
      try reader.backup(to: "/backup", fileSystem: fileSystem)
    }
    try reader.refresh()
    let report = try #require(try reader.backup(to: "/backup", fileSystem: fileSystem))
    #expect(report.damages.isEmpty)
    try reader.close()
    try writer.close()
  }

  @Test("A backup beside a writer says what is missing where the manifest still lists it")
  func missingCopies() throws {
    let (fileSystem, _) = try Self.store(.unreadable)
    let reader = try Self.open(fileSystem, .readOnly)
    let segment = reader.pipeline.view.sealed[2].name.description
    fileSystem.setOverlays([])
    fileSystem.removeFile(segment, in: "/store")
    let error = #expect(throws: LogError.self) {
      try reader.backup(to: "/backup", fileSystem: fileSystem)
    }
    #expect(error?.damage?.file == segment)
    try reader.close()
  }

  @Test("A first backup copies it as it is")
  func copies() throws {
    let (fileSystem, harmed) = try Self.store(.flippedBit)
    let log = try Self.open(fileSystem)
    let report = try #require(try log.backup(to: "/backup", fileSystem: fileSystem))
    #expect(report.damages.count == 1)
    try log.close()
    #expect(throws: LogError.self) {
      try Self.open(fileSystem).snapshot()
        .record(for: TestLog.key(harmed.min() ?? 0), in: TestLog.people)
    }
  }
}
