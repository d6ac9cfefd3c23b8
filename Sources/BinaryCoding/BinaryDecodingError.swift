/// Why bytes could not be decoded; offsets count from the start of the decoded bytes.
public enum BinaryDecodingError: Error, Equatable, Sendable, CustomStringConvertible {
  /// `needed` bytes were expected at `offset`, `available` were left.
  case endOfBytes(offset: Int, needed: UInt64, available: Int)
  /// A variable-length integer at `offset` is longer than ten bytes or does not fit its type.
  case integerOutOfRange(offset: Int)
  /// The bytes at `offset` are not valid UTF-8.
  case invalidUTF8(offset: Int)
  /// The value at `offset` breaks a rule of its structure.
  case invalidValue(offset: Int, reason: String)
  /// The value at `offset` is whole, and no case of an enumeration has it.
  indirect case unknownCase(UnknownCase, offset: Int)
  /// `count` bytes were left over after the last field.
  case trailingBytes(offset: Int, count: Int)

  public var description: String {
    switch self {
    case .endOfBytes(let offset, let needed, let available):
      "the bytes end too early: \(needed) needed at offset \(offset), \(available) left"
    case .integerOutOfRange(let offset):
      "the integer at offset \(offset) is out of range"
    case .invalidUTF8(let offset):
      "the text at offset \(offset) is not valid UTF-8"
    case .invalidValue(let offset, let reason):
      "the value at offset \(offset) is invalid: \(reason)"
    case .unknownCase(let unknown, let offset):
      "the value at offset \(offset) is one that no case of \(unknown.enumeration) has"
    case .trailingBytes(let offset, let count):
      "\(count) bytes are left over at offset \(offset)"
    }
  }
}
