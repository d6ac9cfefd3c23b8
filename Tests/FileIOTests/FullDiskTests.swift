import FileIO
import StorageTestSupport
import Testing

/// A memory file system of 64 KiB and few files, mounted in a namespace of a waiting process and
/// reached through that process's root, so that nothing is left behind whatever happens.
@Suite(
  "A disk that is really full",
  .enabled(if: HostTools.canMountPrivately, "SKIPPED: needs root and private mounts"))
struct FullDiskTests {
  private let temporary: TemporaryDirectory
  private let process: WaitingProcess
  private let directory: any Directory

  init() throws {
    temporary = try TemporaryDirectory()
    let unshare = try #require(HostTools.path(of: "unshare"))
    let mount = "mount -t tmpfs -o size=64k,nr_inodes=8 none '\(temporary.path)'"
    process = try WaitingProcess(
      unshare, ["-m", "sh", "-c", mount + " && echo ready && exec sleep 600"])
    directory = try POSIXFileSystem().openDirectory(
      at: "/proc/\(process.identifier)/root\(temporary.path)/store", create: true)
  }

  @Test("a write is refused for lack of space; cutting a file gives room again (P11)")
  func space() throws {
    let file = try directory.open(FileName(valid: "log"), .createNew)
    let parts = [[UInt8]](repeating: [UInt8](repeating: 1, count: 5000), count: 20)
    #expect(failure { try file.write(parts, at: 0) } == .noSpace)
    let size = try file.size()
    #expect((1...65536).contains(size))
    #expect(try file.contents().allSatisfy { $0 == 1 })
    #expect(failure { try file.allocate(0..<100_000) } == .noSpace)
    try file.truncate(to: 0)
    try file.write([parts[0]], at: 0)
    try file.synchronize()
    try directory.synchronize()
    #expect(try file.contents() == parts[0])
  }

  @Test("a file is refused for lack of inodes; removing one gives room again (P11)")
  func files() throws {
    var names: [FileName] = []
    var reason: FileIOError.Reason?
    while reason == nil, names.count < 20 {
      let name = FileName(valid: "f\(names.count)")
      do throws(FileIOError) {
        _ = try directory.open(name, .createNew)
        names.append(name)
      } catch {
        reason = error.reason
      }
    }
    #expect(reason == .noSpace)
    try directory.remove(try #require(names.first))
    _ = try directory.open(FileName(valid: "again"), .createNew)
  }
}
