package import FileIO

/// A file system whose mappings of files that grow show zeros in place of what is written, as some
/// that bypass the pages of the system may.
package struct StaleMappingFileSystem: FileSystem {
  private let base: any FileSystem

  package init(_ base: any FileSystem) { self.base = base }

  package func openDirectory(
    at path: String, create: Bool
  ) throws(FileIOError) -> any Directory {
    StaleMappingDirectory(try base.openDirectory(at: path, create: create))
  }
}

private final class StaleMappingDirectory: Directory {
  private let base: any Directory

  init(_ base: any Directory) { self.base = base }

  var path: String { base.path }

  func open(_ name: FileName, _ mode: OpenMode) throws(FileIOError) -> any File {
    StaleMappingFile(try base.open(name, mode))
  }

  func list() throws(FileIOError) -> [String] { try base.list() }

  func rename(_ source: FileName, to target: FileName) throws(FileIOError) {
    try base.rename(source, to: target)
  }

  func remove(_ name: FileName) throws(FileIOError) { try base.remove(name) }
  func synchronize() throws(FileIOError) { try base.synchronize() }
  func freeByteCount() throws(FileIOError) -> UInt64? { try base.freeByteCount() }
  func lock(_ kind: LockKind) throws(FileIOError) { try base.lock(kind) }
  func unlock() { base.unlock() }
}

private final class StaleMappingFile: File {
  private let base: any File

  init(_ base: any File) { self.base = base }

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

  func mapAhead(count: Int) -> MappedBytes? {
    let zeros = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    zeros.initializeMemory(as: UInt8.self, repeating: 0)
    return MappedBytes(UnsafeRawBufferPointer(zeros)) { $0.deallocate() }
  }
}
