import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// An index in which a sector cannot be read is like one with wrong bytes there: what it was made
/// of stands in for it, and the next merge makes it anew.
@Suite("P6: an index that cannot be read costs time and nothing else")
struct UnreadableIndexTests {
  private static let expected = TestLog.expected(
    (0..<400).filter { !(50..<60).contains($0) })

  /// Keys 0 to 399 in many segments, with one run over all unless `isMerged` is false; closed.
  private static func store(isMerged: Bool) throws -> SimulatedFileSystem {
    let fileSystem = SimulatedFileSystem()
    let log = try open(fileSystem)
    for start in stride(from: 0, to: 400, by: 10) { try TestLog.put(start..<(start + 10), log) }
    try TestLog.delete(50..<60, log)
    try log.sealActiveSegment()
    if isMerged { try log.mergeIndexes() }
    #expect(try log.statistics().runs.count == (isMerged ? 1 : 0))
    #expect(try log.statistics().segments.count > 3)
    try log.close()
    return fileSystem
  }

  private static func open(_ fileSystem: SimulatedFileSystem) throws -> Log {
    var configuration = TestLog.configuration
    configuration.maintenance = .none
    configuration.readMode = .buffered
    configuration.transactionByteCountInMemory = 1 << 10
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  /// The names of the files whose names begin so, with their sizes.
  private static func files(
    _ fileSystem: SimulatedFileSystem, _ prefix: String
  ) -> [(name: String, byteCount: Int)] {
    fileSystem.snapshotOfFiles(in: "/store").filter { $0.key.hasPrefix(prefix) }
      .map { ($0.key, $0.value.count) }.sorted { $0.0 < $1.0 }
  }

  private static func expectAll(_ log: Log, _ comment: Comment) throws {
    let snapshot = log.snapshot()
    for number in stride(from: 0, to: 420, by: 7) {
      let found = try snapshot.record(for: TestLog.key(number), in: TestLog.people)
      #expect(found?.payload == expected[TestLog.key(number)], comment)
    }
    #expect(try TestLog.contents(log) == expected, comment)
  }

  @Test("Look-ups and walks ask the footers in place of a run, wherever it cannot be read")
  func run() throws {
    let fileSystem = try Self.store(isMerged: true)
    let run = try #require(Self.files(fileSystem, "index-").first)
    for start in stride(from: 0, to: run.byteCount, by: 512) {
      fileSystem.setOverlays([
        ReadOverlay(file: "store/" + run.name, .unreadable(start..<(start + 512)))
      ])
      let log = try Self.open(fileSystem)
      try Self.expectAll(log, "from \(start)")
      try log.close()
    }
  }

  @Test("Merges, large transactions and rewrites go on, and the run is made anew")
  func everythingGoesOn() throws {
    let fileSystem = try Self.store(isMerged: true)
    let run = try #require(Self.files(fileSystem, "index-").first)
    func fail() {
      fileSystem.setOverlays([
        ReadOverlay(file: "store/" + run.name, .unreadable(0..<run.byteCount))
      ])
    }
    fail()
    let log = try Self.open(fileSystem)
    try log.transact { transaction in
      for number in 0..<40 {
        try transaction.put(
          TestLog.key(number), in: TestLog.people, schemaVersion: 0,
          payload: TestLog.payload(number))
      }
    }
    try Self.expectAll(log, "after a large transaction")
    let rewrite = try log.beginRewrite(of: [SegmentIdentifier(1), SegmentIdentifier(2)])
    while let record = try rewrite.next() { try rewrite.keep(record) }
    try rewrite.publish()
    try Self.expectAll(log, "after a rewrite")
    #expect(try log.statistics().runs.filter(\.isDamaged).count == 1)
    try log.sealActiveSegment()
    try log.mergeIndexes()
    #expect(try log.statistics().runs.map(\.isDamaged) == [false])
    try Self.expectAll(log, "after a merge")
    try log.close()
    fileSystem.setOverlays([])
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
  }

  @Test("The records stand in for a footer that cannot be read, and verify calls it rebuildable")
  func footer() throws {
    let fileSystem = try Self.store(isMerged: false)
    let segment = try #require(Self.files(fileSystem, "segment-").dropFirst().first)
    fileSystem.setOverlays([
      ReadOverlay(
        file: "store/" + segment.name,
        .unreadable((segment.byteCount - 64)..<segment.byteCount))
    ])
    let report = try LogVerifier.verify("/store", fileSystem: fileSystem)
    #expect(report.damages.isEmpty && report.rebuildable.map(\.file) == [segment.name])
    let log = try Self.open(fileSystem)
    try Self.expectAll(log, "a footer")
    try log.mergeIndexes()
    try Self.expectAll(log, "merged")
    try log.close()
  }

  @Test("What tells nothing of the bytes is an error, and the index is believed afterwards")
  func obstacles() throws {
    let fileSystem = try Self.store(isMerged: true)
    let run = try #require(Self.files(fileSystem, "index-").first)
    fileSystem.setOverlays([
      ReadOverlay(
        file: "store/" + run.name, .unreadable(0..<run.byteCount),
        reason: .tooManyOpenFiles(limit: nil))
    ])
    let log = try Self.open(fileSystem)
    #expect(throws: LogError.self) {
      try log.snapshot().record(for: TestLog.key(1), in: TestLog.people)
    }
    fileSystem.setOverlays([])
    try Self.expectAll(log, "later")
    #expect(try log.statistics().runs.map(\.isDamaged) == [false])
    try log.close()
  }
}
