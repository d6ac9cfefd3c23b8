import BinaryCoding
import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

@Suite("A backup is replaced by later states of what it was made of, and by nothing else")
struct LineageTests {
  /// Segments that these tests do not fill: then no number of a segment tells two stores apart.
  private static func open(
    _ fileSystem: any FileSystem, at path: String = "/store",
    readMode: LogConfiguration.ReadMode = .mapped
  ) throws -> Log {
    var configuration = LogConfiguration()
    configuration.readMode = readMode
    configuration.maintenance = .inline
    return try Log.open(at: path, configuration: configuration, fileSystem: fileSystem)
  }

  private static func put(_ numbers: Range<Int>, _ log: Log) throws {
    for number in numbers { try TestLog.put([number], log) }
  }

  /// Commits that a loss of power may take.
  private static func putUndurably(_ numbers: Range<Int>, _ log: Log) throws {
    for number in numbers {
      let batch = log.makeBatch()
      try batch.put(
        TestLog.key(number), in: TestLog.people, schemaVersion: 0,
        payload: TestLog.payload(number))
      try log.commit(batch, durability: .process)
    }
  }

  /// A store of which `/older` has 50 objects and `/newer` 100.
  private static func store() throws -> (fileSystem: SimulatedFileSystem, log: Log) {
    let fileSystem = SimulatedFileSystem()
    let log = try open(fileSystem)
    try put(0..<50, log)
    try log.backup(to: "/older", fileSystem: fileSystem)
    try put(50..<100, log)
    try log.backup(to: "/newer", fileSystem: fileSystem)
    return (fileSystem, log)
  }

  static func expectRefusal(
    of log: Log, to path: String, _ fileSystem: SimulatedFileSystem,
    _ comment: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let before = fileSystem.snapshotOfFiles(in: path)
    var reason = ""
    do throws(LogError) {
      try log.backup(to: path, fileSystem: fileSystem)
    } catch {
      if case .copyRefused(_, let why) = error { reason = why }
    }
    #expect(
      reason.contains("give another directory"), "\(comment): \(reason)",
      sourceLocation: sourceLocation)
    let after = fileSystem.snapshotOfFiles(in: path)
    #expect(after == before, "\(comment)", sourceLocation: sourceLocation)
  }

  @Test(
    "P19: a store restored from an older backup replaces no newer one, however far it went",
    arguments: [0, 1, 50, 60, 500])
  func restored(count: Int) throws {
    let (fileSystem, _) = try Self.store()
    try Log.restore("/older", to: "/restored", fileSystem: fileSystem)
    let restored = try Self.open(fileSystem, at: "/restored")
    try Self.put(1000..<1000 + count, restored)
    Self.expectRefusal(of: restored, to: "/newer", fileSystem, "\(count) commits")
    try restored.backup(to: "/older", fileSystem: fileSystem)
    try restored.backup(to: "/older", fileSystem: fileSystem)
    let older = try Self.open(fileSystem, at: "/older")
    try TestLog.compare(
      older, TestLog.expected(Array(0..<50) + Array(1000..<1000 + count)))
  }

  @Test("A backup that was opened and written to without being restored replaces no other one")
  func opened() throws {
    let (fileSystem, _) = try Self.store()
    let opened = try Self.open(fileSystem, at: "/older")
    try Self.put(1000..<1100, opened)
    Self.expectRefusal(of: opened, to: "/newer", fileSystem, "written to")
    try opened.backup(to: "/third", fileSystem: fileSystem)
    try Self.put(1100..<1110, opened)
    try opened.backup(to: "/third", fileSystem: fileSystem)
  }

  @Test("Of two stores that were restored from one backup the first takes it over")
  func twoRestorations() throws {
    let (fileSystem, log) = try Self.store()
    var restored: [Log] = []
    for number in 0..<2 {
      try Log.restore("/newer", to: "/restored\(number)", fileSystem: fileSystem)
      restored.append(try Self.open(fileSystem, at: "/restored\(number)"))
      try Self.put(1000..<1001 + number, restored[number])
    }
    try restored[0].backup(to: "/newer", fileSystem: fileSystem)
    Self.expectRefusal(of: restored[1], to: "/newer", fileSystem, "the second")
    try Self.put(100..<200, log)
    Self.expectRefusal(of: log, to: "/newer", fileSystem, "the first store")
    try Self.put(1001..<1002, restored[0])
    try restored[0].backup(to: "/newer", fileSystem: fileSystem)
    try Log.restore("/newer", to: "/again", fileSystem: fileSystem)
    let again = try Self.open(fileSystem, at: "/again")
    try TestLog.compare(again, TestLog.expected(Array(0..<100) + [1000, 1001]))
    try Self.put(2000..<2001, again)
    try again.backup(to: "/newer", fileSystem: fileSystem)
  }

  @Test("A backup of a restored store that nobody had written to is replaced when somebody has")
  func unwrittenRestoration() throws {
    let (fileSystem, log) = try Self.store()
    try Log.restore("/newer", to: "/restored", fileSystem: fileSystem)
    let restored = try Self.open(fileSystem, at: "/restored")
    try restored.backup(to: "/third", fileSystem: fileSystem)
    try Self.put(1000..<1001, restored)
    try restored.backup(to: "/third", fileSystem: fileSystem)
    try Self.put(100..<200, log)
    Self.expectRefusal(of: log, to: "/third", fileSystem, "the first store")
  }

  @Test("What salvage saved replaces no backup of the damaged store")
  func salvaged() throws {
    let (fileSystem, log) = try Self.store()
    // So that no segment of what is saved has the number of one of the backup.
    try log.sealActiveSegment()
    for _ in 0..<5 { try ManifestRebuildingTests.rewriteAll(log) }
    try log.backup(to: "/newer", fileSystem: fileSystem)
    try log.close()
    let name = try #require(fileSystem.snapshotOfFiles(in: "/newer").keys.max())
    fileSystem.flipBit(1, of: name, in: "/store", at: 500)
    let report = try LogSalvage.salvage("/store", to: "/saved", fileSystem: fileSystem)
    #expect(!report.losses.isEmpty)
    let saved = try Self.open(fileSystem, at: "/saved")
    Self.expectRefusal(of: saved, to: "/newer", fileSystem, "just saved")
    try Self.put(1000..<1100, saved)
    Self.expectRefusal(of: saved, to: "/newer", fileSystem, "written to")
    try saved.backup(to: "/third", fileSystem: fileSystem)
    try Self.put(1100..<1110, saved)
    try saved.backup(to: "/third", fileSystem: fileSystem)
  }

  @Test("What a backup holds, a power loss does not take from the store")
  func durable() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try Self.open(fileSystem)
    try Self.putUndurably(0..<20, log)
    fileSystem.recordCrashPoints()
    try log.backup(to: "/backup", fileSystem: fileSystem)
    let point = fileSystem.crashPoint(recordedAs: fileSystem.recordedOperations.count - 1)
    for choice in point.choices(exhaustiveUnitCount: 5, randomCount: 8) {
      let after = try Self.open(point.afterCrash(choice))
      try TestLog.compare(after, TestLog.expected(0..<20))
    }
  }

  @Test("A restored store that lost its manifest can be copied, and goes on with its backup")
  func damagedManifest() throws {
    for isRemoved in [false, true] {
      let (fileSystem, _) = try Self.store()
      try Log.restore("/newer", to: "/restored", fileSystem: fileSystem)
      if isRemoved {
        fileSystem.removeFile("MANIFEST", in: "/restored")
      } else {
        fileSystem.flipBit(0, of: "MANIFEST", in: "/restored", at: 60)
      }
      let restored = try Self.open(fileSystem, at: "/restored")
      #expect(restored.recoveryReport.rebuiltManifest != nil)
      for path in ["/third", "/newer"] {
        try restored.backup(to: path, fileSystem: fileSystem)
        try TestLog.compare(Self.open(fileSystem, at: path), TestLog.expected(0..<100))
      }
    }
  }

  @Test("P6: what a store was restored from matters for no new place, where it cannot be read")
  func unreadableRecord() throws {
    for name in ["BACKUP", "MANIFEST"] {
      let (fileSystem, _) = try Self.store()
      try Log.restore("/newer", to: "/restored", fileSystem: fileSystem)
      let restored = try Self.open(fileSystem, at: "/restored", readMode: .buffered)
      fileSystem.setOverlays([ReadOverlay(file: "restored/" + name, .unreadable(0..<64))])
      try restored.backup(to: "/third", fileSystem: fileSystem)
      #expect(fileSystem.failedReadCount > 0)
      try TestLog.compare(Self.open(fileSystem, at: "/third"), TestLog.expected(0..<100))
    }
  }

  @Test("A store whose disk fails is copied to a new place, and in the place of nothing")
  func poisoned() throws {
    let (fileSystem, log) = try Self.store()
    fileSystem.setFaults([
      FaultPlan(
        operation: 1, .failedSynchronization(.keptAndMarkedClean), isPermanent: true,
        kinds: [.synchronize])
    ])
    #expect(throws: LogError.self) { try Self.put(100..<101, log) }
    fileSystem.setFaults([])
    Self.expectRefusal(of: log, to: "/newer", fileSystem, "poisoned")
    try log.backup(to: "/third", fileSystem: fileSystem)
    #expect(try LogVerifier.verify("/third", fileSystem: fileSystem).isIntact)
  }

  @Test("P19: a copy of a store whose disk failed is not replaced where that lost what it has")
  func lostAfterCopy() throws {
    let (fileSystem, log) = try Self.store()
    try Self.putUndurably(100..<110, log)
    fileSystem.setFaults([
      FaultPlan(
        operation: 1, .failedSynchronization(.keptAndMarkedClean), isPermanent: true,
        kinds: [.synchronize])
    ])
    #expect(throws: LogError.self) { try log.synchronize() }
    fileSystem.setFaults([])
    try log.backup(to: "/third", fileSystem: fileSystem)
    try TestLog.compare(Self.open(fileSystem, at: "/third"), TestLog.expected(0..<110))
    // The store as it is after a loss of power.
    try Log.restore("/newer", to: "/lost", fileSystem: fileSystem)
    fileSystem.removeFile("BACKUP", in: "/lost")
    let lost = try Self.open(fileSystem, at: "/lost")
    try Self.put(1000..<1020, lost)
    Self.expectRefusal(of: lost, to: "/third", fileSystem, "commits that the store lost")
  }

  @Test("Records of version 1 say what they said: a backup goes on, also one that is restored")
  func firstVersion() throws {
    let (fileSystem, log) = try Self.store()
    for path in ["/older", "/newer"] { Self.makeFirstVersion(fileSystem, path) }
    try Self.put(100..<110, log)
    try Log.restore("/older", to: "/restored", fileSystem: fileSystem)
    try log.backup(to: "/newer", fileSystem: fileSystem)
    try TestLog.compare(Self.open(fileSystem, at: "/newer"), TestLog.expected(0..<110))
    Self.makeFirstVersion(fileSystem, "/restored")
    let restored = try Self.open(fileSystem, at: "/restored")
    try Self.put(1000..<1200, restored)
    Self.expectRefusal(of: restored, to: "/newer", fileSystem, "restored")
  }

  /// The record as versions of the library before lineages wrote it.
  private static func makeFirstVersion(_ fileSystem: SimulatedFileSystem, _ path: String) {
    let bytes = fileSystem.snapshotOfFiles(in: path)["BACKUP"] ?? []
    var first = ByteWriter()
    first.writeBytes(bytes[..<48].withUnsafeBytes { [UInt8]($0) })
    first.replaceFormatVersion(with: 1)
    first.writeInteger(Checksum.crc32c(first.bytes))
    fileSystem.replaceContents(of: "BACKUP", in: path, with: first.array())
  }
}

extension ByteWriter {
  fileprivate mutating func replaceFormatVersion(with version: UInt8) {
    var bytes = array()
    (bytes[8], bytes[10]) = (version, version)
    removeAll()
    writeBytes(bytes)
  }
}
