internal import FileIO

/// A directory that counts what is written through it and how long synchronizing takes.
///
/// One place sees every write of the log, so nothing is forgotten. Files that are only read are
/// handed on as they are: counting reads would make readers share a cache line.
final class MeteredDirectory: Directory {
  private let inner: any Directory
  let meter: WriteMeter

  init(_ inner: any Directory, _ meter: WriteMeter) {
    self.inner = inner
    self.meter = meter
  }

  var path: String { inner.path }

  func open(_ name: FileName, _ mode: OpenMode) throws(FileIOError) -> any File {
    guard case .read = mode else {
      return MeteredFile(
        try meter.noticing { () throws(FileIOError) in try inner.open(name, mode) },
        WriteMeter.Kind(name), meter)
    }
    return try inner.open(name, mode)
  }

  func list() throws(FileIOError) -> [String] { try inner.list() }

  func rename(_ source: FileName, to target: FileName) throws(FileIOError) {
    try inner.rename(source, to: target)
  }

  func remove(_ name: FileName) throws(FileIOError) { try inner.remove(name) }

  func synchronize() throws(FileIOError) {
    try meter.timing { () throws(FileIOError) in try inner.synchronize() }
  }

  func lock(_ kind: LockKind) throws(FileIOError) { try inner.lock(kind) }

  func unlock() { inner.unlock() }
}
