/// Read-only bytes that stay valid as long as this object lives: a mapped file, or a copy of one.
public final class MappedBytes: @unchecked Sendable {
  // Sendable: the bytes that may be read never change; `forget` changes none of them; `release`
  // runs once, in deinit, when nobody else can.

  /// The bytes; never used after the last reference to this object has gone.
  public let bytes: UnsafeRawBufferPointer
  private let forget: (@Sendable (UnsafeRawBufferPointer) -> Void)?
  private let release: @Sendable (UnsafeRawBufferPointer) -> Void

  /// Takes ownership of `bytes`; `release` gives them back, and `forget` the memory of a part that
  /// comes back when it is read.
  public init(
    _ bytes: UnsafeRawBufferPointer,
    forget: (@Sendable (UnsafeRawBufferPointer) -> Void)? = nil,
    release: @escaping @Sendable (UnsafeRawBufferPointer) -> Void
  ) {
    self.bytes = bytes
    self.forget = forget
    self.release = release
  }

  /// Gives back the memory of the whole pages in `range`, where the bytes are a file's.
  ///
  /// Nothing changes for those who read them, at the same time too, but that the first read of some
  /// pages takes a microsecond more.
  public func forgetPages(in range: Range<Int>) {
    forget?(UnsafeRawBufferPointer(rebasing: bytes[range]))
  }

  deinit { release(bytes) }
}
