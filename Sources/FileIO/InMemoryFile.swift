/// An open file in memory; all handles of a file see the same bytes.
final class InMemoryFile: File {
  private let contents: InMemoryFileContents
  private let path: String
  private let isWritable: Bool

  init(contents: InMemoryFileContents, path: String, isWritable: Bool) {
    self.contents = contents
    self.path = path
    self.isWritable = isWritable
  }

  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(FileIOError) -> Int {
    contents.bytes.withLock { bytes in
      guard offset < UInt64(bytes.count) else { return 0 }
      let start = Int(offset)
      let count = min(buffer.count, bytes.count - start)
      bytes.withUnsafeBytes { bytes in
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<start + count]))
      }
      return count
    }
  }

  func write(_ parts: [UnsafeRawBufferPointer], at offset: UInt64) throws(FileIOError) {
    try expectWritable("write")
    let count = parts.reduce(0) { $0 + $1.count }
    guard count > 0 else { return }
    var position = try position(offset, adding: UInt64(count), operation: "write") - count
    contents.bytes.withLock { bytes in
      if bytes.count < position { Self.grow(&bytes, to: position) }
      for part in parts {
        let overlap = min(part.count, bytes.count - position)
        bytes.withUnsafeMutableBytes { bytes in
          UnsafeMutableRawBufferPointer(rebasing: bytes[position..<position + overlap])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: part[..<overlap]))
        }
        bytes.append(contentsOf: part[overlap...])
        position += part.count
      }
    }
  }

  func synchronize() throws(FileIOError) {}

  func truncate(to size: UInt64) throws(FileIOError) {
    try expectWritable("truncate")
    let size = try position(size, adding: 0, operation: "truncate")
    contents.bytes.withLock { bytes in
      if size < bytes.count {
        bytes.removeLast(bytes.count - size)
      } else {
        Self.grow(&bytes, to: size)
      }
    }
  }

  func allocate(_ range: Range<UInt64>) throws(FileIOError) {
    try expectWritable("allocate")
    guard !range.isEmpty else { return }
    let end = try position(range.upperBound, adding: 0, operation: "allocate")
    contents.bytes.withLock { bytes in
      if end > bytes.count { Self.grow(&bytes, to: end) }
    }
  }

  func size() throws(FileIOError) -> UInt64 {
    contents.bytes.withLock { bytes in UInt64(bytes.count) }
  }

  /// A copy: it keeps the bytes of this moment.
  func map(count: Int) throws(FileIOError) -> MappedBytes {
    precondition(count >= 0, "a count of bytes to map must not be negative")
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    let mapped = MappedBytes(UnsafeRawBufferPointer(copy)) { $0.deallocate() }
    guard try read(into: copy, at: 0) == count else {
      throw FileIOError(.ioError, operation: "map beyond the end", path: path)
    }
    return mapped
  }

  private static func grow(_ bytes: inout [UInt8], to size: Int) {
    bytes += [UInt8](repeating: 0, count: size - bytes.count)
  }

  private func expectWritable(_ operation: String) throws(FileIOError) {
    if !isWritable { throw FileIOError(.permissionDenied, operation: operation, path: path) }
  }

  private func position(
    _ offset: UInt64, adding count: UInt64, operation: String
  ) throws(FileIOError) -> Int {
    let (end, overflow) = offset.addingReportingOverflow(count)
    guard !overflow, end <= InMemoryFileContents.byteCountLimit else {
      throw FileIOError(.noSpace, operation: operation, path: path)
    }
    return Int(end)
  }
}
