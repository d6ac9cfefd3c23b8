import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

@Suite("A backup replaces nothing but a backup of the same store that nobody has written to")
struct BackupRefusalTests {
  private static func store(_ fileSystem: any FileSystem) throws -> Log {
    let log = try TestLog.open(fileSystem)
    for start in stride(from: 0, to: 100, by: 10) { try TestLog.put(start..<start + 10, log) }
    return log
  }

  private static func open(_ fileSystem: any FileSystem, at path: String) throws -> Log {
    try Log.open(at: path, configuration: TestLog.configuration, fileSystem: fileSystem)
  }

  /// The reason that a refusal gives; nothing when the call was not refused.
  private static func refusal(_ body: () throws -> Void) -> String? {
    do { try body() } catch LogError.copyRefused(_, let reason) { return reason } catch {
      return nil
    }
    return nil
  }

  @Test("A directory that lost only its manifest is refused, and the refusal names salvage")
  func lostManifest() throws {
    for isRestored in [false, true] {
      let fileSystem = SimulatedFileSystem()
      let log = try Self.store(fileSystem)
      try log.backup(to: "/backup", fileSystem: fileSystem)
      if isRestored {
        try Log.restore("/backup", to: "/target", fileSystem: fileSystem)
      } else {
        let other = try Self.open(fileSystem, at: "/target")
        try TestLog.put(0..<70, other)
        try other.close()
      }
      fileSystem.removeFile("MANIFEST", in: "/target")
      let before = fileSystem.snapshotOfFiles(in: "/target")
      for reason in [
        Self.refusal { try log.backup(to: "/target", fileSystem: fileSystem) },
        Self.refusal { try Log.restore("/backup", to: "/target", fileSystem: fileSystem) },
      ] {
        #expect(reason?.contains("salvage") == true, "\(reason ?? "it was not refused")")
      }
      #expect(fileSystem.snapshotOfFiles(in: "/target") == before)
    }
  }

  @Test("A backup that was written to is refused, also when the store has gone on further")
  func divergedBackup() throws {
    for change in 0..<3 {
      let fileSystem = SimulatedFileSystem()
      let log = try Self.store(fileSystem)
      try log.sealActiveSegment()
      try log.backup(to: "/backup", fileSystem: fileSystem)
      let diverged = try Self.open(fileSystem, at: "/backup")
      switch change {
      case 0: try TestLog.put([500], diverged)
      case 1: try TestLog.delete([5], diverged)
      default: try ManifestRebuildingTests.rewriteAll(diverged)
      }
      try diverged.close()
      for start in stride(from: 100, to: 300, by: 10) { try TestLog.put(start..<start + 10, log) }
      // So that no segment tells that both have gone their ways.
      try log.sealActiveSegment()
      try ManifestRebuildingTests.rewriteAll(log)
      let before = fileSystem.snapshotOfFiles(in: "/backup")
      let reason = Self.refusal { try log.backup(to: "/backup", fileSystem: fileSystem) }
      #expect(reason?.contains("another directory") == true, "change \(change)")
      #expect(fileSystem.snapshotOfFiles(in: "/backup") == before)
    }
  }

  @Test("P19: a store that was restored from an older backup does not replace a newer one")
  func divergedSource() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try Self.store(fileSystem)
    try log.backup(to: "/older", fileSystem: fileSystem)
    for start in stride(from: 100, to: 200, by: 10) { try TestLog.put(start..<start + 10, log) }
    try log.backup(to: "/newer", fileSystem: fileSystem)
    try log.close()
    try Log.restore("/older", to: "/restored", fileSystem: fileSystem)
    let restored = try Self.open(fileSystem, at: "/restored")
    for start in stride(from: 300, to: 500, by: 10) {
      try TestLog.put(start..<start + 10, restored)
    }
    let before = fileSystem.snapshotOfFiles(in: "/newer")
    let reason = Self.refusal { try restored.backup(to: "/newer", fileSystem: fileSystem) }
    #expect(reason?.contains("another directory") == true, "\(reason ?? "it was not refused")")
    #expect(fileSystem.snapshotOfFiles(in: "/newer") == before)
    try restored.backup(to: "/older", fileSystem: fileSystem)
  }

  @Test("A backup that was opened and read only, or written to in vain, is replaced")
  func unchangedBackup() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try Self.store(fileSystem)
    try log.backup(to: "/backup", fileSystem: fileSystem)
    let opened = try Self.open(fileSystem, at: "/backup")
    try TestLog.compare(opened, TestLog.expected(0..<100))
    try opened.close()
    try TestLog.put(100..<110, log)
    try log.backup(to: "/backup", fileSystem: fileSystem)
    try log.backup(to: "/backup", fileSystem: fileSystem)
    try TestLog.compare(Self.open(fileSystem, at: "/backup"), TestLog.expected(0..<110))
  }

  @Test("A copy made by hand is refused: nothing tells whether it was written to")
  func copiedByHand() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try Self.store(fileSystem)
    try log.backup(to: "/backup", fileSystem: fileSystem)
    fileSystem.removeFile("BACKUP", in: "/backup")
    #expect(Self.refusal { try log.backup(to: "/backup", fileSystem: fileSystem) } != nil)
  }

  @Test("A first backup that was interrupted anywhere is finished by the next, and leaves nothing")
  func interruptedFirstBackup() throws {
    let fileSystem = SimulatedFileSystem()
    try Self.store(fileSystem).close()
    fileSystem.recordCrashPoints()
    try Self.open(fileSystem, at: "/store").backup(to: "/backup", fileSystem: fileSystem)
    var failures: [String] = []
    var stateCount = 0
    for point in fileSystem.crashPoints {
      for choice in point.choices(exhaustiveUnitCount: 4, randomCount: 4) {
        stateCount += 1
        let image = point.afterCrash(choice)
        do {
          let log = try Self.open(image, at: "/store")
          try log.backup(to: "/backup", fileSystem: image)
          try TestLog.compare(Self.open(image, at: "/backup"), TestLog.expected(0..<100))
          let report = try LogVerifier.verify("/backup", fileSystem: image)
          if !report.isIntact || !report.notes.isEmpty { failures.append("\(point): \(report)") }
        } catch { failures.append("\(point) \(choice): \(error)") }
      }
    }
    print("\(stateCount) states after crashes of a first backup")
    #expect(failures.isEmpty, "\(failures.count): \(failures.prefix(3))")
    #expect(stateCount > 50)
  }

  @Test("What a backup that ended was copying is removed at once, or by the next writer")
  func unfinishedCopies() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try Self.store(fileSystem)
    try log.backup(to: "/backup", fileSystem: fileSystem)
    try log.sealActiveSegment()
    for start in stride(from: 100, to: 200, by: 10) { try TestLog.put(start..<start + 10, log) }
    let ended = try log.backup(to: "/backup", fileSystem: fileSystem) { _, _ in false }
    #expect(ended == nil)
    #expect(fileSystem.snapshotOfFiles(in: "/backup")["COPY.new"] == nil)
    let directory = try fileSystem.openDirectory(at: "/backup", create: false)
    for name in ["COPY.new", "BACKUP.new"] {
      _ = try directory.open(try #require(FileName(name)), .createNew)
    }
    let opened = try Self.open(fileSystem, at: "/backup")
    try TestLog.put([1], opened)
    let left = fileSystem.snapshotOfFiles(in: "/backup").keys
    #expect(left.allSatisfy { !$0.hasSuffix(".new") }, "\(left)")
  }

  @Test("A flipped bit in what a backup says of itself is found by verify")
  func flippedRecord() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try Self.store(fileSystem)
    try log.backup(to: "/backup", fileSystem: fileSystem)
    let byteCount = try #require(fileSystem.snapshotOfFiles(in: "/backup")["BACKUP"]?.count)
    var failures: [Int] = []
    for position in 0..<byteCount {
      let damaged = fileSystem.pristineCopy()
      damaged.flipBit(position % 8, of: "BACKUP", in: "/backup", at: position)
      let isFound = try !LogVerifier.verify("/backup", fileSystem: damaged).isIntact
      if !isFound { failures.append(position) }
    }
    #expect(failures.isEmpty)
  }

  @Test(
    "A path leads into a directory, or does not, whatever is relative",
    arguments: [
      (".", ".", true), ("b", ".", true), ("./b/c", "", true), ("../b", ".", false),
      ("/b", ".", false), ("b", "..", true), ("../b", "..", true), ("../../b", "..", false),
      ("s/b", "s", true), ("s", "./s/", true), ("sb", "s", false), ("../s", "s", false),
      ("s", "../s", false), ("../s/b", "../s", true), ("/s/b", "/s", true), ("/s", "/s/b", false),
      ("/t/../s/b", "/s", true), ("/../s/b", "/s", true), ("s/b", "/s", false), ("/s", "/", true),
    ])
  func leading(path: String, directory: String, leads: Bool) {
    #expect(Log.leads(path, into: directory) == leads)
  }
}
