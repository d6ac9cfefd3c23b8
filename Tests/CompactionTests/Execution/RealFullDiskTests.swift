import FileIO
import LogStore
import StorageTestSupport
import Testing

@testable import Compaction

/// T-ENOSPC on memory file systems of the kernel, each mounted in a namespace of a waiting process
/// and reached through that process's root, so that nothing is left behind whatever happens.
@Suite(
  "A store on a disk that is really full",
  .enabled(if: HostTools.canMountPrivately, "SKIPPED: needs root and private mounts"))
struct RealFullDiskTests {
  private let temporary: TemporaryDirectory

  init() throws { temporary = try TemporaryDirectory() }

  private func mount(_ options: String) throws -> (process: WaitingProcess, path: String) {
    let unshare = try #require(HostTools.path(of: "unshare"))
    let mount = "mount -t tmpfs -o \(options) none '\(temporary.path)'"
    let process = try WaitingProcess(
      unshare, ["-m", "sh", "-c", mount + " && echo ready && exec sleep 600"])
    return (process, "/proc/\(process.identifier)/root\(temporary.path)/store")
  }

  @Test(
    "P11: it reads on; deleting and compacting makes room again; nothing is lost",
    arguments: [
      "size=128k", "size=160k", "size=200k", "size=256k", "nr_inodes=11", "nr_inodes=14",
      "nr_inodes=20",
    ])
  func fullDisk(options: String) throws {
    let (process, path) = try mount(options)
    defer { process.kill() }
    var store = try FullStore(POSIXFileSystem(), path)
    try #require(try store.fill(putCount: 2000))
    #expect(try store.isComplete())
    try #require(store.log.statistics().reserveByteCount > 0)
    for number in 0..<5 {
      do throws(LogError) { try store.put(number) } catch { #expect(error.isDiskFull) }
    }
    #expect(try store.isComplete())
    try store.deleteHalf()
    try store.compact()
    #expect(try store.isComplete())
    try store.put(1000)
    #expect(try store.log.statistics().reserveByteCount > 0)
    try store.log.close()
    try store.reopen(on: POSIXFileSystem())
    #expect(try store.isComplete())
    try store.log.close()
    let report = try LogVerifier.verify(path)
    #expect(report.isIntact && report.notes.isEmpty, "\(report)")
  }
}
