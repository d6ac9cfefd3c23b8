import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

@Suite("What an interrupted copy left is kept where it proves itself, and its room is free else")
struct InterruptedCopyTests {
  private static func put(_ numbers: Range<Int>, _ log: Log) throws {
    for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 10) {
      try TestLog.put(start..<min(start + 10, numbers.upperBound), log)
    }
  }

  /// The segments that lie in a directory, by name.
  private static func segments(
    _ fileSystem: SimulatedFileSystem, in directory: String
  ) -> [String: [UInt8]] {
    fileSystem.snapshotOfFiles(in: directory).filter { $0.key.hasPrefix("segment-") }
  }

  private static func expectWhole(
    _ fileSystem: SimulatedFileSystem, at path: String, _ numbers: Range<Int>
  ) throws {
    let report = try LogVerifier.verify(path, fileSystem: fileSystem)
    #expect(report.isIntact, "\(report)")
    #expect(!report.notes.contains { $0.contains("does not belong") }, "\(report.notes)")
    try TestLog.compare(
      UnfinishedCopyTests.open(fileSystem, at: path), TestLog.expected(numbers))
  }

  /// Copies `/store` or its backup to `/copy`; ended in the last segment when it does not finish.
  private static func copy(
    _ maker: UnfinishedCopyTests.Maker, _ fileSystem: SimulatedFileSystem, finishes: Bool
  ) throws(LogError) -> BackupReport? {
    switch maker {
    case .backup:
      let log = try UnfinishedCopyTests.open(fileSystem, at: "/store")
      return try log.backup(to: "/copy", fileSystem: fileSystem) { $0 < $1 || finishes }
    case .restore:
      return try Log.restore("/backup", to: "/copy", fileSystem: fileSystem) {
        $0 < $1 || finishes
      }
    }
  }

  @Test(
    "The next run keeps each segment of which all verifies, and copies the others again",
    arguments: UnfinishedCopyTests.Maker.allCases)
  func kept(maker: UnfinishedCopyTests.Maker) throws {
    let fileSystem = SimulatedFileSystem()
    let log = try TestLog.open(fileSystem)
    try Self.put(0..<600, log)
    try log.close()
    let closed = try UnfinishedCopyTests.open(fileSystem, at: "/store")
    try closed.backup(to: "/backup", fileSystem: fileSystem)
    let ended = try Self.copy(maker, fileSystem, finishes: false)
    #expect(ended == nil)
    let left = Self.segments(fileSystem, in: "/copy").sorted { $0.key < $1.key }
    try #require(left.count > 3)
    // One has rotted in its records, one in its index, and one ends early.
    fileSystem.flipBit(3, of: left[0].key, in: "/copy", at: 200)
    fileSystem.flipBit(3, of: left[1].key, in: "/copy", at: left[1].value.count - 100)
    fileSystem.replaceContents(
      of: left[2].key, in: "/copy", with: [UInt8](left[2].value.dropLast(8)))
    let finished = try Self.copy(maker, fileSystem, finishes: true)
    let report = try #require(finished)
    #expect(report.keptSegmentCount == left.count - 3)
    #expect(report.copiedSegmentCount == 4)
    #expect(report.damages.isEmpty && report.rebuildable.isEmpty)
    try Self.expectWhole(fileSystem, at: "/copy", 0..<600)
  }

  @Test("Beside an earlier backup, too, what was copied whole is not copied again")
  func keptBesideEarlier() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try TestLog.open(fileSystem)
    try Self.put(0..<200, log)
    try log.sealActiveSegment()
    try log.backup(to: "/backup", fileSystem: fileSystem)
    let before = Self.segments(fileSystem, in: "/backup").count
    try Self.put(200..<600, log)
    try log.sealActiveSegment()
    let ended = try log.backup(to: "/backup", fileSystem: fileSystem) { $0 < $1 }
    #expect(ended == nil)
    let left = Self.segments(fileSystem, in: "/backup").count
    try #require(left > before + 1)
    let report = try #require(try log.backup(to: "/backup", fileSystem: fileSystem))
    #expect(report.keptSegmentCount == left)
    #expect(report.copiedSegmentCount == 1)
    try Self.expectWhole(fileSystem, at: "/backup", 0..<600)
  }

  /// A store that was compacted since a backup of `count` objects was interrupted, beside an
  /// earlier one of 60: nothing of what lies there is in the store any more.
  private static func compactedSince(
    count: Int
  ) throws -> (SimulatedFileSystem, Log, leftByteCount: Int) {
    let fileSystem = SimulatedFileSystem()
    let log = try TestLog.open(fileSystem)
    try put(0..<60, log)
    try log.sealActiveSegment()
    try log.backup(to: "/backup", fileSystem: fileSystem)
    let before = segments(fileSystem, in: "/backup")
    try put(60..<count, log)
    try log.sealActiveSegment()
    let ended = try log.backup(to: "/backup", fileSystem: fileSystem) { $0 < $1 }
    #expect(ended == nil)
    let left = segments(fileSystem, in: "/backup").filter { before[$0.key] == nil }
    try ManifestRebuildingTests.rewriteAll(log)
    return (fileSystem, log, left.values.reduce(0) { $0 + $1.count })
  }

  @Test("The room of what nobody needs any more is free for the next run, on a full disk, too")
  func fullDisk() throws {
    let (fileSystem, log, leftByteCount) = try Self.compactedSince(count: 1200)
    try #require(leftByteCount > 16 << 10)
    let needed = try #require(try log.backup(to: "/other", fileSystem: fileSystem)).copiedByteCount
    // Not enough unless what was left goes first.
    let free = Int(needed) - leftByteCount / 2
    fileSystem.setByteCountLimit(fileSystem.usedByteCount + free)
    let report = try #require(try log.backup(to: "/backup", fileSystem: fileSystem))
    #expect(report.copiedByteCount == needed && report.keptSegmentCount == 0)
    fileSystem.setByteCountLimit(nil)
    try Self.expectWhole(fileSystem, at: "/backup", 0..<1200)
  }

  @Test("A crash while it is removed leaves the earlier backup whole, or the new one")
  func crashes() throws {
    let (fileSystem, log, leftByteCount) = try Self.compactedSince(count: 300)
    try #require(leftByteCount > 0)
    fileSystem.recordCrashPoints()
    try log.backup(to: "/backup", fileSystem: fileSystem)
    var failures: [String] = []
    var (earlierCount, laterCount) = (0, 0)
    for point in fileSystem.crashPoints {
      for choice in point.choices(exhaustiveUnitCount: 3, randomCount: 3) {
        let image = point.afterCrash(choice)
        do {
          let found = try TestLog.contents(UnfinishedCopyTests.open(image, at: "/backup"))
          let isLater = found.count > 60
          guard found == TestLog.expected(0..<(isLater ? 300 : 60)) else {
            throw CaseFailure("\(found.count) objects, or other payloads")
          }
          if isLater { laterCount += 1 } else { earlierCount += 1 }
          let report = try LogVerifier.verify("/backup", fileSystem: image)
          if !report.isIntact { throw CaseFailure("\(report.damages)") }
        } catch { failures.append("\(point) \(choice): \(error)") }
      }
    }
    print("\(earlierCount) earlier backups and \(laterCount) later ones after crashes")
    #expect(failures.isEmpty, "\(failures.count): \(failures.prefix(3))")
    #expect(earlierCount > 20 && laterCount > 0)
  }
}
