import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Footers have keys that a run over them lacks, because what hides these lies elsewhere by now.
@Suite("Walks past a damaged run do not show keys that were deleted")
struct StaleKeyWalkTests {
  private static let stale = [0, 1, 98, 99]
  private static let live = [40, 50, 60]

  /// A store in which a run covers the puts of keys without having them: their tombstones were
  /// compacted into a segment that it does not cover. Its pages are damaged, its directory is not.
  private static func damaged() throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    let log = try open(fileSystem, .mapped)
    try TestLog.put(stale + live.dropLast(), log)
    try log.sealActiveSegment()
    try TestLog.delete(stale, log)
    try log.sealActiveSegment()
    try log.mergeIndexes()
    let deleting = try #require(try log.statistics().segments.last { !$0.isActive }?.identifier)
    let rewrite = try log.beginRewrite(of: [deleting])
    while let record = try rewrite.next() { try rewrite.keep(record) }
    try rewrite.publish()
    let moved = Set(try log.statistics().segments.map(\.identifier))
    try TestLog.put(live.suffix(1), log)
    try log.sealActiveSegment()
    let name = try mergeSparing(log) { $0.segments.allSatisfy { moved.contains($0.identifier) } }
    try log.close()
    let file = try fileSystem.openDirectory(at: "/store", create: false).open(name, .readWrite)
    let zeros = [UInt8](repeating: 0, count: 100)
    try zeros.withUnsafeBytes { try file.write([$0], at: UInt64(RunFormat.unit)) }
    return fileSystem
  }

  private static func open(
    _ fileSystem: any FileSystem, _ readMode: LogConfiguration.ReadMode
  ) throws(LogError) -> Log {
    var configuration = TestLog.configuration
    configuration.maintenance = .none
    configuration.readMode = readMode
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  /// Merges all indexes but the footers that `isSpared` tells.
  private static func mergeSparing(
    _ log: Log, _ isSpared: (SealedIndex.Source) -> Bool
  ) throws -> FileName {
    let pipeline = log.pipeline
    pipeline.enter("a test")
    defer { pipeline.leave() }
    let sources = pipeline.view.beneath.sources.filter { source in
      if case .footer = source { !isSpared(source) } else { true }
    }
    try #require(sources.count == 2)
    let merge = IndexMerge(
      view: pipeline.view, sources: sources,
      identifier: RunIdentifier(try pipeline.takeIdentifier().rawValue), salt: 7,
      directory: pipeline.directory, ownership: pipeline.ownership)
    let descriptor = try #require(try merge.perform(isCancelled: { false })?.run)
    #expect(descriptor.keyCount == UInt64(live.count))
    try pipeline.publish(descriptor, of: merge, isDurable: true)
    return StoreDirectory.run(descriptor.identifier)
  }

  private static func keys(_ cursor: RecordCursor) throws -> [[UInt8]] {
    var keys: [[UInt8]] = []
    while let (key, _) = try cursor.next() { keys.append(key) }
    return keys
  }

  @Test(
    "P6: forwards, backwards, and from a key on",
    arguments: [LogConfiguration.ReadMode.mapped, .buffered])
  func staleKeysStayHidden(readMode: LogConfiguration.ReadMode) throws {
    let fileSystem = try Self.damaged()
    let expected = Self.live.map(TestLog.key)
    var log = try Self.open(fileSystem, readMode)
    #expect(try Self.keys(log.snapshot().records(in: TestLog.people)) == expected)
    #expect(try log.statistics().runs.map(\.isDamaged) == [true])
    try log.close()
    log = try Self.open(fileSystem, readMode)
    let backwards = try log.snapshot().records(in: TestLog.people, order: .descending)
    #expect(try Self.keys(backwards) == expected.reversed())
    try log.close()
    log = try Self.open(fileSystem, readMode)
    let cursor = try log.snapshot().records(in: TestLog.people)
    for start in [0, 98, 1, 45, 0] {
      try cursor.seek(to: TestLog.key(start))
      let behind = Self.live.filter { $0 >= start }.map(TestLog.key)
      #expect(try Self.keys(cursor) == behind, "from \(start)")
    }
    try log.close()
  }
}
