internal import FileIO

/// A file system that leaves out or spoils one kind of call, as a store with a bug would.
final class CarelessFileSystem: FileSystem {
  private let inner: any FileSystem
  private let omission: Omission

  init(_ inner: any FileSystem, _ omission: Omission) {
    self.inner = inner
    self.omission = omission
  }

  func openDirectory(at path: String, create: Bool) throws(FileIOError) -> any Directory {
    CarelessDirectory(try inner.openDirectory(at: path, create: create), omission)
  }
}

private final class CarelessDirectory: Directory {
  private let inner: any Directory
  private let omission: Omission
  var path: String { inner.path }

  init(_ inner: any Directory, _ omission: Omission) {
    self.inner = inner
    self.omission = omission
  }

  func open(_ name: FileName, _ mode: OpenMode) throws(FileIOError) -> any File {
    let file = try inner.open(name, mode)
    return CarelessFile(file, omission, isManifest: name.description.hasPrefix("MANIFEST"))
  }

  func list() throws(FileIOError) -> [String] { try inner.list() }

  func rename(_ source: FileName, to target: FileName) throws(FileIOError) {
    if omission == .removeBeforeRename {
      do throws(FileIOError) { try inner.remove(target) } catch {}
    }
    try inner.rename(source, to: target)
  }

  func remove(_ name: FileName) throws(FileIOError) { try inner.remove(name) }

  func synchronize() throws(FileIOError) {
    if omission == .noDirectorySynchronization { return }
    try inner.synchronize()
  }

  func freeByteCount() throws(FileIOError) -> UInt64? { try inner.freeByteCount() }
  func lock(_ kind: LockKind) throws(FileIOError) { try inner.lock(kind) }
  func unlock() { inner.unlock() }
}

private final class CarelessFile: File {
  private let inner: any File
  private let omission: Omission
  private let isManifest: Bool
  private let isSynchronized = Lock(false)

  init(_ inner: any File, _ omission: Omission, isManifest: Bool) {
    self.inner = inner
    self.omission = omission
    self.isManifest = isManifest
  }

  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(FileIOError) -> Int {
    do throws(FileIOError) { return try inner.read(into: buffer, at: offset) } catch {
      if omission == .readErrorTakenForEnd { return 0 }
      throw error
    }
  }

  func write(_ parts: [UnsafeRawBufferPointer], at offset: UInt64) throws(FileIOError) {
    let isLeftOut =
      omission == .lastPartForgotten && !isManifest && offset > 0 && offset % 1024 < 256
    do throws(FileIOError) {
      // What is left of a frame is its header.
      let beginning = parts.prefix(1).map { part in
        let header = FrameBytes.header(marker: part.count > 3 ? part[3] : 0)
        return UnsafeRawBufferPointer(rebasing: part.prefix(header.byteCount))
      }
      try inner.write(isLeftOut ? beginning : parts, at: offset)
    } catch { if omission != .shortWriteIgnored { throw error } }
  }

  func synchronize() throws(FileIOError) {
    switch omission {
    case .noSegmentSynchronization where !isManifest: return
    case .renameBeforeSynchronization where isManifest: return
    case .synchronizedOnlyOnce where isSynchronized.withLock({ done in done }): return
    default: break
    }
    do throws(FileIOError) {
      try inner.synchronize()
      isSynchronized.withLock { done in done = true }
    } catch {
      switch omission {
      case .synchronizationTriedAgain: try inner.synchronize()
      case .failedSynchronizationIgnored: return
      default: throw error
      }
    }
  }

  func truncate(to size: UInt64) throws(FileIOError) {
    try inner.truncate(to: omission == .truncatedTooShort ? size & ~511 : size)
  }

  func allocate(_ range: Range<UInt64>) throws(FileIOError) { try inner.allocate(range) }
  func size() throws(FileIOError) -> UInt64 { try inner.size() }
  func map(count: Int) throws(FileIOError) -> MappedBytes { try inner.map(count: count) }
}
