import Testing

@testable import FileIO

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("A file error")
struct FileIOErrorTests {
  @Test(
    "says what failed, where, and what to do",
    arguments: [
      (FileIOError.Reason.notFound, "it does not exist"),
      (.alreadyExists, "it exists already"),
      (
        .permissionDenied,
        "permission was denied; check the owner and mode of the directory"
      ),
      (.noSpace, "no space is left on the device; free some and try again"),
      (.ioError, "the device reported an input/output error; check the disk"),
      (.locked(holder: 12), "process 12 is using it; close it there first"),
      (.locked(holder: nil), "another process is using it; close it there first"),
      (
        .notPlainFile,
        "it is not a plain file with one name; links and special files are not followed"
      ),
      (.readOnlyFileSystem, "the file system is mounted read-only"),
      (
        .tooManyOpenFiles(limit: 40),
        "the process has as many files open as it may, 40; close some, or raise the limit "
          + "(ulimit -n)"
      ),
      (
        .tooManyOpenFiles(limit: nil),
        "the machine has as many files open as it can; close some"
      ),
      (.brokenPipe, "the reader of the pipe has gone"),
      (.other(code: 75), "the operating system reported error 75"),
    ])
  func sentences(_ reason: FileIOError.Reason, _ sentence: String) {
    let error = FileIOError(reason, operation: "write", path: "/a/b")
    #expect(error.description == "write failed for /a/b: \(sentence)")
  }

  @Test(
    "stands for the codes of the system",
    arguments: [
      (ENOENT, FileIOError.Reason.notFound), (EEXIST, .alreadyExists),
      (EACCES, .permissionDenied), (EPERM, .permissionDenied), (ENOSPC, .noSpace),
      (EDQUOT, .noSpace), (EIO, .ioError), (EINTR, .ioError),
      (EWOULDBLOCK, .other(code: EWOULDBLOCK)), (ELOOP, .notPlainFile), (ENXIO, .notPlainFile),
      (EISDIR, .notPlainFile), (ENOTDIR, .notDirectory), (EROFS, .readOnlyFileSystem),
      (EPIPE, .brokenPipe),
      (ENFILE, .tooManyOpenFiles(limit: nil)), (EINVAL, .other(code: EINVAL)),
    ])
  func codes(_ code: Int32, _ reason: FileIOError.Reason) {
    #expect(FileIOError.Reason(systemError: code) == reason)
  }
}
