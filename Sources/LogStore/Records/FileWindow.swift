internal import FileIO

/// Reads a file front to back through one buffer, so that small frames do not cost a call each.
final class FileWindow {
  private let file: any File
  private var buffer: UnsafeMutableRawBufferPointer
  private var start: UInt64 = 0
  private var count = 0
  let fileByteCount: UInt64
  /// Bytes that were read so far.
  private(set) var readByteCount: UInt64 = 0

  private static let byteCount = 256 << 10

  private let readsAhead: Bool

  /// Without `readsAhead`, no more is read than is asked for.
  init(_ file: any File, readsAhead: Bool = true) throws(FileIOError) {
    self.file = file
    self.readsAhead = readsAhead
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
      let fill = readsAhead ? Int(min(UInt64(buffer.count), available)) : length
      count = 0
      start = offset
      do throws(FileIOError) { count = try read(fill, at: offset) } catch {
        // What nobody asked for may be what cannot be read.
        guard fill > length, error.tellsOfDamage else { throw error }
        count = try read(length, at: offset)
      }
      readByteCount += UInt64(count)
    }
    let position = Int(offset - start)
    let end = min(position + length, count)
    return UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[position..<end])
  }

  private func read(_ count: Int, at offset: UInt64) throws(FileIOError) -> Int {
    try file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]), at: offset)
  }
}
