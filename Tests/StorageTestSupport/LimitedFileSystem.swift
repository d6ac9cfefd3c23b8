package import FileIO

/// A file system on top of another that counts open files and directories, and refuses more than a
/// limit of them, as a process of few descriptors would see it.
package final class LimitedFileSystem: FileSystem {
  struct Counts {
    var limit: Int
    var open = 0
    var peak = 0
    var openings = 0
  }

  private let base: any FileSystem
  private let counts: Lock<Counts>

  package init(_ base: any FileSystem, limit: Int = Int.max) {
    self.base = base
    counts = Lock(Counts(limit: limit))
  }

  /// Files and directories that are open now.
  package var openCount: Int { counts.withLock { counts in counts.open } }
  /// The most that were open at a time since ``resetPeak()``.
  package var peak: Int { counts.withLock { counts in counts.peak } }
  /// How often something was opened.
  package var openingCount: Int { counts.withLock { counts in counts.openings } }

  package func resetPeak() { counts.withLock { counts in counts.peak = counts.open } }

  package func setLimit(_ limit: Int) { counts.withLock { counts in counts.limit = limit } }

  package func openDirectory(
    at path: String, create: Bool
  ) throws(FileIOError) -> any Directory {
    let handle = try Handle(self, operation: "open directory", path: path)
    return LimitedDirectory(
      try base.openDirectory(at: path, create: create), in: self, handle: handle)
  }

  /// One descriptor; given back with the object.
  final class Handle: Sendable {
    private let fileSystem: LimitedFileSystem

    init(_ fileSystem: LimitedFileSystem, operation: String, path: String) throws(FileIOError) {
      self.fileSystem = fileSystem
      let (isFree, limit) = fileSystem.counts.withLock { counts in
        let isFree = counts.open < counts.limit
        // Counted also when refused: the object goes away, and takes it back.
        counts.open += 1
        if isFree {
          counts.peak = max(counts.peak, counts.open)
          counts.openings += 1
        }
        return (isFree, counts.limit)
      }
      if !isFree {
        throw FileIOError(
          .tooManyOpenFiles(limit: UInt64(limit)), operation: operation, path: path)
      }
    }

    deinit { fileSystem.counts.withLock { counts in counts.open -= 1 } }
  }
}

/// A directory of a limited file system.
private final class LimitedDirectory: Directory {
  private let base: any Directory
  private let fileSystem: LimitedFileSystem
  private let handle: LimitedFileSystem.Handle

  var path: String { base.path }

  init(_ base: any Directory, in fileSystem: LimitedFileSystem, handle: LimitedFileSystem.Handle) {
    self.base = base
    self.fileSystem = fileSystem
    self.handle = handle
  }

  func open(_ name: FileName, _ mode: OpenMode) throws(FileIOError) -> any File {
    let handle = try LimitedFileSystem.Handle(
      fileSystem, operation: "open", path: "\(path)/\(name)")
    return LimitedFile(try base.open(name, mode), handle: handle)
  }

  func list() throws(FileIOError) -> [String] {
    let handle = try LimitedFileSystem.Handle(fileSystem, operation: "list", path: path)
    defer { withExtendedLifetime(handle) {} }
    return try base.list()
  }

  func rename(_ source: FileName, to target: FileName) throws(FileIOError) {
    try base.rename(source, to: target)
  }

  func remove(_ name: FileName) throws(FileIOError) { try base.remove(name) }
  func synchronize() throws(FileIOError) { try base.synchronize() }
  func freeByteCount() throws(FileIOError) -> UInt64? { try base.freeByteCount() }
  func lock(_ kind: LockKind) throws(FileIOError) { try base.lock(kind) }
  func unlock() { base.unlock() }
}

/// An open file of a limited file system.
private final class LimitedFile: File {
  private let base: any File
  private let handle: LimitedFileSystem.Handle

  init(_ base: any File, handle: LimitedFileSystem.Handle) {
    self.base = base
    self.handle = handle
  }

  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(FileIOError) -> Int {
    try base.read(into: buffer, at: offset)
  }

  func write(_ parts: [UnsafeRawBufferPointer], at offset: UInt64) throws(FileIOError) {
    try base.write(parts, at: offset)
  }

  func synchronize() throws(FileIOError) { try base.synchronize() }
  func truncate(to size: UInt64) throws(FileIOError) { try base.truncate(to: size) }
  func allocate(_ range: Range<UInt64>) throws(FileIOError) { try base.allocate(range) }
  func size() throws(FileIOError) -> UInt64 { try base.size() }
  func map(count: Int) throws(FileIOError) -> MappedBytes { try base.map(count: count) }
  func mapAhead(count: Int) -> MappedBytes? { base.mapAhead(count: count) }
}
