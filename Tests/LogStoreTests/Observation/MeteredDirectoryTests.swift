import BinaryCoding
import FileIO
import Testing

@testable import LogStore

@Suite struct MeteredDirectoryTests {
  /// Answers what has a default too, so that a default in its place shows.
  final class Probe: Directory {
    let path = "/probe"
    private let inner: any Directory
    private let asked = Lock<[String]>([])
    var requests: [String] { asked.withLock { asked in asked } }

    init() throws { inner = try InMemoryFileSystem().openDirectory(at: "/probe", create: true) }

    private func note(_ request: String) { asked.withLock { asked in asked.append(request) } }

    func open(_ name: FileName, _ mode: OpenMode) throws(FileIOError) -> any File {
      note("open")
      return try inner.open(name, mode)
    }
    func openSealed(_ name: FileName) throws(FileIOError) -> any File {
      note("openSealed")
      return try inner.open(name, .read)
    }
    func list() throws(FileIOError) -> [String] { ["a list"] }
    func rename(_ source: FileName, to target: FileName) throws(FileIOError) { note("rename") }
    func remove(_ name: FileName) throws(FileIOError) { note("remove") }
    func synchronize() throws(FileIOError) { note("synchronize") }
    func freeByteCount() throws(FileIOError) -> UInt64? { 77 }
    func lock(_ kind: LockKind) throws(FileIOError) { note("lock") }
    func unlock() { note("unlock") }
  }

  @Test("Every request is handed on, also those that a directory need not answer itself")
  func everyRequestIsHandedOn() throws {
    let probe = try Probe()
    let counters = ActivityCounters()
    let directory = MeteredDirectory(probe, WriteMeter(counters, LogConfiguration()))
    let name = StoreDirectory.manifest
    let written = try directory.open(name, .createNew)
    let bytes: [UInt8] = [1, 2, 3]
    try bytes.withBytes { (bytes: UnsafeRawBufferPointer) throws(FileIOError) in
      try written.write([bytes, bytes], at: 0)
    }
    try written.synchronize()
    _ = try directory.openSealed(name)
    try directory.rename(name, to: name)
    try directory.remove(name)
    try directory.synchronize()
    try directory.lock(.shared)
    directory.unlock()
    #expect(
      probe.requests
        == ["open", "openSealed", "rename", "remove", "synchronize", "lock", "unlock"])
    #expect(try directory.list() == ["a list"])
    #expect(try directory.freeByteCount() == 77)
    #expect(directory.path == "/probe")
    #expect(counters.activity.manifestByteCount == 6)
    #expect(counters.activity.synchronizationCount == 2)
  }
}
