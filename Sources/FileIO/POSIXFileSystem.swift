#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The file system of the operating system.
///
/// Directories are created with mode 0700 and files with 0600, whatever the process's mask, unless
/// the file system is mounted with modes of its own. The last part of a path must not be a symbolic
/// link, and files are never reached through one. Files that root creates belong to whom their
/// directory belongs to, directories to root.
public struct POSIXFileSystem: FileSystem {
  public init() {}

  /// Opens the directory at `path`, creating it (mode 0700, one level) when `create` is set.
  ///
  /// With `create` the directory's own name is durable on return: its parent is synchronized.
  public func openDirectory(
    at path: String, create: Bool
  ) throws(FileIOError) -> any Directory {
    do throws(SystemCalls.Failure) {
      let isNew = create ? try makeDirectory(path) : false
      let descriptor = try SystemCalls.openDirectory(path, follow: false)
      // From here on the object closes the handle, also when a later step throws.
      let directory = POSIXDirectory(descriptor: descriptor, path: path)
      if isNew { try SystemCalls.changeMode(descriptor, to: 0o700) }
      // Also when it existed: whoever created it may have died before this step.
      if create { try synchronizeParent(of: path) }
      return directory
    } catch {
      throw FileIOError(error, operation: "open directory", path: path)
    }
  }

  /// Moves the directory at `source` to `target` of the same file system, where nothing or an empty
  /// directory is; all others stay, and are an error.
  package func moveDirectory(at source: String, to target: String) throws(FileIOError) {
    do throws(SystemCalls.Failure) {
      try SystemCalls.rename(source, to: target, in: AT_FDCWD)
    } catch {
      throw FileIOError(error, operation: "rename to \(target)", path: source)
    }
  }

  /// Whether the directory was created; false when it exists.
  private func makeDirectory(_ path: String) throws(SystemCalls.Failure) -> Bool {
    do {
      try SystemCalls.makeDirectory(path)
      return true
    } catch {
      guard error.code == EEXIST else { throw error }
      return false
    }
  }

  private func synchronizeParent(of path: String) throws(SystemCalls.Failure) {
    let parent: Int32
    do {
      parent = try SystemCalls.openDirectory(Self.parent(of: path), follow: true)
    } catch {
      guard error.code == EACCES || error.code == EPERM else { throw error }
      return  // A parent that we may pass but not read: making it durable is up to its owner.
    }
    defer { SystemCalls.closeDescriptor(parent) }
    do {
      try SystemCalls.synchronizeDirectory(parent)
    } catch {
      // Some file systems do not synchronize directories.
      guard error.code == EINVAL || error.code == EROFS else { throw error }
    }
  }

  /// The path of the directory that holds the last part of `path`.
  package static func parent(of path: String) -> String {
    var rest = path[...]
    while rest.count > 1, rest.last == "/" { rest.removeLast() }
    guard let slash = rest.lastIndex(of: "/") else { return "." }
    let parent = rest[..<slash]
    return parent.isEmpty ? "/" : String(parent)
  }
}
