import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

@Suite("A backup is a store of its own, in the state of one moment")
struct BackupTests {
  private static func openBackup(_ fileSystem: any FileSystem) throws -> Log {
    var configuration = TestLog.configuration
    configuration.access = .readOnly
    return try Log.open(at: "/backup", configuration: configuration, fileSystem: fileSystem)
  }

  @Test("A backup of an open store holds what was committed, and verifies")
  func hot() throws {
    let fileSystem = InMemoryFileSystem()
    let log = try TestLog.open(fileSystem)
    for start in stride(from: 0, to: 300, by: 10) { try TestLog.put(start..<start + 10, log) }
    let report = try #require(try log.backup(to: "/backup", fileSystem: fileSystem))
    #expect(report.copiedSegmentCount > 3 && report.keptSegmentCount == 0)
    try TestLog.put(300..<310, log)
    try TestLog.compare(try Self.openBackup(fileSystem), TestLog.expected(0..<300))
    #expect(try LogVerifier.verify("/backup", fileSystem: fileSystem).isIntact)
    try TestLog.compare(log, TestLog.expected(0..<310))
  }

  @Test("A second backup copies what is new only, and removes what compaction replaced")
  func incremental() throws {
    let fileSystem = InMemoryFileSystem()
    let log = try TestLog.open(fileSystem)
    for start in stride(from: 0, to: 300, by: 10) { try TestLog.put(start..<start + 10, log) }
    let first = try #require(try log.backup(to: "/backup", fileSystem: fileSystem))
    for start in stride(from: 0, to: 50, by: 10) { try TestLog.put(start..<start + 10, log) }
    let second = try #require(try log.backup(to: "/backup", fileSystem: fileSystem))
    #expect(second.keptSegmentCount >= first.copiedSegmentCount - 1)
    #expect(second.copiedSegmentCount < first.copiedSegmentCount)
    let identifiers = try log.statistics().segments.filter { !$0.isActive }.map(\.identifier)
    let rewrite = try log.beginRewrite(of: Set(identifiers.prefix(4)))
    while let record = try rewrite.next() { try rewrite.keep(record) }
    try rewrite.publish()
    let third = try #require(try log.backup(to: "/backup", fileSystem: fileSystem))
    #expect(third.removedFileCount == 4)
    try TestLog.compare(try Self.openBackup(fileSystem), TestLog.expected(0..<300))
    #expect(try LogVerifier.verify("/backup", fileSystem: fileSystem).notes.count <= 1)
  }

  @Test("A backup is restored to a new directory only, and only when every byte verifies")
  func restoring() throws {
    let fileSystem = InMemoryFileSystem()
    let log = try TestLog.open(fileSystem)
    for start in stride(from: 0, to: 100, by: 10) { try TestLog.put(start..<start + 10, log) }
    try log.backup(to: "/backup", fileSystem: fileSystem)
    try log.close()
    try Log.restore("/backup", to: "/restored", fileSystem: fileSystem)
    let restored = try Log.open(
      at: "/restored", configuration: TestLog.configuration, fileSystem: fileSystem)
    try TestLog.compare(restored, TestLog.expected(0..<100))
    try TestLog.put(100..<110, restored)
    try restored.close()
    #expect(throws: LogError.self) {
      try Log.restore("/backup", to: "/store", fileSystem: fileSystem)
    }
    let directory = try fileSystem.openDirectory(at: "/backup", create: false)
    let name = try #require(FileName("segment-00000001.log"))
    let file = try directory.open(name, .readWrite)
    try [UInt8(0xFF)].withUnsafeBytes { try file.write([$0], at: 300) }
    #expect(throws: LogError.self) {
      try Log.restore("/backup", to: "/other", fileSystem: fileSystem)
    }
  }

  @Test("Nothing is copied over another store, a later state, or files of somebody else")
  func refusals() throws {
    let fileSystem = InMemoryFileSystem()
    let log = try TestLog.open(fileSystem)
    try TestLog.put(0..<10, log)
    try log.backup(to: "/backup", fileSystem: fileSystem)
    try log.close()
    let before = try Log.open(at: "/other", fileSystem: fileSystem)
    try TestLog.put(0..<50, before)
    #expect(throws: LogError.self) { try before.backup(to: "/backup", fileSystem: fileSystem) }
    // The backup is opened and goes on by itself.
    let diverged = try Log.open(
      at: "/backup", configuration: TestLog.configuration, fileSystem: fileSystem)
    try TestLog.put(10..<50, diverged)
    let again = try TestLog.open(fileSystem)
    #expect(throws: LogError.self) { try again.backup(to: "/backup", fileSystem: fileSystem) }
    try diverged.close()
    #expect(throws: LogError.self) { try again.backup(to: "/backup", fileSystem: fileSystem) }
    let directory = try fileSystem.openDirectory(at: "/files", create: true)
    _ = try directory.open(try #require(FileName("letter.txt")), .createNew)
    #expect(throws: LogError.self) { try again.backup(to: "/files", fileSystem: fileSystem) }
    #expect(try directory.list() == ["letter.txt"])
  }

  @Test("A crash at any moment of a backup leaves the earlier one whole, or the new one")
  func crashes() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try TestLog.open(fileSystem)
    for start in stride(from: 0, to: 60, by: 10) { try TestLog.put(start..<start + 10, log) }
    try log.backup(to: "/backup", fileSystem: fileSystem)
    for start in stride(from: 60, to: 120, by: 10) { try TestLog.put(start..<start + 10, log) }
    fileSystem.recordCrashPoints()
    try log.backup(to: "/backup", fileSystem: fileSystem)
    let last = fileSystem.recordedOperations.count - 1
    var failures: [String] = []
    var stateCount = 0
    for index in 0...last {
      let point = fileSystem.crashPoint(recordedAs: index)
      for choice in point.choices(exhaustiveUnitCount: 5, randomCount: 8) {
        stateCount += 1
        let image = point.afterCrash(choice)
        do {
          let found = try TestLog.contents(try Self.openBackup(image))
          // What the earlier one called active may have been replaced by more of the same.
          let isPrefix = (60...120).contains(found.count) && found.count % 10 == 0
          if !isPrefix || found != TestLog.expected(0..<found.count) {
            failures.append("\(point) \(choice): \(found.count) objects")
          }
          if index == last && found.count != 120 { failures.append("it is done, but not there") }
          let report = try LogVerifier.verify("/backup", fileSystem: image)
          if !report.isIntact { failures.append("\(point) \(choice): \(report.damages)") }
        } catch { failures.append("\(point) \(choice): \(error)") }
      }
    }
    print("\(stateCount) states after crashes of a backup")
    #expect(failures.isEmpty, "\(failures.count): \(failures.prefix(3))")
    #expect(stateCount > 100)
  }

  @Test("A restoration that is ended while it verifies reads no more", arguments: [1, 3])
  func endedWhileVerifying(threadCount: Int) throws {
    let fileSystem = SimulatedFileSystem()
    let log = try TestLog.open(fileSystem)
    for start in stride(from: 0, to: 500, by: 10) { try TestLog.put(start..<start + 10, log) }
    try log.backup(to: "/backup", fileSystem: fileSystem)
    try log.close()
    let names = fileSystem.snapshotOfFiles(in: "/backup").keys.filter { $0.hasPrefix("segment") }
    try #require(names.count > 5)
    // Who reads on finds it.
    let last = try #require(names.max())
    fileSystem.flipBit(0, of: last, in: "/backup", at: 200)
    var callCount = 0
    let report = try Log.restore(
      "/backup", to: "/restored", fileSystem: fileSystem, threadCount: threadCount
    ) { _, _ in
      callCount += 1
      return callCount < 2
    }
    #expect(report == nil)
    #expect(callCount == 2)
    #expect(fileSystem.snapshotOfFiles(in: "/restored").isEmpty)
    #expect(throws: LogError.self) {
      try Log.restore("/backup", to: "/restored", fileSystem: fileSystem)
    }
  }

  @Test("A disk without room for the new manifest leaves the earlier backup as it was")
  func noRoomForManifest() throws {
    let fileSystem = SimulatedFileSystem()
    let isFull = Lock(false)
    let observed = ObservedFileSystem(fileSystem) { call throws(FileIOError) in
      if call == .open(StoreDirectory.newManifest), isFull.withLock({ isFull in isFull }) {
        throw FileIOError(.noSpace, operation: "create", path: "/backup/MANIFEST.new")
      }
    }
    let log = try TestLog.open(fileSystem)
    try TestLog.put(0..<10, log)
    try log.backup(to: "/backup", fileSystem: observed)
    let earlier = fileSystem.snapshotOfFiles(in: "/backup").filter { $0.key.hasPrefix("segment") }
    try TestLog.put(10..<20, log)
    try log.sealActiveSegment()
    isFull.withLock { isFull in isFull = true }
    let error = #expect(throws: LogError.self) {
      try log.backup(to: "/backup", fileSystem: observed)
    }
    guard case .fileIO(let cause)? = error else { throw CaseFailure("another error") }
    #expect(cause.reason == .noSpace)
    isFull.withLock { isFull in isFull = false }
    // So does one that is ended in the segment that was active then.
    let ended = try log.backup(to: "/backup", fileSystem: observed) { $0 < $1 }
    #expect(ended == nil)
    let left = fileSystem.snapshotOfFiles(in: "/backup")
    #expect(left.filter { $0.key.hasPrefix("segment") } == earlier)
    #expect(left["MANIFEST.new"] == nil)
    try TestLog.compare(try Self.openBackup(fileSystem), TestLog.expected(0..<10))
    try log.backup(to: "/backup", fileSystem: observed)
    try TestLog.compare(try Self.openBackup(fileSystem), TestLog.expected(0..<20))
    #expect(!fileSystem.hasFile("MANIFEST.new", in: "/backup"))
    try log.close()
  }

  @Test("What is missing where a backup is made is no sign of a writer that removes files")
  func missingTarget() throws {
    let base = InMemoryFileSystem()
    let cause = FileIOError(.notFound, operation: "create", path: "/backup/BACKUP.new")
    let vanished = ObservedFileSystem(base) { call throws(FileIOError) in
      if call == .open(StoreDirectory.newBackup) { throw cause }
    }
    let writer = try TestLog.open(base)
    try TestLog.put(0..<10, writer)
    let reader = try TestLog.open(base, access: .readOnly)
    #expect(throws: LogError.fileIO(cause)) {
      try reader.backup(to: "/backup", fileSystem: vanished)
    }
    try reader.close()
    try writer.close()
  }
}
