public import BinaryCoding

/// Which optional members of an object are present: one bit each, in member order, low bits first.
///
/// The bitmap stands before the object's values and takes `(optionalCount + 7) / 8` bytes, none
/// when the object has no optional member. Unused bits are zero and checked.
public struct PresenceBitmap: Sendable {
  @usableFromInline let start: Int

  /// How many bytes the bits of `optionalCount` members take.
  @inlinable
  public static func byteCount(optionalCount: Int) -> Int { (optionalCount + 7) / 8 }

  /// Appends a bitmap that marks everything absent.
  @inlinable
  public init(optionalCount: Int, appendingTo writer: inout ByteWriter) {
    start = writer.count
    writer.writeZeros(Self.byteCount(optionalCount: optionalCount))
  }

  /// Marks the optional member number `bit` as present in the bitmap that was appended.
  @inlinable
  public func markPresent(_ bit: Int, in writer: inout ByteWriter) {
    // Not `|=` on the writer's bytes: ThreadSanitizer's build of the compiler fails on that.
    let bytes = writer.mutableBytes
    let place = start + bit >> 3
    bytes[place] = bytes[place] | 1 << UInt8(bit & 7)
  }

  /// Reads past a bitmap and returns its bytes, borrowed; test them with ``isPresent(_:in:)``.
  @inlinable
  public static func read(
    optionalCount: Int, from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> UnsafeRawBufferPointer {
    guard optionalCount > 0 else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    let offset = reader.offset
    let bytes = try reader.readBytes(byteCount(optionalCount: optionalCount))
    if optionalCount & 7 != 0, bytes[bytes.count - 1] >> UInt8(optionalCount & 7) != 0 {
      throw .invalidValue(offset: offset, reason: "an unused presence bit is set")
    }
    return bytes
  }

  /// Whether the optional member number `bit` is present.
  @inlinable
  public static func isPresent(_ bit: Int, in bytes: UnsafeRawBufferPointer) -> Bool {
    bytes[bit >> 3] >> UInt8(bit & 7) & 1 == 1
  }
}
