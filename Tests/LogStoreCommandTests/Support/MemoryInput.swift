import FileIO

/// Bytes in memory that arrive in small parts, as from a slow pipe, with an optional failure.
final class MemoryInput: ByteInput {
  let name = "memory"
  let byteCount: UInt64?
  private let bytes: [UInt8]
  private let partByteCount: Int
  private let failureOffset: Int?
  private var offset = 0

  init(_ bytes: [UInt8], partByteCount: Int = .max, failureOffset: Int? = nil) {
    self.bytes = bytes
    self.partByteCount = partByteCount
    self.failureOffset = failureOffset
    byteCount = UInt64(bytes.count)
  }

  convenience init(_ text: String, partByteCount: Int = .max) {
    self.init(Array(text.utf8), partByteCount: partByteCount)
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileIOError) -> Int {
    if let failureOffset, offset >= failureOffset {
      throw FileIOError(.ioError, operation: "read", path: name)
    }
    let count = min(partByteCount, buffer.count, bytes.count - offset)
    buffer.copyBytes(from: bytes[offset..<offset + count])
    offset += count
    return count
  }
}
