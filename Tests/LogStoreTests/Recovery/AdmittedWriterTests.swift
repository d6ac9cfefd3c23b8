import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

@Suite("A reader that admits writers keeps nobody out, and shows what it was opened with")
struct AdmittedWriterTests {
  private static func read(
    _ fileSystem: any FileSystem, _ readMode: LogConfiguration.ReadMode, admitsWriters: Bool = true
  ) throws(LogError) -> Log {
    var configuration = TestLog.configuration
    configuration.access = .readOnly
    configuration.readMode = readMode
    configuration.admitsWriters = admitsWriters
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  private static func store() throws -> SimulatedFileSystem {
    let fileSystem = SimulatedFileSystem()
    let log = try TestLog.open(fileSystem)
    for start in stride(from: 0, to: 100, by: 10) { try TestLog.put(start..<start + 10, log) }
    try log.close()
    return fileSystem
  }

  @Test(
    "A writer that begins later may compact everything away",
    arguments: [LogConfiguration.ReadMode.mapped, .buffered])
  func laterWriter(readMode: LogConfiguration.ReadMode) throws {
    let fileSystem = try Self.store()
    let reader = try Self.read(fileSystem, readMode)
    let writer = try TestLog.open(fileSystem)
    try TestLog.delete(0..<50, writer)
    try writer.sealActiveSegment()
    try ManifestRebuildingTests.rewriteAll(writer)
    try TestLog.compare(reader, TestLog.expected(0..<100))
    try reader.refresh()
    try TestLog.compare(reader, TestLog.expected(50..<100))
    try writer.close()
    try TestLog.compare(reader, TestLog.expected(50..<100))
    try reader.close()
  }

  @Test("Without, a writer waits until the reader is closed")
  func excluded() throws {
    let fileSystem = try Self.store()
    let reader = try Self.read(fileSystem, .buffered, admitsWriters: false)
    #expect(throws: LogError.self) { try TestLog.open(fileSystem) }
    try reader.close()
    try TestLog.open(fileSystem).close()
  }

  @Test("A store of which a segment is missing or damaged is opened, and the rest is read")
  func damaged() throws {
    for isMissing in [true, false] {
      let fileSystem = try Self.store()
      let name = "segment-00000001.log"
      if isMissing {
        fileSystem.removeFile(name, in: "/store")
      } else {
        fileSystem.flipBit(2, of: name, in: "/store", at: 300)
      }
      let reader = try Self.read(fileSystem, .buffered)
      let last = try reader.snapshot().record(for: TestLog.key(99), in: TestLog.people)
      #expect(last?.payload == TestLog.payload(99))
      #expect(throws: LogError.self) { try TestLog.contents(reader) }
    }
  }

  @Test("Where there is no store it says so, and leaves nothing")
  func noStore() throws {
    let fileSystem = SimulatedFileSystem()
    #expect(throws: LogError.storeNotFound(path: "/store")) {
      try Self.read(fileSystem, .buffered)
    }
    _ = try fileSystem.openDirectory(at: "/store", create: true)
    #expect(throws: LogError.self) { try Self.read(fileSystem, .buffered) }
    #expect(fileSystem.snapshotOfFiles(in: "/store").isEmpty)
  }
}
