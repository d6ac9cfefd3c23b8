internal import BinaryCoding

/// Primary keys as bytes whose byte order is the order of the keys.
///
///     int32/int64  8 bytes, big-endian, sign bit flipped
///     uuid         16 bytes in text order
///     string       UTF-8, 1 … 4096 bytes
///     data         the bytes, 1 … 4096
public enum KeyCoding {
  /// The key bytes of `value`; throws ``SchemaError/invalidKey(keyType:reason:)``.
  public static func encode(_ value: Value, as type: FieldType) throws(SchemaError) -> [UInt8] {
    switch (value, type) {
    case (.int(let integer), .int64):
      return bigEndian(UInt64(bitPattern: integer) ^ (1 << 63))
    case (.int(let integer), .int32):
      guard Int32(exactly: integer) != nil else {
        throw .invalidKey(keyType: type, reason: "the integer does not fit int32")
      }
      return bigEndian(UInt64(bitPattern: integer) ^ (1 << 63))
    case (.uuid(let identifier), .uuid):
      return bigEndian(identifier.high) + bigEndian(identifier.low)
    case (.string(let text), .string):
      return try checked(Array(text.utf8), type)
    case (.data(let bytes), .data):
      return try checked(bytes, type)
    default:
      throw .invalidKey(keyType: type, reason: "\(type) expected, \(value.kindName) given")
    }
  }

  /// The key bytes of `value`, or nothing for one that no object can have: an empty or too long
  /// text, or an integer out of range. Throws as ``encode(_:as:)`` for a value of another kind.
  package static func encode(
    lookingUp value: Value, as type: FieldType
  ) throws(SchemaError) -> [UInt8]? {
    do throws(SchemaError) { return try encode(value, as: type) } catch {
      switch (value, type) {
      case (.int, .int32), (.string, .string), (.data, .data): return nil
      default: throw error
      }
    }
  }

  /// The key that `bytes` stand for; throws for bytes that ``encode(_:as:)`` never returns.
  public static func decode(
    _ bytes: UnsafeRawBufferPointer, as type: FieldType
  ) throws(SchemaError) -> Value {
    switch type {
    case .int32, .int64:
      let integer = Int64(bitPattern: try unsigned(bytes, count: 8, type) ^ (1 << 63))
      if case .int32 = type, Int32(exactly: integer) == nil {
        throw .invalidKey(keyType: type, reason: "the integer does not fit int32")
      }
      return .int(integer)
    case .uuid:
      guard bytes.count == 16 else {
        throw .invalidKey(keyType: type, reason: "16 bytes expected, \(bytes.count) found")
      }
      let low = UnsafeRawBufferPointer(rebasing: bytes[8...])
      let high = UnsafeRawBufferPointer(rebasing: bytes[..<8])
      return .uuid(
        UniqueIdentifier(
          high: try unsigned(high, count: 8, type), low: try unsigned(low, count: 8, type)))
    case .string:
      guard let text = String(utf8: bytes) else {
        throw .invalidKey(keyType: type, reason: "the bytes are not valid UTF-8")
      }
      try check(bytes.count, type)
      return .string(text)
    case .data:
      return .data(try checked(Array(bytes), type))
    default:
      throw .invalidKey(keyType: type, reason: "\(type) cannot be a key")
    }
  }

  /// The key that `bytes` stand for.
  public static func decode(_ bytes: [UInt8], as type: FieldType) throws(SchemaError) -> Value {
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(SchemaError) in try decode(bytes, as: type) }
    }
    return try result.get()
  }

  /// A key for people: text as it is, at most 80 characters; bytes in hexadecimal.
  public static func text(of key: Value) -> String {
    switch key {
    case .int(let integer): String(integer)
    case .uuid(let identifier): identifier.description
    case .string(let text): shortened(text)
    case .data(let bytes): shortened(Hexadecimal.text(bytes))
    default: "(\(key.kindName))"
    }
  }

  private static func shortened(_ text: String) -> String {
    text.count <= 80 ? text : text.prefix(79) + "…"
  }

  private static func bigEndian(_ value: UInt64) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { [UInt8]($0) }
  }

  private static func unsigned(
    _ bytes: UnsafeRawBufferPointer, count: Int, _ type: FieldType
  ) throws(SchemaError) -> UInt64 {
    guard bytes.count == count else {
      throw .invalidKey(keyType: type, reason: "\(count) bytes expected, \(bytes.count) found")
    }
    return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
  }

  private static func check(_ byteCount: Int, _ type: FieldType) throws(SchemaError) {
    guard byteCount > 0 else { throw .invalidKey(keyType: type, reason: "the key is empty") }
    guard byteCount <= SchemaLimits.keyByteCount else {
      throw .invalidKey(
        keyType: type,
        reason: "\(byteCount) bytes are more than the limit of \(SchemaLimits.keyByteCount)")
    }
  }

  private static func checked(
    _ bytes: [UInt8], _ type: FieldType
  ) throws(SchemaError) -> [UInt8] {
    try check(bytes.count, type)
    return bytes
  }
}
