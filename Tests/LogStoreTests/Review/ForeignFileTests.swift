import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Files in a store's directory that are not the log's, or not its any more.
@Suite struct ForeignFileTests {
  @Test("P16: a directory and a link among the files of a store disturb nothing")
  func otherThingsDisturbNothing() throws {
    let directory = try TemporaryDirectory()
    let path = "\(directory.path)/store"
    let log = try Log.open(at: path, configuration: TestLog.configuration)
    try TestLog.put(0..<10, log)
    try log.close()
    let fileSystem = POSIXFileSystem()
    _ = try fileSystem.openDirectory(at: "\(path)/backup", create: true)
    _ = try fileSystem.openDirectory(at: "\(path)/segment-00000000.log", create: true)
    let again = try Log.open(at: path, configuration: TestLog.configuration)
    let before = try again.statistics().fileByteCount
    try TestLog.put(10..<20, again)
    #expect(try again.statistics().fileByteCount > before)
    #expect(try TestLog.contents(again).count == 20)
    try again.close()
  }

  @Test("P15: a log let go without closing gives its lock back, whatever still reads it")
  func aLogLetGoGivesItsLockBack() throws {
    for isOnDisk in [false, true] {
      let directory = try TemporaryDirectory()
      let fileSystem: any FileSystem = isOnDisk ? POSIXFileSystem() : InMemoryFileSystem()
      let path = isOnDisk ? "\(directory.path)/store" : "/store"
      var log: Log? = try Log.open(at: path, fileSystem: fileSystem)
      try TestLog.put(0..<10, #require(log))
      let snapshot = log?.snapshot()
      let cursor = try snapshot?.records(in: TestLog.people)
      log = nil
      let again = try Log.open(at: path, fileSystem: fileSystem)
      try TestLog.put(10..<20, again)
      #expect(try snapshot?.record(for: TestLog.key(3), in: TestLog.people) != nil)
      #expect(try cursor?.next() != nil)
      try again.close()
    }
  }

  @Test("P15: a snapshot that outlives its closed log removes no file of whoever opens it next")
  func aLateSnapshotRemovesNothing() throws {
    let fileSystem = SimulatedFileSystem()
    let first = try TestLog.open(fileSystem)
    try TestLog.put(0..<50, first)
    try first.sealActiveSegment()
    let backup = fileSystem.snapshotOfFiles(in: "/store")
    var snapshot: Snapshot? = first.snapshot()
    let sealed = try first.statistics().segments.map(\.identifier)
    let rewrite = try first.beginRewrite(of: Set(sealed))
    while let record = try rewrite.next() { try rewrite.keep(record) }
    try rewrite.publish()
    try first.close()
    // Someone puts a backup back while the snapshot lives.
    for name in fileSystem.snapshotOfFiles(in: "/store").keys {
      fileSystem.removeFile(name, in: "/store")
    }
    for (name, bytes) in backup { fileSystem.replaceContents(of: name, in: "/store", with: bytes) }
    let second = try TestLog.open(fileSystem)
    #expect(snapshot != nil)
    snapshot = nil
    #expect(try TestLog.contents(second) == TestLog.expected(0..<50))
    #expect(fileSystem.snapshotOfFiles(in: "/store").keys.sorted() == backup.keys.sorted())
  }
}
