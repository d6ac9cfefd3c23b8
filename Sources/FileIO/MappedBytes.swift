/// Read-only bytes that stay valid as long as this object lives: a mapped file, or a copy of one.
public final class MappedBytes: @unchecked Sendable {
  // Sendable: the bytes are immutable for everyone who holds the object; `release` runs once, in
  // deinit, when nobody else can.

  /// The bytes; never used after the last reference to this object has gone.
  public let bytes: UnsafeRawBufferPointer
  private let release: @Sendable (UnsafeRawBufferPointer) -> Void

  /// Takes ownership of `bytes`; `release` gives them back.
  public init(
    _ bytes: UnsafeRawBufferPointer, release: @escaping @Sendable (UnsafeRawBufferPointer) -> Void
  ) {
    self.bytes = bytes
    self.release = release
  }

  deinit { release(bytes) }
}
