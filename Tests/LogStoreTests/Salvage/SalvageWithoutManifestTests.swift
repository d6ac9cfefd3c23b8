import BinaryCoding
import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

@Suite("Salvage without a manifest: which segments count, and which commits are whole")
struct SalvageWithoutManifestTests {
  private static let manifest = "MANIFEST"

  private static func name(_ number: Int) -> String {
    StoreDirectory.segment(SegmentIdentifier(UInt32(number))).description
  }

  private static func salvaged(
    _ fileSystem: SimulatedFileSystem
  ) throws -> (report: SalvageReport, contents: [[UInt8]: [UInt8]]) {
    let report = try LogSalvage.salvage("/store", to: "/out", fileSystem: fileSystem)
    var configuration = TestLog.configuration
    configuration.access = .readOnly
    let log = try Log.open(at: "/out", configuration: configuration, fileSystem: fileSystem)
    return (report, try TestLog.contents(log))
  }

  /// A segment of another store, with a copy of a manifest of a high generation: no manifest is
  /// rebuilt beside it.
  private static func addStranger(to fileSystem: SimulatedFileSystem) throws -> String {
    let other = SimulatedFileSystem()
    let log = try TestLog.open(other)
    for turn in 0..<8 {
      try TestLog.put((turn * 50)..<(turn * 50 + 50), log)
      try log.sealActiveSegment()
      try ManifestRebuildingTests.rewriteAll(log)
    }
    try log.close()
    let carrier = try FoundSegment.all(in: other.openDirectory(at: "/store", create: false))
      .last { $0.copy != nil }
    let name = StoreDirectory.segment(try #require(carrier).identifier).description
    #expect(!fileSystem.hasFile(name, in: "/store"))
    fileSystem.replaceContents(
      of: name, in: "/store", with: try #require(other.snapshotOfFiles(in: "/store")[name]))
    return name
  }

  /// A commit of 10 records, one of 40 over several segments, and perhaps one of a record.
  private static func large(
    _ kind: ManifestRebuildingTests.Kind
  ) throws -> (
    fileSystem: SimulatedFileSystem, contents: [[UInt8]: [UInt8]], parts: [String]
  ) {
    let fileSystem = try ManifestRebuildingTests.store(kind)
    let contents = try TestLog.contents(TestLog.open(fileSystem, access: .readOnly))
    let parts = try FoundSegment.all(in: fileSystem.openDirectory(at: "/store", create: false))
      .filter { $0.header?.holdsParts == true }
      .map { StoreDirectory.segment($0.identifier).description }
    fileSystem.removeFile(Self.manifest, in: "/store")
    _ = try addStranger(to: fileSystem)
    #expect(parts.count > 1)
    return (fileSystem, contents, parts)
  }

  @Test(
    "A large commit whose segments are all there is saved, though no manifest lists them",
    arguments: [ManifestRebuildingTests.Kind.large, .largeAndMore])
  func wholeLargeCommit(kind: ManifestRebuildingTests.Kind) throws {
    let (fileSystem, expected, _) = try Self.large(kind)
    let (report, contents) = try Self.salvaged(fileSystem)
    #expect(contents == expected, "\(contents.count) of \(expected.count): \(report)")
    #expect(report.losses.map(\.file) == [Self.manifest])
  }

  @Test(
    "P1: of a large commit of which a part is missing or damaged nothing is saved, all is listed",
    arguments: [ManifestRebuildingTests.Kind.large, .largeAndMore])
  func tornLargeCommit(kind: ManifestRebuildingTests.Kind) throws {
    let (prepared, expected, parts) = try Self.large(kind)
    let rest = expected.filter { !(1000..<1040).map(TestLog.key).contains($0.key) }
    for part in parts {
      for damage in 0..<3 {
        let fileSystem = prepared.pristineCopy()
        switch damage {
        case 0: fileSystem.removeFile(part, in: "/store")
        case 1:
          fileSystem.overwrite(part, in: "/store", at: 0, with: [UInt8](repeating: 1, count: 128))
        default: fileSystem.flipBit(3, of: part, in: "/store", at: 128 + 48 + 60)
        }
        let (report, contents) = try Self.salvaged(fileSystem)
        #expect(contents == rest, "\(part), damage \(damage): \(contents.count) saved")
        for other in parts where damage > 0 || other != part {
          #expect(report.losses.contains { $0.file == other }, "\(other), damage \(damage)")
        }
      }
    }
  }

  @Test("P14: a frame of a large commit that calls the highest sequence durable traps nothing")
  func endlessSequence() throws {
    let (fileSystem, expected, parts) = try Self.large(.large)
    let part = try #require(parts.first)
    var file = try #require(fileSystem.snapshotOfFiles(in: "/store")[part])
    let header = try file.withBytes { (bytes: UnsafeRawBufferPointer) throws(LogError) in
      try SegmentHeader.decode(bytes, file: part)
    }
    var changedCount = 0
    try HostileSegmentTests.rewrite(&file, end: file.count, store: header.store) { head, _ in
      guard head.form == .long else { return }
      head.durableSequence = CommitSequence(.max)
      changedCount += 1
    }
    #expect(changedCount > 0)
    fileSystem.replaceContents(of: part, in: "/store", with: file)
    let (report, contents) = try Self.salvaged(fileSystem)
    let rest = expected.filter { !(1000..<1040).map(TestLog.key).contains($0.key) }
    #expect(contents == rest, "\(contents.count) saved")
    #expect(report.losses.contains { $0.file == part })
  }

  /// A store of which one of three segments was rewritten, so that a copy lists the others.
  private static func compacted() throws -> (
    fileSystem: SimulatedFileSystem, contents: [[UInt8]: [UInt8]]
  ) {
    let fileSystem = SimulatedFileSystem()
    let log = try TestLog.open(fileSystem)
    for start in stride(from: 0, to: 30, by: 10) {
      try TestLog.put(start..<start + 10, log)
      try log.sealActiveSegment()
    }
    let rewrite = try log.beginRewrite(of: [SegmentIdentifier(1)])
    while let record = try rewrite.next() { try rewrite.keep(record) }
    try rewrite.publish()
    try TestLog.put(30..<40, log)
    let contents = try TestLog.contents(log)
    try log.close()
    #expect(fileSystem.hasFile(name(2), in: "/store") && fileSystem.hasFile(name(3), in: "/store"))
    fileSystem.removeFile(manifest, in: "/store")
    return (fileSystem, contents)
  }

  @Test("A segment of another store hides nothing, whatever copy it carries")
  func stranger() throws {
    let (fileSystem, expected) = try Self.compacted()
    let name = try Self.addStranger(to: fileSystem)
    let (report, contents) = try Self.salvaged(fileSystem)
    #expect(contents == expected, "\(contents.count) saved")
    #expect(report.notes.contains { $0.contains(name) && $0.contains("another store") })
  }

  @Test("Segments that the copy lists and that are not there, or not the store's, are listed")
  func listedSegments() throws {
    let (prepared, expected) = try Self.compacted()
    let size = try #require(prepared.snapshotOfFiles(in: "/store")[Self.name(2)]).count
    let other = SimulatedFileSystem()
    let log = try TestLog.open(other)
    for start in [0, 10] {
      try TestLog.put(start..<start + 10, log)
      try log.sealActiveSegment()
    }
    try log.close()
    let foreign = try #require(other.snapshotOfFiles(in: "/store")[Self.name(2)])
    let replacements: [[UInt8]?] = [nil, [], [UInt8](repeating: 0, count: size), foreign]
    let reasons = ["missing", "zeros", "zeros", "another store"]
    for (bytes, reason) in zip(replacements, reasons) {
      let fileSystem = prepared.pristineCopy()
      fileSystem.removeFile(Self.name(2), in: "/store")
      if let bytes { fileSystem.replaceContents(of: Self.name(2), in: "/store", with: bytes) }
      let (report, contents) = try Self.salvaged(fileSystem)
      #expect(contents.count == expected.count - 10, "\(reason): \(contents.count) saved")
      #expect(
        report.losses.contains { $0.file == Self.name(2) && $0.reason.contains(reason) },
        "\(reason): \(report.losses)")
    }
  }

  @Test("Of a sealed segment that was cut, or whose end became zeros, the end is listed")
  func cutSegments() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try TestLog.open(fileSystem)
    for start in stride(from: 0, to: 30, by: 5) { try TestLog.put(start..<start + 5, log) }
    try log.close()
    let manifest = try HostileStore.manifest(of: fileSystem.snapshotOfFiles(in: "/store"))
    let dataEnd = try #require(manifest.segments.first).dataEnd
    let bytes = try #require(fileSystem.snapshotOfFiles(in: "/store")[Self.name(1)])
    let half = Array(bytes[..<(bytes.count / 4)])
    for left in [half, half + [UInt8](repeating: 0, count: bytes.count - half.count)] {
      let damaged = fileSystem.pristineCopy()
      damaged.replaceContents(of: Self.name(1), in: "/store", with: left)
      let (report, contents) = try Self.salvaged(damaged)
      #expect(contents.count < 30)
      #expect(
        report.losses.contains { $0.file == Self.name(1) && $0.range.upperBound >= dataEnd })
    }
  }

  /// What two crashes left of a compaction that never was in force: the output that carries its
  /// manifest, and of the others what `after` has under their names.
  private static func leaveCarrier(
    of log: Log, in fileSystem: SimulatedFileSystem, after: SimulatedFileSystem
  ) throws {
    let before = Set(fileSystem.snapshotOfFiles(in: "/store").keys)
    try ManifestRebuildingTests.rewriteAll(log)
    try log.close()
    let new = try FoundSegment.all(in: fileSystem.openDirectory(at: "/store", create: false))
      .filter { !before.contains(StoreDirectory.segment($0.identifier).description) }
    let carrier = try #require(new.last { $0.copy != nil })
    #expect(new.count > 2)
    let name = StoreDirectory.segment(carrier.identifier).description
    #expect(!after.hasFile(name, in: "/store"))
    let bytes = try #require(fileSystem.snapshotOfFiles(in: "/store")[name])
    after.replaceContents(of: name, in: "/store", with: bytes)
    after.removeFile(manifest, in: "/store")
    _ = try addStranger(to: after)
  }

  @Test(
    "P1: a copy whose segments are gone, or others under their numbers, hides none of the older",
    arguments: [false, true], [false, true])
  func goneOutputs(hasOlderCopy: Bool, areTakenAgain: Bool) throws {
    let fileSystem = SimulatedFileSystem()
    let log = try TestLog.open(fileSystem)
    for start in stride(from: 0, to: 200, by: 10) { try TestLog.put(start..<start + 10, log) }
    if hasOlderCopy {
      try log.sealActiveSegment()
      try ManifestRebuildingTests.rewriteAll(log)
      for start in stride(from: 200, to: 300, by: 10) { try TestLog.put(start..<start + 10, log) }
    }
    try log.sealActiveSegment()
    let after = fileSystem.pristineCopy()
    if areTakenAgain {
      let next = try TestLog.open(after)
      try TestLog.put(300..<310, next)
      try next.close()
    }
    let expected = try TestLog.contents(TestLog.open(after, access: .readOnly))
    try Self.leaveCarrier(of: log, in: fileSystem, after: after)
    let (report, contents) = try Self.salvaged(after)
    #expect(contents == expected, "\(contents.count) of \(expected.count): \(report)")
    #expect(report.recordCount >= UInt64(expected.count))
  }

  /// What a compaction of 200 records left that was killed on its way, without a manifest.
  private static func killedCompaction() throws -> SimulatedFileSystem {
    let fileSystem = SimulatedFileSystem()
    let log = try TestLog.open(fileSystem)
    for number in 0..<200 { try TestLog.put([number * 7 % 200], log) }
    try log.sealActiveSegment()
    let rewrite = try log.beginRewrite(of: Set(try log.statistics().segments.map(\.identifier)))
    for _ in 0..<6 { _ = try rewrite.carryOver(atMost: 16) }
    let crashed = fileSystem.afterCrash(.processKill)
    crashed.removeFile(manifest, in: "/store")
    _ = try addStranger(to: crashed)
    return crashed
  }

  @Test("P1: what a killed compaction was about to replace is saved once, and stays")
  func duplicates() throws {
    let crashed = try Self.killedCompaction()
    let report = try LogSalvage.salvage("/store", to: "/out", fileSystem: crashed)
    #expect(report.recordCount == 200)
    #expect(report.liveRecordCount == 200)
    let saved = try Log.open(at: "/out", configuration: TestLog.configuration, fileSystem: crashed)
    try TestLog.compare(saved, TestLog.expected(0..<200))
    for _ in 0..<2 {
      try ManifestRebuildingTests.rewriteAll(saved)
      try TestLog.compare(saved, TestLog.expected(0..<200))
    }
  }

  @Test(
    "P1: a store that an earlier version salvaged with each record twice loses none of them",
    arguments: [LogConfiguration.ReadMode.mapped, .buffered])
  func savedTwice(readMode: LogConfiguration.ReadMode) throws {
    let crashed = try Self.killedCompaction()
    let report = try SavedRecords.$savesAll.withValue(true) {
      try LogSalvage.salvage("/store", to: "/out", fileSystem: crashed)
    }
    #expect(report.recordCount > 200)
    var configuration = TestLog.configuration
    configuration.readMode = readMode
    configuration.maintenance = .none
    let saved = try Log.open(at: "/out", configuration: configuration, fileSystem: crashed)
    for _ in 0..<2 {
      try ManifestRebuildingTests.rewriteAll(saved)
      try TestLog.compare(saved, TestLog.expected(0..<200))
    }
  }

  @Test(
    "P1, P14: a segment that the newest copy lists and that was lost leaves that copy in force",
    arguments: [false, true])
  func lostSegment(holdsLargeCommit: Bool) throws {
    let fileSystem = SimulatedFileSystem()
    let log = try TestLog.open(fileSystem)
    func last() throws -> SegmentIdentifier {
      try log.sealActiveSegment()
      return try #require(try log.statistics().segments.map(\.identifier).max())
    }
    // A copy that lists its own output alone.
    try TestLog.put(0..<10, log)
    try log.sealActiveSegment()
    try ManifestRebuildingTests.rewriteAll(log)
    try TestLog.put(10..<20, log)
    let rewritten = try last()
    if holdsLargeCommit {
      try log.transact { transaction in
        for number in 20..<400 {
          try transaction.put(
            TestLog.key(number), in: TestLog.people, schemaVersion: 0,
            payload: TestLog.payload(number))
        }
      }
    } else {
      try TestLog.put(20..<400, log)
    }
    try TestLog.put(400..<410, log)
    let lost = try last()
    let rewrite = try log.beginRewrite(of: [rewritten])
    while try rewrite.carryOver() {}
    try rewrite.publish()
    try log.close()
    let name = StoreDirectory.segment(lost).description
    fileSystem.removeFile(Self.manifest, in: "/store")
    fileSystem.removeFile(name, in: "/store")
    let (report, contents) = try Self.salvaged(fileSystem)
    #expect(contents.count >= 390, "\(report)")
    #expect(report.losses.contains { $0.file == name }, "\(report)")
  }

  @Test("P1, P14: an older copy whose segments compactions replaced brings nothing back unsaid")
  func staleOlderCopy() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try TestLog.open(fileSystem)
    func seal(_ numbers: Range<Int>) throws -> SegmentIdentifier {
      try TestLog.put(numbers, log)
      try log.sealActiveSegment()
      return try #require(try log.statistics().segments.map(\.identifier).max())
    }
    func rewrite(_ segments: Set<SegmentIdentifier>) throws -> SegmentIdentifier {
      let rewrite = try log.beginRewrite(of: segments)
      while try rewrite.carryOver() {}
      try rewrite.publish()
      return try #require(
        try log.statistics().segments.filter { !$0.isActive }.map(\.identifier).max())
    }
    let (first, lost, old) = (try seal(0..<10), try seal(10..<20), try seal(20..<30))
    _ = try rewrite([first])
    let snapshot = log.snapshot()
    let moved = try rewrite([old])
    try TestLog.delete([20], log)
    try log.sealActiveSegment()
    let tombstones = try #require(
      try log.statistics().segments.filter { !$0.isActive }.map(\.identifier).max())
    _ = try rewrite([moved, tombstones])
    let crashed = fileSystem.afterCrash(.processKill)
    withExtendedLifetime(snapshot) {}
    #expect(crashed.hasFile(StoreDirectory.segment(old).description, in: "/store"))
    crashed.removeFile(Self.manifest, in: "/store")
    crashed.removeFile(StoreDirectory.segment(lost).description, in: "/store")
    let (report, contents) = try Self.salvaged(crashed)
    #expect(
      contents[TestLog.key(20)] == nil || report.notes.contains { $0.contains("may be back") },
      "\(report)")
  }
}
