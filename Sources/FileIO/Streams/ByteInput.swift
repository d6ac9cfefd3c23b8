/// Bytes that arrive in order and cannot be sought: a file, a pipe or standard input.
///
/// Used by one thread at a time.
public protocol ByteInput: AnyObject {
  /// What is read, for messages: a path, or "standard input".
  var name: String { get }
  /// How many bytes there are in all, where that is known before reading; for progress only.
  var byteCount: UInt64? { get }

  /// Reads between one byte and `buffer.count` bytes; zero only at the end, or for an empty buffer.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileIOError) -> Int
}
