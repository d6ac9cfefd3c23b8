/// Reads integers, bytes and text from borrowed bytes and never reads past their end.
///
/// Every method throws instead of trapping, whatever the bytes hold. The reader borrows the bytes:
/// it must not outlive them.
public struct ByteReader {
  @usableFromInline let bytes: UnsafeRawBufferPointer
  /// How many they are, which their buffer would have to compute.
  @usableFromInline let byteCount: Int
  /// Never behind their end.
  @usableFromInline var position = 0

  /// The offset of the next byte to read, from the start of the bytes.
  @inlinable public var offset: Int { position }

  /// Reads `bytes` from their start.
  @inlinable
  public init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    byteCount = bytes.count
  }

  /// How many bytes are left.
  @inlinable
  public var remainingByteCount: Int { byteCount &- position }

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
    guard position < byteCount else {
      throw .endOfBytes(offset: offset, needed: 1, available: 0)
    }
    defer { position += 1 }
    return bytes[offset]
  }

  /// An unsigned variable-length integer: seven bits a byte, low bits first (LEB128).
  @inlinable @inline(__always)
  public mutating func readVariableLength() throws(BinaryDecodingError) -> UInt64 {
    // Most numbers have one byte.
    if position < byteCount, bytes[position] < 0x80 {
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
    return takeBytes(count)
  }

  /// The next `count` bytes, which are there.
  @inlinable @inline(__always)
  mutating func takeBytes(_ count: Int) -> UnsafeRawBufferPointer {
    defer { position &+= count }
    return UnsafeRawBufferPointer(start: bytes.baseAddress.map { $0 + position }, count: count)
  }

  /// Bytes preceded by their count as a variable-length integer, borrowed.
  @inlinable @inline(__always)
  public mutating func readLengthPrefixedBytes() throws(BinaryDecodingError)
    -> UnsafeRawBufferPointer
  {
    let start = offset
    let count = try readVariableLength()
    guard count <= UInt64(remainingByteCount) else {
      throw .endOfBytes(offset: start, needed: count, available: remainingByteCount)
    }
    return takeBytes(Int(count))
  }

  /// Throws unless every byte was read.
  @inlinable
  public func expectEnd() throws(BinaryDecodingError) {
    if remainingByteCount != 0 {
      throw .trailingBytes(offset: offset, count: remainingByteCount)
    }
  }
}
