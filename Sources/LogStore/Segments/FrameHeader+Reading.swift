internal import BinaryCoding
internal import FileIO

extension FrameHeader {
  /// The header at `offset` of a file that is not mapped, and no byte besides; nothing when there
  /// is none that verifies.
  static func read(
    from file: any File, at offset: UInt64, salt: UInt64
  ) throws(FileIOError) -> FrameHeader? {
    var head = [UInt8](repeating: 0, count: longByteCount)
    let count = try head.withMutableBytes {
      (buffer: UnsafeMutableRawBufferPointer) throws(FileIOError) in
      try file.read(into: buffer, at: offset)
    }
    return head.withBytes {
      FrameHeader(
        decoding: UnsafeRawBufferPointer(rebasing: $0[..<count]), salt: salt, offset: offset)
    }
  }
}
