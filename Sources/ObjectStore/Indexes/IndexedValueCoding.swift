internal import LogStore
internal import SchemaRegistry

/// Values of members as bytes whose order is that of the values, in front of the object's key.
///
///     key of an index := value key
///     value := 00                                   nil
///            | 01 bool          1 byte
///            | 01 int32, int64  8 bytes, big-endian, sign bit flipped
///            | 01 float, double, date
///                               8 bytes, big-endian, of the double: all bits flipped when it is
///                               negative, the sign bit else; one zero, and one NaN above the rest
///            | 01 uuid          16 bytes in text order
///            | 01 string, data  at most the first 255 bytes, 00 written as 00 FF, then 00 01
///            | FF               who wrote the key could not upgrade the object
enum IndexedValueCoding {
  static let absent: [UInt8] = [0x00]
  static let unknown: [UInt8] = [0xFF]
  static let presentTag: UInt8 = 0x01
  private static let byteCountMaximum = 255

  /// Whether members of `type` can be looked up by value in the order of values.
  static func isIndexable(_ type: FieldType) -> Bool {
    switch type.unwrapped {
    case .bool, .int32, .int64, .float, .double, .date, .uuid, .string, .data: true
    case .optional, .list, .dictionary, .object: false
    }
  }

  /// What an index of a member of `type` holds values of: the member's, or, of a list or set, its
  /// elements'; nothing where there can be no index.
  static func indexedType(_ type: FieldType) -> FieldType? {
    if isIndexable(type) { return type }
    guard case .list(let element) = type.unwrapped, isIndexable(element) else { return nil }
    return element
  }

  /// The values for which an index has keys of an object whose member holds `value`: that one, or
  /// the elements of a list.
  static func values(in value: Value, ofElements: Bool) -> [Value] {
    guard ofElements else { return [value] }
    if case .list(let elements) = value { return elements }
    return []
  }

  /// Whether values of two types have bytes that can be compared.
  static func isAlike(_ left: FieldType, _ right: FieldType) -> Bool {
    switch (left.unwrapped, right.unwrapped) {
    case (.int32, .int64), (.int64, .int32), (.float, .double), (.double, .float): true
    case (.list(let left), .list(let right)): isAlike(left, right)
    case (let left, let right): left == right
    }
  }

  /// The bytes of a value; long texts are cut, unless all of them is asked for to compare it.
  ///
  /// - Precondition: the value is of an indexable type.
  static func encode(_ value: Value, cutting: Bool = true) -> [UInt8] {
    switch value {
    case .null: return absent
    case .bool(let bool): return [presentTag, bool ? 1 : 0]
    case .int(let integer): return [presentTag] + bigEndian(UInt64(bitPattern: integer) ^ 1 << 63)
    case .float(let number): return [presentTag] + ordered(Double(number))
    case .double(let number), .date(let number): return [presentTag] + ordered(number)
    case .uuid(let identifier):
      return [presentTag] + bigEndian(identifier.high) + bigEndian(identifier.low)
    case .string(let text):
      return terminated(cutting ? [UInt8](text.utf8.prefix(byteCountMaximum)) : [UInt8](text.utf8))
    case .data(let bytes):
      return terminated(cutting ? [UInt8](bytes.prefix(byteCountMaximum)) : bytes)
    case .list, .dictionary, .object:
      preconditionFailure("only single values are looked up; the type was checked before")
    }
  }

  /// The key of an index for an object with these bytes as a value; nothing when it would be longer
  /// than keys can be.
  static func entry(_ value: [UInt8], key: [UInt8]) -> [UInt8]? {
    value.count + key.count <= LogLimits.keyByteCount ? value + key : nil
  }

  /// The bytes that the encoded form of every text or bytes starts with that start with `value`.
  static func prefix(_ value: Value, cutting: Bool = true) -> [UInt8] {
    [UInt8](encode(value, cutting: cutting).dropLast(2))
  }

  /// Where the object's key starts in a key of an index over `type`; nothing in a damaged one.
  static func keyOffset(in bytes: [UInt8], type: FieldType) -> Int? {
    guard let tag = bytes.first else { return nil }
    if tag != presentTag { return 1 }
    let offset: Int
    switch type.unwrapped {
    case .bool: offset = 2
    case .uuid: offset = 17
    case .string, .data:
      var place = 1
      while place + 1 < bytes.count, bytes[place] != 0 || bytes[place + 1] != 1 {
        place += bytes[place] == 0 ? 2 : 1
      }
      offset = place + 2
    default: offset = 9
    }
    return offset < bytes.count ? offset : nil
  }

  private static func terminated(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = [presentTag]
    for byte in bytes {
      result.append(byte)
      if byte == 0 { result.append(0xFF) }
    }
    return result + [0, 1]
  }

  private static func ordered(_ number: Double) -> [UInt8] {
    if number.isNaN { return [UInt8](repeating: 0xFF, count: 8) }
    let bits = number.isZero ? 0 : number.bitPattern
    return bigEndian(bits >> 63 == 1 ? ~bits : bits | 1 << 63)
  }

  private static func bigEndian(_ value: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * UInt64($0))) }
  }
}
