import FileIO
import Testing

extension FileName {
  /// A name that the test knows to be valid.
  init(valid text: String) {
    guard let name = FileName(text) else { preconditionFailure("\(text) is not a file name") }
    self = name
  }
}

extension File {
  /// Writes copies of `parts` one after the other.
  func write(_ parts: [[UInt8]], at offset: UInt64) throws {
    let copies = parts.map { part in
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: part.count, alignment: 1)
      copy.copyBytes(from: part)
      return UnsafeRawBufferPointer(copy)
    }
    defer {
      for copy in copies { copy.deallocate() }
    }
    try write(copies, at: offset)
  }

  /// Up to `count` bytes from `offset` on.
  func bytes(_ count: Int, at offset: UInt64 = 0) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0xEE, count: count)
    let found = try bytes.withUnsafeMutableBytes { try read(into: $0, at: offset) }
    return Array(bytes[..<found])
  }

  /// Everything.
  func contents() throws -> [UInt8] { try bytes(Int(try size())) }
}

/// The reason of the error that `body` throws; records a failure when there is none.
func failure(
  of body: () throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
) -> FileIOError.Reason? {
  #expect(throws: FileIOError.self, sourceLocation: sourceLocation, performing: body)?.reason
}
