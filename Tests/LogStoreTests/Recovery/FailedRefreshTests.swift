import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// A refresh that fails leaves the reader in the state it was in, and the next one goes on.
@Suite struct FailedRefreshTests {
  /// A reader with full durability, none of whose files can be synchronized while `fails` is set.
  private static func follow(_ base: any FileSystem, _ fails: Lock<Bool>) throws -> Log {
    let observed = ObservedFileSystem(base) { call throws(FileIOError) in
      if call == .synchronize, fails.withLock({ fails in fails }) {
        throw FileIOError(.ioError, operation: "synchronize", path: "/store/segment")
      }
    }
    return try follow(observed)
  }

  private static func follow(_ fileSystem: any FileSystem) throws -> Log {
    try TestLog.open(fileSystem, access: .readOnly, durability: .full)
  }

  @Test(
    "what was read and could not be made durable is neither shown nor counted",
    arguments: [true, false])
  func failedSynchronization(countsBefore: Bool) throws {
    let base = InMemoryFileSystem()
    let fails = Lock(false)
    let writer = try TestLog.open(base, durability: .process)
    try TestLog.put(0..<5, writer)
    try writer.sealActiveSegment()
    try TestLog.put(3..<7, writer)
    let reader = try Self.follow(base, fails)
    if countsBefore { try TestLog.compare(reader, TestLog.expected(0..<7)) }
    // Read from where the tail ended.
    try TestLog.put(2..<9, writer)
    try reader.refresh()
    if countsBefore { try TestLog.compare(reader, TestLog.expected(0..<9)) }
    // Some are new, some replace what is sealed, or what the tail has.
    try TestLog.put(1..<12, writer)
    fails.withLock { fails in fails = true }
    #expect(throws: LogError.self) { try reader.refresh() }
    try TestLog.compare(reader, TestLog.expected(0..<9))
    fails.withLock { fails in fails = false }
    try writer.sealActiveSegment()
    try TestLog.put(12..<14, writer)
    try reader.refresh()
    try TestLog.compare(reader, TestLog.expected(0..<14))
    try TestLog.put(14..<16, writer)
    try reader.refresh()
    try TestLog.compare(reader, TestLog.expected(0..<16))
    try reader.close()
    try writer.close()
  }

  @Test("P8: frames before a damaged one are neither shown nor counted")
  func damagedFrame() throws {
    let fileSystem = SimulatedFileSystem()
    let writer = try TestLog.open(fileSystem)
    try TestLog.put([0], writer)
    let reader = try Self.follow(fileSystem)
    try TestLog.compare(reader, TestLog.expected([0]))
    try TestLog.put([1], writer)
    let end = Int(try writer.statistics().byteCount)
    for number in 2..<5 { try TestLog.put([number], writer) }
    let name = try #require(
      fileSystem.snapshotOfFiles(in: "/store").keys.first { $0.hasPrefix("segment") })
    fileSystem.flipBit(0, of: name, in: "/store", at: end + 60)
    for _ in 0..<2 {
      #expect(throws: LogError.self) { try reader.refresh() }
      try TestLog.compare(reader, TestLog.expected([0]))
    }
    fileSystem.flipBit(0, of: name, in: "/store", at: end + 60)
    try reader.refresh()
    try TestLog.compare(reader, TestLog.expected(0..<5))
    try reader.close()
    withExtendedLifetime(writer) {}
  }

  @Test("P10: a file that could not be synchronized once is not shown; another one is")
  func failuresAreOfFiles() throws {
    let base = InMemoryFileSystem()
    let fails = Lock(false)
    let writer = try TestLog.open(base, durability: .process)
    try TestLog.put(0..<5, writer)
    let reader = try Self.follow(base, fails)
    try TestLog.put(5..<10, writer)
    fails.withLock { fails in fails = true }
    #expect(throws: LogError.self) { try reader.refresh() }
    // The system has told of it, and would not again.
    fails.withLock { fails in fails = false }
    for _ in 0..<2 { #expect(throws: LogError.self) { try reader.refresh() } }
    #expect(try TestLog.contents(reader) == TestLog.expected(0..<5))
    // What its writer has synchronized is no matter of the reader.
    try writer.sealActiveSegment()
    try TestLog.put(10..<15, writer)
    try reader.refresh()
    #expect(try TestLog.contents(reader) == TestLog.expected(0..<15))
    try reader.close()
    try writer.close()
  }

  @Test("P10: what a backup could not synchronize no refresh takes for durable")
  func failedByBackup() throws {
    let base = InMemoryFileSystem()
    let fails = Lock(false)
    let writer = try TestLog.open(base, durability: .process)
    try TestLog.put(0..<5, writer)
    let reader = try Self.follow(base, fails)
    try TestLog.put(5..<10, writer)
    fails.withLock { fails in fails = true }
    try reader.backup(to: "/backup", fileSystem: base)
    // The system has told of it, and would not again.
    fails.withLock { fails in fails = false }
    #expect(throws: LogError.self) { try reader.refresh() }
    #expect(try TestLog.contents(reader) == TestLog.expected(0..<5))
    try writer.sealActiveSegment()
    try reader.refresh()
    #expect(try TestLog.contents(reader) == TestLog.expected(0..<10))
    try reader.close()
    try writer.close()
  }

  @Test(
    "P10: a backup goes on where the writer has gone on in another file than the one that failed")
  func backupsOfOtherFiles() throws {
    let base = InMemoryFileSystem()
    let fails = Lock(false)
    let writer = try TestLog.open(base, durability: .process)
    try TestLog.put(0..<5, writer)
    let reader = try Self.follow(base, fails)
    try reader.backup(to: "/backup", fileSystem: base)
    try TestLog.put(5..<10, writer)
    for isFailing in [true, false] {
      fails.withLock { fails in fails = isFailing }
      #expect(throws: LogError.self) { try reader.backup(to: "/backup", fileSystem: base) }
    }
    try writer.sealActiveSegment()
    try TestLog.put(10..<15, writer)
    try reader.refresh()
    try reader.backup(to: "/backup", fileSystem: base)
    let copy = try UnfinishedCopyTests.open(base, at: "/backup")
    #expect(try TestLog.contents(copy) == TestLog.expected(0..<15))
    try reader.close()
    try writer.close()
  }

  /// Without a manifest, so that segments are synchronized that were mapped and closed before.
  @Test("P10: an opening that is refused at any moment of a refresh harms no later one")
  func refusedOpenings() throws {
    var number = 0
    var isRefused = true
    while isRefused {
      number += 1
      let base = InMemoryFileSystem()
      let writer = try TestLog.open(base)
      for start in [0, 10, 20] {
        try TestLog.put(start..<(start + 10), writer)
        try writer.sealActiveSegment()
      }
      let left = Lock(0)
      let observed = ObservedFileSystem(base) { call throws(FileIOError) in
        guard case .open = call else { return }
        let isNow = left.withLock { left in
          left -= 1
          return left == 0
        }
        if isNow { throw FileIOError(.permissionDenied, operation: "open", path: "/store/a") }
      }
      let reader = try Self.follow(observed)
      try base.openDirectory(at: "/store", create: false).remove(StoreDirectory.manifest)
      left.withLock { left in left = number }
      _ = try? reader.refresh()
      isRefused = left.withLock { left in left <= 0 }
      left.withLock { left in left = 0 }
      try reader.refresh()
      #expect(try TestLog.contents(reader) == TestLog.expected(0..<30), "opening \(number)")
      try reader.close()
      withExtendedLifetime(writer) {}
    }
    #expect(number > 10)
  }
}
