#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

extension FileIOError {
  /// Turns a code of the operating system, from opening or using a stream, into an error.
  init(streamError code: Int32, operation: String, path: String) {
    let reason: Reason =
      switch code {
      case ENOENT, ENOTDIR: .notFound
      case EACCES, EPERM: .permissionDenied
      case EISDIR: .notPlainFile
      case ENOSPC, EDQUOT: .noSpace
      case EIO: .ioError
      case EPIPE: .brokenPipe
      case EMFILE, ENFILE: .tooManyOpenFiles
      default: .other(code: code)
      }
    self.init(reason, operation: operation, path: path)
  }
}
