public import BinaryCoding

/// The bytes of single values in a record payload; every encoder of payloads uses these.
///
///     bool         1 byte, 0 or 1
///     int32/int64  zigzag variable-length integer
///     float/double 4 or 8 bytes, little-endian bit pattern
///     date         8 bytes as double: seconds since the start of 2001 in UTC
///     string/data  byte count as variable-length integer, then the bytes
///     uuid         16 bytes in text order
///
/// Straight calls into the byte writer and reader; nothing is allocated but strings and arrays.
public enum PayloadPrimitives {
  // MARK: Writing

  /// Writes 1 byte, 0 or 1.
  @inlinable
  public static func writeBool(_ value: Bool, to writer: inout ByteWriter) {
    writer.writeByte(value ? 1 : 0)
  }

  /// Writes a zigzag variable-length integer.
  @inlinable
  public static func writeInt32(_ value: Int32, to writer: inout ByteWriter) {
    writer.writeZigZag(Int64(value))
  }

  /// Writes a zigzag variable-length integer.
  @inlinable
  public static func writeInt64(_ value: Int64, to writer: inout ByteWriter) {
    writer.writeZigZag(value)
  }

  /// Writes 4 bytes.
  @inlinable
  public static func writeFloat(_ value: Float, to writer: inout ByteWriter) {
    writer.writeInteger(value.bitPattern)
  }

  /// Writes 8 bytes.
  @inlinable
  public static func writeDouble(_ value: Double, to writer: inout ByteWriter) {
    writer.writeInteger(value.bitPattern)
  }

  /// `value` in seconds since the start of 2001 in UTC.
  @inlinable
  public static func writeDate(_ value: Double, to writer: inout ByteWriter) {
    writer.writeInteger(value.bitPattern)
  }

  /// Writes its byte count, then UTF-8.
  @inlinable
  public static func writeString(_ value: String, to writer: inout ByteWriter) {
    writer.writeString(value)
  }

  /// Writes its byte count, then the bytes.
  @inlinable
  public static func writeData(_ value: [UInt8], to writer: inout ByteWriter) {
    writer.writeVariableLength(UInt64(value.count))
    writer.writeBytes(value)
  }

  /// Writes its byte count, then the bytes.
  @inlinable
  public static func writeData(_ value: UnsafeRawBufferPointer, to writer: inout ByteWriter) {
    writer.writeLengthPrefixedBytes(value)
  }

  /// Writes 16 bytes in text order.
  @inlinable
  public static func writeUUID(_ value: UniqueIdentifier, to writer: inout ByteWriter) {
    writer.writeInteger(value.high.bigEndian)
    writer.writeInteger(value.low.bigEndian)
  }

  /// The number of elements that follow, of a list or dictionary.
  @inlinable
  public static func writeCount(_ count: Int, to writer: inout ByteWriter) {
    writer.writeVariableLength(UInt64(count))
  }

  // MARK: Reading

  /// Reads a byte that must be 0 or 1.
  @inlinable
  public static func readBool(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> Bool {
    let offset = reader.offset
    let byte = try reader.readByte()
    guard byte <= 1 else { throw .invalidValue(offset: offset, reason: "a bool is 0 or 1") }
    return byte == 1
  }

  /// Reads a zigzag integer and checks its range.
  @inlinable
  public static func readInt32(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> Int32 {
    let offset = reader.offset
    guard let value = Int32(exactly: try reader.readZigZag()) else {
      throw .integerOutOfRange(offset: offset)
    }
    return value
  }

  /// Reads a zigzag integer.
  @inlinable
  public static func readInt64(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> Int64 {
    try reader.readZigZag()
  }

  /// Reads 4 bytes.
  @inlinable
  public static func readFloat(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> Float {
    Float(bitPattern: try reader.readInteger())
  }

  /// Reads 8 bytes.
  @inlinable
  public static func readDouble(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> Double {
    Double(bitPattern: try reader.readInteger())
  }

  /// Seconds since the start of 2001 in UTC.
  @inlinable
  public static func readDate(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> Double {
    Double(bitPattern: try reader.readInteger())
  }

  /// Reads text and checks that it is UTF-8.
  @inlinable
  public static func readString(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> String {
    try reader.readString()
  }

  /// Reads bytes behind their count.
  @inlinable
  public static func readData(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> [UInt8] {
    [UInt8](try reader.readLengthPrefixedBytes())
  }

  /// Reads 16 bytes in text order.
  @inlinable
  public static func readUUID(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> UniqueIdentifier {
    let high = UInt64(bigEndian: try reader.readInteger())
    let low = UInt64(bigEndian: try reader.readInteger())
    return UniqueIdentifier(high: high, low: low)
  }

  /// The number of elements that follow; never more than the bytes that are left.
  @inlinable
  public static func readCount(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> Int {
    let offset = reader.offset
    let count = try reader.readVariableLength()
    guard count <= UInt64(reader.remainingByteCount) else {
      throw .endOfBytes(offset: offset, needed: count, available: reader.remainingByteCount)
    }
    return Int(count)
  }
}
