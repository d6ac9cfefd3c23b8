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

  private static func record(
    _ fileSystem: SimulatedFileSystem, at path: String
  ) throws -> BackupRecord {
    let directory = try fileSystem.openDirectory(at: path, create: false)
    return try #require(try BackupRecord.read(in: directory))
  }

  /// Says of what an interrupted copy left that not all of it may have verified.
  private static func markUnproven(_ fileSystem: SimulatedFileSystem, at path: String) throws {
    var record = try record(fileSystem, at: path)
    #expect(record.isUnfinished && record.isProven)
    record.isProven = false
    try record.write(in: fileSystem.openDirectory(at: path, create: false))
  }

  @Test(
    "Where nothing tells what verified, the next run keeps each segment of which all does",
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
    // As a version leaves it that does not know of this; restorations do not rely on it.
    if maker == .backup { try Self.markUnproven(fileSystem, at: "/copy") }
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
  ) throws -> (SimulatedFileSystem, Log, left: [String: [UInt8]]) {
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
    return (fileSystem, log, left)
  }

  @Test("The room of what nobody needs any more is free for the next run, on a full disk, too")
  func fullDisk() throws {
    let (fileSystem, log, left) = try Self.compactedSince(count: 1200)
    let leftByteCount = left.values.reduce(0) { $0 + $1.count }
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

  @Test("It is free also when not a byte can be written before")
  func noRoom() throws {
    let (fileSystem, log, left) = try Self.compactedSince(count: 1200)
    try #require(!left.isEmpty)
    fileSystem.setByteCountLimit(fileSystem.usedByteCount)
    // All that the store has now may need more room than that.
    do throws(LogError) {
      _ = try log.backup(to: "/backup", fileSystem: fileSystem)
    } catch {
      guard case .fileIO(let problem) = error else { throw error }
      #expect(problem.reason == .noSpace)
    }
    let kept = Set(Self.segments(fileSystem, in: "/backup").keys)
    #expect(kept.isDisjoint(with: left.keys))
    fileSystem.setByteCountLimit(nil)
    try log.backup(to: "/backup", fileSystem: fileSystem)
    try Self.expectWhole(fileSystem, at: "/backup", 0..<1200)
  }

  /// Backs a store up to `/backup` in runs that are ended when each has read a quarter of what a
  /// whole backup reads; no report where they do not come to an end.
  private static func backUpInParts(
    _ log: Log, _ fileSystem: SimulatedFileSystem
  ) throws -> (endedCount: Int, report: BackupReport?) {
    let before = fileSystem.readByteCount
    try log.backup(to: "/whole", fileSystem: fileSystem)
    let share = (fileSystem.readByteCount - before) / 4
    var endedCount = 0
    while endedCount < 12 {
      let start = fileSystem.readByteCount
      let report = try log.backup(to: "/backup", fileSystem: fileSystem) { _, _ in
        fileSystem.readByteCount - start < share
      }
      if let report { return (endedCount, report) }
      endedCount += 1
    }
    return (endedCount, nil)
  }

  @Test(
    "Runs that are ended add up to a backup that takes several times as long",
    arguments: [false, true])
  func limitedRuns(isBesideEarlier: Bool) throws {
    let fileSystem = SimulatedFileSystem()
    let log = try TestLog.open(fileSystem)
    try Self.put(0..<60, log)
    try log.sealActiveSegment()
    if isBesideEarlier { try log.backup(to: "/backup", fileSystem: fileSystem) }
    try Self.put(60..<1200, log)
    try log.sealActiveSegment()
    let (endedCount, last) = try Self.backUpInParts(log, fileSystem)
    #expect(endedCount > 1)
    let report = try #require(last, "after \(endedCount) runs")
    #expect(report.keptSegmentCount > 3)
    try Self.expectWhole(fileSystem, at: "/backup", 0..<1200)
  }

  /// A store of which one segment is damaged.
  private static func damagedStore(
    count: Int
  ) throws -> (SimulatedFileSystem, Log, damaged: String) {
    let fileSystem = SimulatedFileSystem()
    let log = try TestLog.open(fileSystem)
    try put(0..<count, log)
    try log.close()
    let name = try #require(segments(fileSystem, in: "/store").keys.min())
    fileSystem.flipBit(3, of: name, in: "/store", at: 500)
    return (fileSystem, try UnfinishedCopyTests.open(fileSystem, at: "/store"), name)
  }

  @Test("They do of a damaged store, too, and the last one tells of the damage")
  func limitedRunsOfDamagedStore() throws {
    let (fileSystem, log, damaged) = try Self.damagedStore(count: 1200)
    let ended = try log.backup(to: "/other", fileSystem: fileSystem) { $0 < $1 }
    #expect(ended == nil && !fileSystem.hasFile(damaged, in: "/other"))
    #expect(try Self.record(fileSystem, at: "/other").isProven)
    let (endedCount, last) = try Self.backUpInParts(log, fileSystem)
    #expect(endedCount > 1)
    let report = try #require(last, "after \(endedCount) runs")
    #expect(report.keptSegmentCount > 3 && report.damages.map(\.file) == [damaged])
    #expect(try Self.record(fileSystem, at: "/backup").isDamaged)
    let now = fileSystem.snapshotOfFiles(in: "/backup")[damaged]
    #expect(now != nil && now == fileSystem.snapshotOfFiles(in: "/store")[damaged])
  }

  @Test("After a crash of a run, too, the next one tells what is damaged of what it keeps")
  func crashesBesideDamage() throws {
    let (fileSystem, log, damaged) = try Self.damagedStore(count: 150)
    fileSystem.recordCrashPoints()
    let ended = try log.backup(to: "/backup", fileSystem: fileSystem) { $0 < $1 }
    #expect(ended == nil)
    var failures: [String] = []
    var keptCount = 0
    for point in fileSystem.crashPoints {
      for choice in point.choices(exhaustiveUnitCount: 3, randomCount: 3) {
        let image = point.afterCrash(choice)
        do {
          let store = try UnfinishedCopyTests.open(image, at: "/store")
          let report = try #require(try store.backup(to: "/backup", fileSystem: image))
          let files = report.damages.map(\.file)
          guard files == [damaged], try Self.record(image, at: "/backup").isDamaged else {
            throw CaseFailure("\(files)")
          }
          keptCount += report.keptSegmentCount
        } catch { failures.append("\(point) \(choice): \(error)") }
      }
    }
    #expect(failures.isEmpty, "\(failures.count): \(failures.prefix(3))")
    #expect(keptCount > 0)
  }

  @Test("What verified when it was copied is kept where it is that segment, of which all is there")
  func framed() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try TestLog.open(fileSystem)
    try Self.put(0..<600, log)
    try log.close()
    let ended = try Self.copy(.backup, fileSystem, finishes: false)
    #expect(ended == nil)
    let left = Self.segments(fileSystem, in: "/copy").sorted { $0.key < $1.key }
    try #require(left.count > 4)
    let store = try fileSystem.openDirectory(at: "/store", create: false)
    let manifest = try #require(try ManifestFile.read(in: store))
    let second = try #require(
      manifest.segments.first { StoreDirectory.segment($0.identifier).description == left[1].key })
    // One has another header, one another end, one ends early, and one is another segment.
    fileSystem.flipBit(3, of: left[0].key, in: "/copy", at: 40)
    fileSystem.flipBit(3, of: left[1].key, in: "/copy", at: Int(second.dataEnd) + 32)
    fileSystem.replaceContents(
      of: left[2].key, in: "/copy", with: [UInt8](left[2].value.dropLast(8)))
    fileSystem.replaceContents(of: left[3].key, in: "/copy", with: left[4].value)
    let finished = try Self.copy(.backup, fileSystem, finishes: true)
    let report = try #require(finished)
    #expect(report.keptSegmentCount == left.count - 4)
    #expect(report.copiedSegmentCount == 5)
    try Self.expectWhole(fileSystem, at: "/copy", 0..<600)
  }

  /// What may rot behind the records of a segment.
  enum Rotten: CaseIterable {
    case index
    case manifestCopy
  }

  @Test(
    "Of what a run that failed copied beside an earlier backup, what rotted behind records is told",
    arguments: Rotten.allCases)
  func rottenBesideEarlier(_ part: Rotten) throws {
    let fileSystem = SimulatedFileSystem()
    let log = try TestLog.open(fileSystem)
    try Self.put(0..<60, log)
    try log.sealActiveSegment()
    try log.backup(to: "/backup", fileSystem: fileSystem)
    let before = Self.segments(fileSystem, in: "/backup")
    try Self.put(60..<300, log)
    try log.sealActiveSegment()
    if part == .manifestCopy { try ManifestRebuildingTests.rewriteAll(log) }
    let outputs = try log.statistics().segments.filter { $0.stream == .compaction }
    let carrier = outputs.map(\.identifier).max().map { StoreDirectory.segment($0).description }
    try Self.put(300..<600, log)
    try log.sealActiveSegment()
    let store = Self.segments(fileSystem, in: "/store")
    let new = store.filter { before[$0.key] == nil }
    try #require(new.count > 4)
    let rotten = try #require(part == .manifestCopy ? carrier : new.keys.min())
    let byteCount = try #require(new[rotten]).count
    fileSystem.flipBit(
      3, of: rotten, in: "/store", at: byteCount - (part == .manifestCopy ? 10 : 100))
    do throws(LogError) {
      try log.backup(to: "/backup", fileSystem: fileSystem) { _, _ in
        // From then on there is no room for another one.
        if fileSystem.hasFile(rotten, in: "/backup") {
          fileSystem.setByteCountLimit(fileSystem.usedByteCount)
        }
        return true
      }
      Issue.record("there was room")
    } catch {
      guard case .fileIO(let problem) = error else { throw error }
      #expect(problem.reason == .noSpace)
    }
    #expect(fileSystem.hasFile(rotten, in: "/backup"))
    let whole = Self.segments(fileSystem, in: "/backup").keys.filter {
      store[$0] != nil && $0 != rotten
    }
    try #require(whole.contains { before[$0] == nil })
    fileSystem.setByteCountLimit(nil)
    let report = try #require(try log.backup(to: "/backup", fileSystem: fileSystem))
    #expect(report.rebuildable.map(\.file) == [rotten] && report.damages.isEmpty)
    // Those that are whole are kept.
    #expect(report.keptSegmentCount == whole.count)
    try TestLog.compare(
      UnfinishedCopyTests.open(fileSystem, at: "/backup"), TestLog.expected(0..<600))
  }

  @Test("A crash while it is removed leaves the earlier backup whole, or the new one")
  func crashes() throws {
    let (fileSystem, log, left) = try Self.compactedSince(count: 300)
    try #require(!left.isEmpty)
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
