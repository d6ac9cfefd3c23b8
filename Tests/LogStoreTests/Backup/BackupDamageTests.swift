import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

@Suite("What is damaged gets into no backup that was whole, and out of none")
struct BackupDamageTests {
  private static func open(
    _ fileSystem: any FileSystem, segmentByteCount: UInt64 = 4 << 10
  ) throws -> Log {
    var configuration = TestLog.configuration
    configuration.segmentByteCountMaximum = segmentByteCount
    configuration.segmentByteCountMinimum = segmentByteCount
    configuration.readMode = .buffered
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  private static func put(_ numbers: Range<Int>, _ log: Log) throws {
    for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 10) {
      try TestLog.put(start..<min(start + 10, numbers.upperBound), log)
    }
  }

  private static func restored(_ fileSystem: any FileSystem) throws -> Log {
    try Log.open(at: "/restored", configuration: TestLog.configuration, fileSystem: fileSystem)
  }

  private static func damage(_ body: () throws -> Void) -> CorruptionReport? {
    do { try body() } catch LogError.corruption(let damage) { return damage } catch {}
    return nil
  }

  @Test("P20: an index that fails while the backup is begun leaves a backup that opens and goes on")
  func passingError() throws {
    var failureCount = 0
    for count in 0..<8 {
      let fileSystem = SimulatedFileSystem()
      var log = try Self.open(fileSystem)
      try Self.put(0..<70, log)
      try log.close()
      log = try Self.open(fileSystem)
      // Of what these replace nothing is known yet.
      for number in 0..<5 {
        try log.put(
          TestLog.key(number), in: TestLog.people, schemaVersion: 0,
          payload: TestLog.payload(number))
      }
      fileSystem.setOverlays([
        ReadOverlay(file: "store/segment-00000001.log", .failing(offset: 0, count: count))
      ])
      do {
        try log.backup(to: "/backup", fileSystem: fileSystem)
      } catch {
        failureCount += 1
        continue
      }
      fileSystem.setOverlays([])
      #expect(try LogVerifier.verify("/backup", fileSystem: fileSystem).isIntact, "\(count)")
      var configuration = TestLog.configuration
      configuration.access = .readOnly
      let copy = try Log.open(at: "/backup", configuration: configuration, fileSystem: fileSystem)
      try TestLog.compare(copy, TestLog.expected(0..<70))
      #expect(copy.snapshot().lastSequence == log.snapshot().lastSequence)
      try copy.close()
      try TestLog.put(70..<75, log)
      try log.backup(to: "/backup", fileSystem: fileSystem)
      #expect(try LogVerifier.verify("/backup", fileSystem: fileSystem).isIntact, "\(count)")
      try log.close()
    }
    #expect(failureCount < 4, "\(failureCount)")
  }

  /// A backup of which a part lies in a segment that was being written by commits that need not
  /// survive a power loss.
  private static func backup() throws -> SimulatedFileSystem {
    let fileSystem = SimulatedFileSystem()
    let log = try open(fileSystem)
    for number in 0..<70 {
      let batch = log.makeBatch()
      try batch.put(
        TestLog.key(number), in: TestLog.people, schemaVersion: 0,
        payload: TestLog.payload(number))
      try log.commit(batch, durability: .process)
    }
    try log.backup(to: "/backup", fileSystem: fileSystem)
    let files = fileSystem.snapshotOfFiles(in: "/backup")
    #expect(files.keys.filter { $0.hasPrefix("segment") }.count > 1)
    return fileSystem
  }

  @Test("P5: a flipped bit anywhere in a hot backup, its active segment too, is told or mended")
  func flips() throws {
    let fileSystem = try Self.backup()
    var failures: [String] = []
    for (name, bytes) in fileSystem.snapshotOfFiles(in: "/backup") {
      for position in stride(from: 0, to: bytes.count, by: 3) {
        let damaged = fileSystem.pristineCopy()
        damaged.flipBit(position % 8, of: name, in: "/backup", at: position)
        var report: BackupReport?
        let found = Self.damage {
          report = try Log.restore("/backup", to: "/restored", fileSystem: damaged)
        }
        if let report {
          // Of what is made from records nothing is lost.
          if report.rebuildable.isEmpty { failures.append("\(name) at \(position)") }
          try TestLog.compare(Self.restored(damaged), TestLog.expected(0..<70))
        } else {
          let isEmpty = damaged.snapshotOfFiles(in: "/restored").isEmpty
          if found == nil || !isEmpty { failures.append("\(name) at \(position), restored") }
        }
      }
    }
    #expect(failures.isEmpty, "\(failures.count): \(failures.prefix(5))")
  }

  @Test("A hot backup whose active segment ends early is not restored")
  func truncated() throws {
    let fileSystem = try Self.backup()
    let files = fileSystem.snapshotOfFiles(in: "/backup")
    let name = try #require(files.keys.filter { $0.hasPrefix("segment") }.max())
    let bytes = try #require(files[name])
    for count in stride(from: 0, to: bytes.count, by: 8) {
      let damaged = fileSystem.pristineCopy()
      damaged.replaceContents(of: name, in: "/backup", with: [UInt8](bytes[..<count]))
      let found = Self.damage {
        try Log.restore("/backup", to: "/restored", fileSystem: damaged)
      }
      #expect(found != nil, "\(count) of \(bytes.count) bytes")
      #expect(found?.description.contains("salvage") == true)
    }
  }

  @Test("A segment that rotted while it was active does not take the place of the intact copy")
  func rottenSinceActive() throws {
    for isSealed in [false, true] {
      let fileSystem = SimulatedFileSystem()
      let log = try Self.open(fileSystem, segmentByteCount: 1 << 20)
      try Self.put(0..<50, log)
      try log.backup(to: "/backup", fileSystem: fileSystem)
      let before = fileSystem.snapshotOfFiles(in: "/backup")
      fileSystem.flipBit(3, of: "segment-00000001.log", in: "/store", at: 500)
      try Self.put(50..<60, log)
      if isSealed { try log.sealActiveSegment() }
      #expect(throws: LogError.self) { try log.backup(to: "/backup", fileSystem: fileSystem) }
      #expect(fileSystem.snapshotOfFiles(in: "/backup") == before)
    }
  }

  @Test("New segments that do not verify end a backup, and the earlier one stays", arguments: 0..<2)
  func rottenSinceThen(way: Int) throws {
    let fileSystem = SimulatedFileSystem()
    let log = try Self.open(fileSystem)
    try Self.put(0..<100, log)
    try log.sealActiveSegment()
    try log.backup(to: "/backup", fileSystem: fileSystem)
    let before = Set(fileSystem.snapshotOfFiles(in: "/store").keys)
    if way == 0 {
      try Self.put(100..<200, log)
    } else {
      try ManifestRebuildingTests.rewriteAll(log)
    }
    let new = fileSystem.snapshotOfFiles(in: "/store").keys.filter {
      $0.hasPrefix("segment") && !before.contains($0)
    }
    let name = try #require(new.min())
    fileSystem.flipBit(3, of: name, in: "/store", at: 500)
    let damage = Self.damage { try log.backup(to: "/backup", fileSystem: fileSystem) }
    #expect(damage?.file == name)
    #expect(damage?.description.contains("new directory") == true)
    #expect(fileSystem.snapshotOfFiles(in: "/backup")["COPY.new"] == nil)
    try Log.restore("/backup", to: "/restored", fileSystem: fileSystem)
    try TestLog.compare(Self.restored(fileSystem), TestLog.expected(0..<100))

    let report = try log.backup(to: "/other", fileSystem: fileSystem)
    #expect(report?.damages.map(\.file) == [name])
    let copied = fileSystem.snapshotOfFiles(in: "/other")[name]
    #expect(copied == fileSystem.snapshotOfFiles(in: "/store")[name].map { [UInt8]($0) })
    #expect(Self.damage { try Log.restore("/other", to: "/third", fileSystem: fileSystem) } != nil)
  }

  @Test(
    "P19: a backup with damaged parts is mended by the next one, or says again what is damaged",
    arguments: [false, true], [500, 3])
  func damagedBefore(isMended: Bool, offset: Int) throws {
    let fileSystem = SimulatedFileSystem()
    var log = try Self.open(fileSystem)
    try Self.put(0..<100, log)
    try log.sealActiveSegment()
    try Self.put(100..<120, log)
    let segments = fileSystem.snapshotOfFiles(in: "/store").keys.filter { $0.hasPrefix("segment") }
    let name = try #require(segments.min())
    // In a record, or in the header.
    fileSystem.flipBit(3, of: name, in: "/store", at: offset)
    try log.close()
    log = try Self.open(fileSystem)
    let first = try log.backup(to: "/backup", fileSystem: fileSystem)
    #expect(first?.damages.map(\.file) == [name])
    if isMended {
      fileSystem.flipBit(3, of: name, in: "/store", at: offset)
      try log.close()
      log = try Self.open(fileSystem)
    }
    for numbers in [120..<140, 140..<140, 140..<160] {
      try Self.put(numbers, log)
      let next = try log.backup(to: "/backup", fileSystem: fileSystem)
      #expect(next?.damages.map(\.file) == (isMended ? [] : [name]))
      let restoring = Self.damage { try Log.restore("/backup", to: "/new", fileSystem: fileSystem) }
      #expect((restoring == nil) == isMended)
      for file in fileSystem.snapshotOfFiles(in: "/new").keys {
        fileSystem.removeFile(file, in: "/new")
      }
    }
  }

  @Test("P19: of a segment whose records the backup has whole no damage of the store is told")
  func onlyIndexDamagedHere() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try Self.open(fileSystem)
    try Self.put(0..<200, log)
    try log.sealActiveSegment()
    let files = fileSystem.snapshotOfFiles(in: "/store").filter { $0.key.hasPrefix("segment") }
    let (rotten, other) = (files.keys.sorted()[0], files.keys.sorted()[1])
    fileSystem.flipBit(3, of: rotten, in: "/store", at: 500)
    #expect(
      try log.backup(to: "/backup", fileSystem: fileSystem)?.damages.map(\.file) == [rotten])
    fileSystem.flipBit(3, of: rotten, in: "/store", at: 500)
    fileSystem.flipBit(3, of: other, in: "/store", at: 500)
    let size = try #require(fileSystem.snapshotOfFiles(in: "/backup")[other]).count
    fileSystem.flipBit(3, of: other, in: "/backup", at: size - 100)
    let report = try log.backup(to: "/backup", fileSystem: fileSystem)
    #expect(report?.damages == [])
    #expect(report?.rebuildable.map(\.file) == [other])
    let directory = try fileSystem.openDirectory(at: "/backup", create: false)
    #expect(try BackupRecord.read(in: directory)?.isUnfinished == false)
    try Log.restore("/backup", to: "/restored", fileSystem: fileSystem)
    try TestLog.compare(Self.restored(fileSystem), TestLog.expected(0..<200))
  }

  @Test("P19: a whole backup with damaged parts that lost its manifest is no half of a copy")
  func damagedWithoutManifest() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try Self.open(fileSystem)
    try Self.put(0..<100, log)
    try log.sealActiveSegment()
    let segments = fileSystem.snapshotOfFiles(in: "/store").keys.filter { $0.hasPrefix("segment") }
    fileSystem.flipBit(3, of: try #require(segments.min()), in: "/store", at: 500)
    #expect(try log.backup(to: "/backup", fileSystem: fileSystem)?.damages.count == 1)
    fileSystem.removeFile("MANIFEST", in: "/backup")
    let before = fileSystem.snapshotOfFiles(in: "/backup")
    // It may be a store that has gone another way since.
    LineageTests.expectRefusal(of: log, to: "/backup", fileSystem, "no manifest")
    #expect(fileSystem.snapshotOfFiles(in: "/backup") == before)
    let refusal = UnfinishedCopyTests.refusal {
      _ = try LogVerifier.verify("/backup", fileSystem: fileSystem)
    }
    if case .unfinishedCopy = refusal { Issue.record("all of it is there") }
    let report = try LogSalvage.salvage("/backup", to: "/out", fileSystem: fileSystem)
    #expect(!report.notes.contains { $0.contains("unfinished") }, "\(report)")
    #expect(report.liveRecordCount > 80)
  }

  @Test("A backup that fails or is ended leaves what an earlier, hot one holds", arguments: 0..<2)
  func earlierHotBackup(way: Int) throws {
    let fileSystem = SimulatedFileSystem()
    let log = try Self.open(fileSystem)
    try Self.put(0..<100, log)
    try log.backup(to: "/backup", fileSystem: fileSystem)
    try Self.put(100..<200, log)
    try log.sealActiveSegment()
    let before = Set(fileSystem.snapshotOfFiles(in: "/store").keys)
    try Self.put(200..<300, log)
    if way == 0 {
      let names = fileSystem.snapshotOfFiles(in: "/store").keys
      let name = try #require(
        names.filter { $0.hasPrefix("segment") && !before.contains($0) }.min())
      fileSystem.flipBit(3, of: name, in: "/store", at: 500)
      #expect(Self.damage { try log.backup(to: "/backup", fileSystem: fileSystem) } != nil)
    } else {
      var lastCount: UInt64 = 0
      let report = try log.backup(to: "/backup", fileSystem: fileSystem) { done, total in
        lastCount = done
        return done < total / 2
      }
      #expect(report == nil && lastCount > 0)
    }
    try Log.restore("/backup", to: "/restored", fileSystem: fileSystem)
    try TestLog.compare(Self.restored(fileSystem), TestLog.expected(0..<100))
  }

  @Test("A restoration tells how far it is, and ends when it is asked to")
  func progress() throws {
    let fileSystem = try Self.backup()
    var fractions: [Double] = []
    let report = try Log.restore("/backup", to: "/restored", fileSystem: fileSystem) {
      fractions.append(Double($0) / Double($1))
      return true
    }
    #expect(report != nil)
    #expect(fractions == fractions.sorted())
    #expect(fractions.first.map { $0 < 0.5 } == true)
    #expect(fractions.last == 1)
    for count in 0..<fractions.count - 1 {
      var left = count
      let ended = try Log.restore("/backup", to: "/other\(count)", fileSystem: fileSystem) { _, _ in
        left -= 1
        return left >= 0
      }
      #expect(ended == nil, "after \(count)")
    }
  }

  @Test("Nobody writes to a backup while it is restored")
  func lock() throws {
    let fileSystem = try Self.backup()
    var isWritten = false
    try Log.restore("/backup", to: "/restored", fileSystem: fileSystem) { _, _ in
      do {
        _ = try Log.open(
          at: "/backup", configuration: TestLog.configuration, fileSystem: fileSystem)
        isWritten = true
      } catch {}
      return true
    }
    #expect(!isWritten)
  }
}
