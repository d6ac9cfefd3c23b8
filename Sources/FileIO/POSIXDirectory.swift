#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// An open directory of the operating system; closed, and its lock given back, with the object.
///
/// The lock is `flock` on the directory itself: there is no lock file that could be replaced or
/// deleted, and the kernel gives it back when the process dies. The handle is closed on `exec`.
public final class POSIXDirectory: Directory {
  public let path: String
  private let descriptor: Int32
  /// The process that opened the handle: the child of a fork shares the lock and must not drop it.
  private let owner: Int32
  /// Where it was opened, whatever directory the process works in later; nothing where none tells.
  private let place: String?

  /// Takes ownership of an open `descriptor`.
  init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
    place = SystemCalls.absolutePath(of: path)
    owner = SystemCalls.processIdentifier()
  }

  deinit {
    // A forked child that still lives would keep the lock alive through its copy of the handle.
    unlock()
    SystemCalls.closeDescriptor(descriptor)
  }

  /// From so many milliseconds on, who waits for the lock gives up.
  static let patience: UInt32 = 128

  private func path(of name: FileName) -> String { "\(path)/\(name)" }

  /// Opens a plain file with exactly one name; links, pipes, sockets and devices are refused.
  ///
  /// What root creates in a directory of somebody else belongs to that user, where the system lets
  /// root give it away: who has a store can open what was made in it on their behalf.
  public func open(_ name: FileName, _ mode: OpenMode) throws(FileIOError) -> any File {
    let path = path(of: name)
    let operation = mode == .createNew ? "create" : "open"
    do throws(SystemCalls.Failure) {
      let descriptor = try SystemCalls.openFile(name.description, in: self.descriptor, mode)
      // From here on the object closes the handle, also when a later step throws.
      let file = POSIXFile(descriptor: descriptor, path: path, isWritable: mode != .read)
      let status = try SystemCalls.status(descriptor)
      // A file without a name was removed between the two calls.
      guard status.st_nlink > 0 else { throw SystemCalls.Failure(code: ENOENT) }
      guard status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1 else {
        throw SystemCalls.Failure(code: ELOOP)
      }
      if mode == .createNew {
        try SystemCalls.changeMode(descriptor, to: 0o600)
        SystemCalls.giveToOwner(of: self.descriptor, descriptor)
      }
      return file
    } catch {
      throw FileIOError(error, operation: operation, path: path)
    }
  }

  public func list() throws(FileIOError) -> [String] {
    do {
      var names = try SystemCalls.names(in: descriptor)
      names.removeAll { $0 == "." || $0 == ".." }
      return names.sorted()
    } catch {
      throw FileIOError(error, operation: "list", path: path)
    }
  }

  public func rename(_ source: FileName, to target: FileName) throws(FileIOError) {
    do {
      try SystemCalls.rename(source.description, to: target.description, in: descriptor)
    } catch {
      throw FileIOError(error, operation: "rename to \(target)", path: path(of: source))
    }
  }

  public func remove(_ name: FileName) throws(FileIOError) {
    do {
      try SystemCalls.remove(name.description, in: descriptor)
    } catch {
      throw FileIOError(error, operation: "remove", path: path(of: name))
    }
  }

  public func synchronize() throws(FileIOError) {
    do {
      try SystemCalls.synchronizeDirectory(descriptor)
    } catch {
      throw FileIOError(error, operation: "synchronize directory", path: path)
    }
  }

  public func freeByteCount() throws(FileIOError) -> UInt64? {
    do {
      return try SystemCalls.freeByteCount(descriptor)
    } catch {
      throw FileIOError(error, operation: "free space", path: path)
    }
  }

  /// Who wants it for itself waits for up to an eighth of a second: readers that let writers in
  /// have it while they open, commands while they look, and a store that was let go, which may take
  /// a moment.
  public func lock(_ kind: LockKind) throws(FileIOError) {
    do throws(SystemCalls.Failure) {
      var milliseconds: UInt32 = kind == .exclusive ? 1 : Self.patience
      while try !takeLock(kind, isLast: milliseconds >= Self.patience) {
        SystemCalls.sleep(milliseconds: milliseconds)
        milliseconds *= 2
      }
      if try SystemCalls.isFile(descriptor, at: path) { return }
    } catch {
      guard error.code == EWOULDBLOCK else {
        unlock()
        throw FileIOError(error, operation: "lock", path: path)
      }
      let holder = LockHolder.processIdentifier(ofDirectory: descriptor)
      throw FileIOError(.locked(holder: holder), operation: "lock", path: path)
    }
    // Who had it before has moved the directory: what is at its path now is another one.
    unlock()
    throw FileIOError(.moved, operation: "lock", path: path)
  }

  /// False when somebody else has it, and this is not the last time.
  private func takeLock(_ kind: LockKind, isLast: Bool) throws(SystemCalls.Failure) -> Bool {
    do throws(SystemCalls.Failure) {
      try SystemCalls.lock(descriptor, kind)
      return true
    } catch {
      guard error.code == EWOULDBLOCK, !isLast else { throw error }
      return false
    }
  }

  public func isAtItsPath() -> Bool {
    guard let place else { return true }
    do throws(SystemCalls.Failure) {
      return try SystemCalls.isFile(descriptor, at: place)
    } catch {
      // Who may not look there any more knows nothing of it.
      return true
    }
  }

  public func unlock() {
    if owner == SystemCalls.processIdentifier() { SystemCalls.unlock(descriptor) }
  }
}
