#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// Writes whole files for people, at any path: a page, a list.
public enum FileReplacement {
  /// Puts `bytes` at `path`, in the place of a file that may be there and whose mode is kept.
  ///
  /// They are written beside it, under the same name with `.new` behind it, and renamed when all of
  /// them are on the disk; when that fails, what was there is as it was. Pipes and devices are
  /// written to, through links too. A link to anything else as the last part of the path is
  /// refused.
  /// - Throws: `.notPlainFile` for a directory or such a link, or when something lies beside it
  ///   that is no plain file.
  public static func replace(_ path: String, with bytes: [UInt8]) throws(FileIOError) {
    do throws(SystemCalls.Failure) {
      let mode = try SystemCalls.modeOfFile(path)
      if let mode, mode & S_IFMT != S_IFREG {
        guard mode & S_IFMT != S_IFDIR else { throw SystemCalls.Failure(code: EISDIR) }
        // As `/dev/stdout` leads to a pipe. A file is not written to through a link.
        if mode & S_IFMT == S_IFLNK {
          let target = try SystemCalls.modeOfTarget(path) & S_IFMT
          guard target == S_IFIFO || target == S_IFCHR || target == S_IFSOCK else {
            throw SystemCalls.Failure(code: ELOOP)
          }
        }
        return try write(bytes, to: try SystemCalls.openForWriting(path), isPlain: false)
      }
      let beside = path + ".new"
      let descriptor = try SystemCalls.createFile(beside)
      do throws(SystemCalls.Failure) {
        if let mode { try SystemCalls.changeMode(descriptor, to: mode & 0o777) }
      } catch {}
      do throws(SystemCalls.Failure) {
        try write(bytes, to: descriptor, isPlain: true)
        try SystemCalls.rename(beside, to: path, in: AT_FDCWD)
      } catch {
        do throws(SystemCalls.Failure) { try SystemCalls.remove(beside, in: AT_FDCWD) } catch {}
        throw error
      }
    } catch { throw FileIOError(error, operation: "write", path: path) }
  }

  /// Closes `descriptor`.
  private static func write(
    _ bytes: [UInt8], to descriptor: Int32, isPlain: Bool
  ) throws(SystemCalls.Failure) {
    defer { SystemCalls.closeDescriptor(descriptor) }
    var done = 0
    while done < bytes.count {
      done += try SystemCalls.writeNext(descriptor, bytes, from: done)
    }
    if isPlain { try SystemCalls.synchronizeFile(descriptor) }
  }
}
