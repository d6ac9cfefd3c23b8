internal import FileIO

/// A directory that counts what is written through it and how long synchronizing takes, and
/// remembers when that failed.
///
/// One place sees every write of the log, so nothing is forgotten. Files that are only read are
/// handed on as they are: counting reads would make readers share a cache line.
final class MeteredDirectory: Directory {
  private let inner: any Directory
  private let meter: WriteMeter
  /// Merges synchronize it beside commits.
  private let failure = FirstFailure()

  init(_ inner: any Directory, _ meter: WriteMeter) {
    self.inner = inner
    self.meter = meter
  }

  var path: String { inner.path }

  func open(_ name: FileName, _ mode: OpenMode) throws(FileIOError) -> any File {
    if case .read = mode { return try inner.open(name, mode) }
    return MeteredFile(try inner.open(name, mode), WriteMeter.Kind(name), meter)
  }

  func openSealed(_ name: FileName) throws(FileIOError) -> any File {
    try inner.openSealed(name)
  }

  func list() throws(FileIOError) -> [String] { try inner.list() }

  func rename(_ source: FileName, to target: FileName) throws(FileIOError) {
    try inner.rename(source, to: target)
  }

  func remove(_ name: FileName) throws(FileIOError) { try inner.remove(name) }

  func synchronize() throws(FileIOError) {
    try meter.timing { () throws(FileIOError) in
      try failure.remembering { () throws(FileIOError) in try inner.synchronize() }
    }
  }

  func freeByteCount() throws(FileIOError) -> UInt64? { try inner.freeByteCount() }

  func lock(_ kind: LockKind) throws(FileIOError) { try inner.lock(kind) }

  func unlock() { inner.unlock() }

  func isAtItsPath() -> Bool { inner.isAtItsPath() }
}
