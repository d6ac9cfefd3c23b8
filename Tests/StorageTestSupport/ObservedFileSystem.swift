internal import BinaryCoding
public import FileIO

/// A file system whose calls are told to a closure before they are carried out.
///
/// The closure may wait, so that a test can look at what others do meanwhile. Calls fail with what
/// it throws; a write that fails leaves the first half of its bytes behind, and a mapping of a file
/// that grows shows zeros then in place of what is written.
public struct ObservedFileSystem: FileSystem {
  /// A call that is about to be made.
  public enum Call: Sendable, Hashable {
    case open(FileName)
    case read
    case mapAhead
    case write
    /// Cannot fail: what is thrown here is passed over.
    case startWriting(Range<UInt64>)
    case synchronize
    case synchronizeDirectory
    case truncate
  }

  private let base: any FileSystem
  private let observe: @Sendable (Call) throws(FileIOError) -> Void

  public init(
    _ base: any FileSystem, observe: @escaping @Sendable (Call) throws(FileIOError) -> Void
  ) {
    self.base = base
    self.observe = observe
  }

  public func openDirectory(at path: String, create: Bool) throws(FileIOError) -> any Directory {
    ObservedDirectory(try base.openDirectory(at: path, create: create), observe)
  }
}

private final class ObservedDirectory: Directory {
  private let base: any Directory
  private let observe: @Sendable (ObservedFileSystem.Call) throws(FileIOError) -> Void

  init(
    _ base: any Directory,
    _ observe: @escaping @Sendable (ObservedFileSystem.Call) throws(FileIOError) -> Void
  ) {
    self.base = base
    self.observe = observe
  }

  var path: String { base.path }

  func open(_ name: FileName, _ mode: OpenMode) throws(FileIOError) -> any File {
    try observe(.open(name))
    return ObservedFile(try base.open(name, mode), observe)
  }

  func list() throws(FileIOError) -> [String] { try base.list() }

  func rename(_ source: FileName, to target: FileName) throws(FileIOError) {
    try base.rename(source, to: target)
  }

  func remove(_ name: FileName) throws(FileIOError) { try base.remove(name) }

  func synchronize() throws(FileIOError) {
    try observe(.synchronizeDirectory)
    try base.synchronize()
  }

  func freeByteCount() throws(FileIOError) -> UInt64? { try base.freeByteCount() }

  func lock(_ kind: LockKind) throws(FileIOError) { try base.lock(kind) }

  func unlock() { base.unlock() }

  func isAtItsPath() -> Bool { base.isAtItsPath() }
}

private final class ObservedFile: File {
  private let base: any File
  private let observe: @Sendable (ObservedFileSystem.Call) throws(FileIOError) -> Void

  init(
    _ base: any File,
    _ observe: @escaping @Sendable (ObservedFileSystem.Call) throws(FileIOError) -> Void
  ) {
    self.base = base
    self.observe = observe
  }

  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(FileIOError) -> Int {
    try observe(.read)
    return try base.read(into: buffer, at: offset)
  }

  func write(_ parts: [UnsafeRawBufferPointer], at offset: UInt64) throws(FileIOError) {
    do throws(FileIOError) { try observe(.write) } catch {
      let whole = parts.flatMap { [UInt8]($0) }
      do throws(FileIOError) {
        try [UInt8](whole.prefix(whole.count / 2)).withBytes {
          (half: UnsafeRawBufferPointer) throws(FileIOError) in try base.write([half], at: offset)
        }
      } catch {}
      throw error
    }
    try base.write(parts, at: offset)
  }

  func startWriting(_ range: Range<UInt64>) {
    do throws(FileIOError) { try observe(.startWriting(range)) } catch {}
    base.startWriting(range)
  }

  func synchronize() throws(FileIOError) {
    try observe(.synchronize)
    try base.synchronize()
  }

  func truncate(to size: UInt64) throws(FileIOError) {
    try observe(.truncate)
    try base.truncate(to: size)
  }

  func allocate(_ range: Range<UInt64>) throws(FileIOError) { try base.allocate(range) }

  func size() throws(FileIOError) -> UInt64 { try base.size() }

  func map(count: Int) throws(FileIOError) -> MappedBytes { try base.map(count: count) }

  func mapAhead(count: Int) -> MappedBytes? {
    do throws(FileIOError) { try observe(.mapAhead) } catch {
      let zeros = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
      zeros.initializeMemory(as: UInt8.self, repeating: 0)
      return MappedBytes(UnsafeRawBufferPointer(zeros)) { $0.deallocate() }
    }
    return base.mapAhead(count: count)
  }
}
