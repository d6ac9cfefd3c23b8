#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// Writes whole files for people, at any path: a page, a list.
public enum FileReplacement {
  /// How often another name is tried where something has the one that was drawn.
  private static let nameCountMaximum = 16

  /// Puts `bytes` at `path`, in the place of a file that may be there and whose mode is kept.
  ///
  /// They are written beside it, to a file with a name of its own, and renamed when all of them are
  /// on the disk; when that fails, what was there is as it was. Pipes and devices are written to,
  /// through links too. A link to anything else as the last part of the path is refused.
  /// - Returns: Whether a plain file is there now; false for pipes and devices.
  /// - Throws: `.notPlainFile` for a directory or such a link.
  @discardableResult
  public static func replace(_ path: String, with bytes: [UInt8]) throws(FileIOError) -> Bool {
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
        try write(bytes, to: try SystemCalls.openForWriting(path), isPlain: false)
        return false
      }
      let (beside, descriptor) = try createFile(beside: path)
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
      return true
    } catch { throw FileIOError(error, operation: "write", path: path) }
  }

  /// Creates a file beside `path` under a name that nothing has.
  private static func createFile(
    beside path: String
  ) throws(SystemCalls.Failure) -> (path: String, descriptor: Int32) {
    let random = SystemRandomSource()
    var count = 0
    while true {
      let digits = String(UInt32(truncatingIfNeeded: random.next()), radix: 16)
      let beside = "\(path).\(digits).new"
      do throws(SystemCalls.Failure) {
        return (beside, try SystemCalls.createFile(beside))
      } catch {
        count += 1
        guard error.code == EEXIST, count < nameCountMaximum else { throw error }
      }
    }
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
