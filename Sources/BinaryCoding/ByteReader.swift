/// Reads integers, bytes and text from borrowed bytes and never reads past their end.
///
/// Every method throws instead of trapping, whatever the bytes hold. The reader borrows the bytes:
/// it must not outlive them.
public struct ByteReader {
  @usableFromInline let bytes: UnsafeRawBufferPointer
  @usableFromInline var position: Int

  /// The offset of the next byte to read, from the start of the bytes.
  @inlinable public var offset: Int { position }

  /// Reads `bytes` from their start.
  @inlinable
  public init(_ bytes: UnsafeRawBufferPointer) {
    self.init(bytes, startingAt: 0)
  }

  @inlinable
  init(_ bytes: UnsafeRawBufferPointer, startingAt offset: Int) {
    self.bytes = bytes
    position = offset
  }

  /// How many bytes are left.
  @inlinable
  public var remainingByteCount: Int { bytes.count - offset }

  /// A fixed-width little-endian integer.
  @inlinable
  public mutating func readInteger<Integer: FixedWidthInteger & BitwiseCopyable>(
    _ type: Integer.Type = Integer.self
  ) throws(BinaryDecodingError) -> Integer {
    let size = MemoryLayout<Integer>.size
    guard remainingByteCount >= size else {
      throw .endOfBytes(offset: offset, needed: UInt64(size), available: remainingByteCount)
    }
    let value = bytes.loadUnaligned(fromByteOffset: offset, as: Integer.self)
    position += size
    return Integer(littleEndian: value)
  }

  /// One byte.
  @inlinable
  public mutating func readByte() throws(BinaryDecodingError) -> UInt8 {
    guard offset < bytes.count else {
      throw .endOfBytes(offset: offset, needed: 1, available: 0)
    }
    defer { position += 1 }
    return bytes[offset]
  }

  /// An unsigned variable-length integer: seven bits a byte, low bits first (LEB128).
  @inlinable @inline(__always)
  public mutating func readVariableLength() throws(BinaryDecodingError) -> UInt64 {
    // Most numbers have one byte.
    if position < bytes.count, bytes[position] < 0x80 {
      defer { position += 1 }
      return UInt64(bytes[position])
    }
    return try readLongVariableLength()
  }

  @inlinable
  mutating func readLongVariableLength() throws(BinaryDecodingError) -> UInt64 {
    let start = offset
    var result: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = try readByte()
      let bits = UInt64(byte & 0x7F)
      if shift == 63 && bits > 1 { throw .integerOutOfRange(offset: start) }
      result |= bits << shift
      if byte < 0x80 { return result }
      shift += 7
      if shift > 63 { throw .integerOutOfRange(offset: start) }
    }
  }

  /// An unsigned variable-length integer that must fit `Integer`.
  @inlinable
  public mutating func readVariableLength<Integer: FixedWidthInteger>(
    as type: Integer.Type
  ) throws(BinaryDecodingError) -> Integer {
    let start = offset
    guard let value = Integer(exactly: try readVariableLength()) else {
      throw .integerOutOfRange(offset: start)
    }
    return value
  }

  /// A signed variable-length integer in zigzag form.
  @inlinable
  public mutating func readZigZag() throws(BinaryDecodingError) -> Int64 {
    let value = try readVariableLength()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  /// The next `count` bytes, borrowed.
  @inlinable
  public mutating func readBytes(_ count: Int) throws(BinaryDecodingError) -> UnsafeRawBufferPointer
  {
    guard count >= 0, count <= remainingByteCount else {
      throw .endOfBytes(
        offset: offset, needed: UInt64(clamping: count), available: remainingByteCount)
    }
    defer { position += count }
    return UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + count)])
  }

  /// Bytes preceded by their count as a variable-length integer, borrowed.
  @inlinable
  public mutating func readLengthPrefixedBytes() throws(BinaryDecodingError)
    -> UnsafeRawBufferPointer
  {
    let start = offset
    let count = try readVariableLength()
    guard count <= UInt64(remainingByteCount) else {
      throw .endOfBytes(offset: start, needed: count, available: remainingByteCount)
    }
    return try readBytes(Int(count))
  }

  /// UTF-8 text preceded by its byte count; costs one allocation above 15 bytes.
  @inlinable
  public mutating func readString() throws(BinaryDecodingError) -> String {
    let start = offset
    let text = try readLengthPrefixedBytes()
    guard let string = String(validating: text, as: UTF8.self) else {
      throw .invalidUTF8(offset: start)
    }
    return string
  }

  /// Throws unless every byte was read.
  @inlinable
  public func expectEnd() throws(BinaryDecodingError) {
    if remainingByteCount != 0 {
      throw .trailingBytes(offset: offset, count: remainingByteCount)
    }
  }
}
