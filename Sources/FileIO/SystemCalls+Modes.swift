#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

extension SystemCalls {
  /// Gives a file or directory a mode, unless its file system gives all of them one that is not
  /// ours to change; what may be done there is told by doing it.
  static func changeMode(_ descriptor: Int32, to mode: mode_t) throws(Failure) {
    do throws(Failure) { _ = try repeating { fchmod(descriptor, mode) } } catch {
      guard isModeFixed(after: error.code) else { throw error }
    }
  }

  /// Whether changing the mode of what we made fails so on file systems that fix owners and modes
  /// (FAT, SMB, FUSE).
  static func isModeFixed(after code: Int32) -> Bool {
    [EPERM, EACCES, ENOSYS, ENOTSUP, EOPNOTSUPP].contains(code)
  }
}
