import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

@Suite struct RecoveryTests {
  /// Writes `count` commits of one record and lets the log go without closing it.
  static func unclosedStore(_ count: Int, durability: Durability) throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    let log = try TestLog.open(fileSystem, durability: durability)
    for number in 0..<count { try TestLog.put([number], log) }
    withExtendedLifetime(log) {}
    return fileSystem
  }

  static func active(_ fileSystem: InMemoryFileSystem) throws -> (any File) {
    let directory = try fileSystem.openDirectory(at: "/store", create: false)
    return try directory.open(StoreDirectory.segment(SegmentIdentifier(1)), .readWrite)
  }

  @Test func aLogThatWasNotClosedComesBackWhole() throws {
    let fileSystem = try Self.unclosedStore(10, durability: .full)
    let log = try TestLog.open(fileSystem)
    #expect(log.recoveryReport.tail == .open)
    #expect(log.recoveryReport.replayedRecordCount == 10)
    #expect(try TestLog.contents(log) == TestLog.expected(0..<10))
  }

  @Test("P8: cut anywhere, an unsynchronized tail ends at the last whole commit")
  func aCutTailEndsAtTheLastWholeCommit() throws {
    let fileSystem = try Self.unclosedStore(10, durability: .process)
    let whole = try TestLog.open(fileSystem).statistics().byteCount
    var ends = Set<Int>()
    for size in Array(stride(from: UInt64(SegmentHeader.byteCount), to: whole, by: 7)) + [whole] {
      let fileSystem = try Self.unclosedStore(10, durability: .process)
      try Self.active(fileSystem).truncate(to: size)
      let log = try TestLog.open(fileSystem)
      let count = Int(log.recoveryReport.replayedRecordCount)
      if try TestLog.contents(log) != TestLog.expected(0..<count) {
        Issue.record("cut at \(size)")
      }
      ends.insert(count)
      if size % 97 == 0 {
        try TestLog.put([100], log)
        try log.close()
        let again = try TestLog.open(fileSystem)
        #expect(try TestLog.contents(again) == TestLog.expected(Array(0..<count) + [100]))
      }
    }
    #expect(ends == Set(0...10))
  }

  @Test("P8: rot before an intact later commit is corruption, and nothing is changed")
  func rotBeforeADurableCommitIsCorruption() throws {
    let fileSystem = try Self.unclosedStore(10, durability: .full)
    let file = try Self.active(fileSystem)
    var byte = [UInt8](repeating: 0, count: 1)
    let offset = UInt64(SegmentHeader.byteCount + ShortFrameHeader.byteCount + 20)
    try byte.withUnsafeMutableBytes { _ = try file.read(into: $0, at: offset) }
    byte[0] ^= 0x10
    try byte.withUnsafeBytes { try file.write([$0], at: offset) }
    let before = try fileSystem.filesByName(in: "/store")
    do {
      _ = try TestLog.open(fileSystem)
      Issue.record("rot was taken for a torn end")
    } catch LogError.corruption(let report) {
      #expect(report.file == "segment-00000001.log")
      #expect(report.offset == UInt64(SegmentHeader.byteCount))
    }
    #expect(try fileSystem.filesByName(in: "/store") == before)
  }

  @Test("P4: what is written after a recovery survives the next one")
  func writesAfterRecoverySurvive() throws {
    let fileSystem = try Self.unclosedStore(3, durability: .full)
    for round in 0..<5 {
      let log = try TestLog.open(fileSystem)
      #expect(try TestLog.contents(log) == TestLog.expected(0..<(3 + round)))
      try TestLog.put([3 + round], log)
    }
    let log = try TestLog.open(fileSystem)
    #expect(try TestLog.contents(log) == TestLog.expected(0..<8))
    #expect(try log.statistics().live.recordCount == 8)
  }

  @Test("P3: opening and reading change no byte of any file")
  func openingChangesNothing() throws {
    for close in [true, false] {
      let fileSystem = InMemoryFileSystem()
      var log: Log? = try TestLog.open(fileSystem)
      try TestLog.put(0..<200, log!)
      if close { try log?.close() }
      log = nil
      let before = try fileSystem.filesByName(in: "/store")
      for access in [LogConfiguration.Access.readOnly, .readWrite] {
        let log = try TestLog.open(fileSystem, access: access)
        #expect(try TestLog.contents(log).count == 200)
        try log.close()
      }
      #expect(try fileSystem.filesByName(in: "/store") == before)
    }
  }

  @Test("P15: a second handle is refused at once, and says who holds the store")
  func aSecondHandleIsRefused() throws {
    let fileSystem = InMemoryFileSystem()
    let log = try TestLog.open(fileSystem)
    #expect(throws: LogError.self) { try TestLog.open(fileSystem) }
    try log.close()
    _ = try TestLog.open(fileSystem)
  }
}
