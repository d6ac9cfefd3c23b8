import StorageTestSupport
import Testing

@testable import FileIO

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("The file system of the operating system")
struct POSIXFileSystemTests {
  private let temporary: TemporaryDirectory
  let name = FileName(valid: "log")

  init() throws { temporary = try TemporaryDirectory() }

  private func open(_ part: String = "store") throws -> any Directory {
    try POSIXFileSystem().openDirectory(at: temporary.path + "/" + part, create: true)
  }

  private func mode(_ part: String) throws -> mode_t {
    var status = stat()
    try #require(lstat(temporary.path + "/" + part, &status) == 0)
    return status.st_mode & 0o7777
  }

  @Test("directories have mode 0700 and files 0600 (P16)")
  func permissions() throws {
    _ = try open().open(name, .createNew)
    #expect(try mode("store") == 0o700)
    #expect(try mode("store/log") == 0o600)
  }

  @Test("the process's mask changes nothing, not even one that forbids everything (P16)")
  func permissionsUnderMasks() async {
    await #expect(processExitsWith: .success) {
      let temporary = try TemporaryDirectory()
      if getuid() == 0 {  // Root may do everything, so it would prove less.
        try #require(chown(temporary.path, 65534, 65534) == 0)
        try #require(setuid(65534) == 0)
      }
      for mask: mode_t in [0, 0o022, 0o077, 0o277, 0o777] {
        umask(mask)
        let path = "\(temporary.path)/\(mask)"
        let directory = try POSIXFileSystem().openDirectory(at: path, create: true)
        let file = try directory.open(FileName(valid: "log"), .createNew)
        try file.write([[1]], at: 0)
        var status = stat()
        try #require(lstat(path, &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o700)
        try #require(lstat(path + "/log", &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o600)
      }
    }
  }

  @Test("modes that are the file system's to give are no error; what else fails is one")
  func fixedModes() throws {
    #if os(Linux)
      // That of a file of the system cannot be changed.
      let descriptor = try SystemCalls.openSystemFile("/proc/self/status")
      defer { SystemCalls.closeDescriptor(descriptor) }
      if fchmod(descriptor, 0o600) == -1, SystemCalls.isModeFixed(after: errno) {
        try SystemCalls.changeMode(descriptor, to: 0o600)
      }
    #endif
    #expect(throws: SystemCalls.Failure.self) { try SystemCalls.changeMode(-1, to: 0o600) }
    for code in [EPERM, EACCES, ENOSYS, ENOTSUP, EOPNOTSUPP] {
      #expect(SystemCalls.isModeFixed(after: code))
    }
    for code in [EIO, EROFS, ENOSPC, EBADF, ENOENT] {
      #expect(!SystemCalls.isModeFixed(after: code))
    }
  }

  @Test(
    "files that root makes belong to the owner of their directory",
    .enabled(if: getuid() == 0, "only root may give files away"))
  func ownerOfNewFiles() throws {
    func owner(_ part: String) throws -> [UInt32] {
      var status = stat()
      try #require(lstat(temporary.path + "/" + part, &status) == 0)
      return [status.st_uid, status.st_gid]
    }
    let directory = try open()
    _ = try directory.open(name, .createNew)
    #expect(try owner("store/log") == [getuid(), getgid()])
    try #require(chown(temporary.path + "/store", 65534, 65533) == 0)
    _ = try directory.open(FileName(valid: "new"), .createNew)
    #expect(try owner("store/new") == [65534, 65533])
    #expect(try mode("store/new") == 0o600)
    // What is there already is nobody's business.
    _ = try directory.open(name, .readWrite)
    #expect(try owner("store/log") == [getuid(), getgid()])
    // Neither is a directory in one of somebody else.
    try #require(chmod(temporary.path + "/store", 0o777) == 0)
    _ = try open("store/inner")
    #expect(try owner("store/inner") == [getuid(), getgid()])
  }

  @Test("an existing directory keeps its mode (P16)")
  func existingDirectory() throws {
    try #require(mkdir(temporary.path + "/store", 0o750) == 0)
    try #require(chmod(temporary.path + "/store", 0o750) == 0)
    _ = try open()
    #expect(try mode("store") == 0o750)
  }

  @Test("only the last directory of a path is created")
  func missingParents() {
    #expect(failure { _ = try open("missing/store") } == .notFound)
  }

  @Test("symbolic links are refused as files and as directories (P16)")
  func symbolicLinks() throws {
    let directory = try open()
    try directory.open(name, .createNew).write([[1]], at: 0)
    for target in ["log", "missing", "/etc/passwd", "."] {
      let link = FileName(valid: "link")
      try #require(symlink(target, temporary.path + "/store/link") == 0)
      #expect(failure { _ = try directory.open(link, .read) } == .notPlainFile)
      #expect(failure { _ = try directory.open(link, .readWrite) } == .notPlainFile)
      #expect(failure { _ = try directory.open(link, .createNew) } == .alreadyExists)
      try directory.remove(link)
    }
    #expect(try directory.open(name, .read).contents() == [1])
    try #require(symlink("store", temporary.path + "/alias") == 0)
    #expect(failure { _ = try open("alias") } == .notDirectory)
    let existing = failure {
      _ = try POSIXFileSystem().openDirectory(at: temporary.path + "/alias", create: false)
    }
    #expect(existing == .notDirectory)
  }

  @Test("a file with a second hard link is refused (P16)")
  func hardLinks() throws {
    let directory = try open()
    _ = try directory.open(name, .createNew)
    try #require(link(temporary.path + "/store/log", temporary.path + "/elsewhere") == 0)
    #expect(failure { _ = try directory.open(name, .readWrite) } == .notPlainFile)
    #expect(failure { _ = try directory.open(name, .read) } == .notPlainFile)
    try #require(unlink(temporary.path + "/elsewhere") == 0)
    _ = try directory.open(name, .readWrite)
  }

  @Test("pipes and directories are refused without waiting (P16)")
  func specialFiles() async {
    await #expect(processExitsWith: .success) {
      alarm(60)  // Waiting for the other end of a pipe would last for ever.
      let temporary = try TemporaryDirectory()
      let directory = try POSIXFileSystem().openDirectory(at: temporary.path, create: false)
      try #require(mkfifo(temporary.path + "/pipe", 0o600) == 0)
      try #require(mkdir(temporary.path + "/directory", 0o700) == 0)
      for name in [FileName(valid: "pipe"), FileName(valid: "directory")] {
        #expect(failure { _ = try directory.open(name, .read) } == .notPlainFile)
        #expect(failure { _ = try directory.open(name, .readWrite) } == .notPlainFile)
        #expect(failure { _ = try directory.open(name, .createNew) } == .alreadyExists)
      }
    }
  }

  @Test("a plain file in the place of the directory is refused (P16)")
  func fileInPlaceOfDirectory() throws {
    let parent = try POSIXFileSystem().openDirectory(at: temporary.path, create: false)
    _ = try parent.open(name, .createNew)
    #expect(failure { _ = try open("log") } == .notDirectory)
  }

  @Test("a renamed directory is still reached through its handle")
  func renamedDirectory() throws {
    let directory = try open()
    try #require(rename(temporary.path + "/store", temporary.path + "/moved") == 0)
    _ = try directory.open(name, .createNew)
    #expect(try mode("moved/log") == 0o600)
  }

  @Test("foreign names are listed, whatever their bytes")
  func foreignNames() throws {
    let directory = try open()
    for text in ["..hidden", "with space", "bad\u{7}"] {
      try #require(mkdir(temporary.path + "/store/" + text, 0o700) == 0)
    }
    #expect(try directory.list().count == 3)
    #expect(try directory.list().allSatisfy { FileName($0) == nil })
  }

  @Test("no handle is inherited by other programs", .enabled(if: HostTools.isLinux, "needs /proc"))
  func closedOnExecution() throws {
    let directory = try open()
    let file = try directory.open(name, .createNew)
    try withExtendedLifetime((directory, file)) {
      let handles = (0..<Int32(4096)).filter { handle in
        var target = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/fd/\(handle)", &target, target.count - 1)
        guard count > 0 else { return false }
        let bytes = target[..<count].map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self).hasPrefix(temporary.path)
      }
      try #require(handles.count == 2)
      #expect(handles.allSatisfy { fcntl($0, F_GETFD) & FD_CLOEXEC != 0 })
    }
  }

  @Test("too many open files are a clean error, and closing some helps (P12)")
  func tooManyOpenFiles() async {
    await #expect(processExitsWith: .success) {
      let temporary = try TemporaryDirectory()
      let path = temporary.path + "/store"
      let directory = try POSIXFileSystem().openDirectory(at: path, create: true)
      let name = FileName(valid: "log")
      var files = [try directory.open(name, .createNew)]
      var limit = rlimit(rlim_cur: 40, rlim_max: 40)
      try #require(HostTools.limitOpenFiles(&limit))
      var reason: FileIOError.Reason?
      while reason == nil, files.count < 100 {
        do throws(FileIOError) {
          files.append(try directory.open(name, .read))
        } catch {
          reason = error.reason
        }
      }
      #expect(reason == .tooManyOpenFiles(limit: 40))
      #expect(failure { _ = try directory.list() } == .tooManyOpenFiles(limit: 40))
      let created = failure { _ = try directory.open(FileName(valid: "b"), .createNew) }
      #expect(created == .tooManyOpenFiles(limit: 40))
      let again = failure {
        _ = try POSIXFileSystem().openDirectory(at: path, create: false)
      }
      #expect(again == .tooManyOpenFiles(limit: 40))
      files.removeAll()
      #expect(try directory.list() == ["log"])
    }
  }

  @Test("a write that the system cuts short goes on, then fails where no more fits (P9)")
  func shortWrites() async {
    await #expect(processExitsWith: .success) {
      let temporary = try TemporaryDirectory()
      let directory = try POSIXFileSystem().openDirectory(at: temporary.path, create: false)
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 1000, rlim_max: 1000)
      try #require(HostTools.limitFileSize(&limit))
      for parts in [[1500], [400, 700, 400]] {
        let file = try directory.open(FileName(valid: "log"), .createNew)
        let bytes = parts.map { [UInt8](repeating: 5, count: $0) }
        #expect(failure { try file.write(bytes, at: 0) } == .other(code: EFBIG))
        #expect(try file.contents() == [UInt8](repeating: 5, count: 1000))
        try directory.remove(FileName(valid: "log"))
      }
    }
  }
}
