import FileIO

/// Output kept in memory; fails with the given reason once `failureByteCount` bytes are reached.
final class MemoryOutput: ByteOutput {
  let name = "memory"
  private(set) var bytes: [UInt8] = []
  private(set) var writeCount = 0
  private let failure: (reason: FileIOError.Reason, byteCount: Int)?

  init(failure: (reason: FileIOError.Reason, byteCount: Int)? = nil) {
    self.failure = failure
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  func write(_ part: UnsafeRawBufferPointer) throws(FileIOError) {
    if let failure, bytes.count + part.count > failure.byteCount {
      throw FileIOError(failure.reason, operation: "write", path: name)
    }
    writeCount += 1
    bytes.append(contentsOf: part)
  }
}
