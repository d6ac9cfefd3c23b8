internal import FileIO

extension File {
  /// Writes the first `byteCount` bytes to the beginning of `target`, in pieces of a MiB; `copied`
  /// is told the bytes of each, and ends it by returning false. `place` is where errors say that it
  /// happened, when the file has fewer bytes.
  ///
  /// - Returns: false when `copied` ended it.
  func copy(
    _ byteCount: UInt64, to target: any File, in place: String, _ copied: (UInt64) -> Bool
  ) throws(FileIOError) -> Bool {
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { piece.deallocate() }
    var offset: UInt64 = 0
    while offset < byteCount {
      let wanted = min(byteCount - offset, UInt64(piece.count))
      let count = try read(
        into: UnsafeMutableRawBufferPointer(rebasing: piece[..<Int(wanted)]), at: offset)
      guard count > 0 else {
        throw FileIOError(.ioError, operation: "read for a backup", path: place)
      }
      try target.write([UnsafeRawBufferPointer(rebasing: piece[..<count])], at: offset)
      offset += UInt64(count)
      guard copied(UInt64(count)) else { return false }
    }
    return true
  }
}
