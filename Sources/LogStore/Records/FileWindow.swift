internal import FileIO

/// Reads a file front to back through one buffer, so that small frames do not cost a call each.
final class FileWindow {
  private let file: any File
  private var buffer: UnsafeMutableRawBufferPointer
  private var start: UInt64 = 0
  private var count = 0
  let fileByteCount: UInt64

  private static let byteCount = 256 << 10

  init(_ file: any File) throws(FileIOError) {
    self.file = file
    fileByteCount = try file.size()
    buffer = .allocate(byteCount: Self.byteCount, alignment: 16)
  }

  deinit { buffer.deallocate() }

  /// `count` bytes at `offset`, or as many as the file has; valid until the next call.
  func bytes(at offset: UInt64, count wanted: Int) throws(FileIOError) -> UnsafeRawBufferPointer {
    let available = offset >= fileByteCount ? 0 : fileByteCount - offset
    let length = Int(min(UInt64(wanted), available))
    if offset < start || offset + UInt64(length) > start + UInt64(count) {
      if length > buffer.count {
        buffer.deallocate()
        buffer = .allocate(byteCount: length, alignment: 16)
      }
      let fill = Int(min(UInt64(buffer.count), available))
      count = 0
      start = offset
      count = try file.read(
        into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<fill]), at: offset)
    }
    let position = Int(offset - start)
    let end = min(position + length, count)
    return UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[position..<end])
  }
}
