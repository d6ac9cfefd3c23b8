#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

extension FileIOError {
  /// The failure of a system call during `operation` on `path`.
  init(_ failure: SystemCalls.Failure, operation: String, path: String) {
    self.init(Reason(systemError: failure.code), operation: operation, path: path)
  }
}

extension FileIOError.Reason {
  /// The code of a file that may not grow any more.
  static let fileTooLarge = EFBIG

  /// The reason that the operating system's `code` stands for.
  init(systemError code: Int32) {
    self =
      switch code {
      case ENOENT: .notFound
      case EEXIST: .alreadyExists
      case EACCES, EPERM: .permissionDenied
      case ENOSPC, EDQUOT: .noSpace
      // A sync is never repeated, so an interrupted one has failed like any other.
      case EIO, EINTR: .ioError
      // ELOOP: a symbolic link. ENXIO: a pipe without reader, or a socket. EISDIR: a directory.
      case ELOOP, ENXIO, EISDIR: .notPlainFile
      case ENOTDIR: .notDirectory
      case EPIPE: .brokenPipe
      case EROFS: .readOnlyFileSystem
      case EMFILE: .tooManyOpenFiles(limit: SystemCalls.openFileLimit())
      case ENFILE: .tooManyOpenFiles(limit: nil)
      default: .other(code: code)
      }
  }
}
