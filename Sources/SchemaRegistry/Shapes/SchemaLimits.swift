/// Every limit of a schema, in one place; a limit that is hit is a typed error that names it.
public enum SchemaLimits {
  /// Members of one type, and of one embedded object.
  public static let memberCount = 4096
  /// Members of one type together with those of all objects in it, at any depth.
  public static let wholeMemberCount = 65536
  /// Types of one schema.
  public static let typeCount = 65536
  /// How deep field types nest: `[string?]` has depth 3.
  public static let depth = 64
  /// Bytes of the UTF-8 form of a type's or member's name.
  public static let nameByteCount = 255
  /// Bytes of an encoded key; a key has at least one byte.
  public static let keyByteCount = 4096
  /// What an expression makes of a record beyond what it was given, and compares, in bytes; a value
  /// counts four, and a text that is made for a part of an object as a whole. Four times what a
  /// record can have.
  public static let expressionByteCount = 4 * (64 << 20)
  /// How often as many bytes an expression reads of texts, whether it makes something of them or
  /// not: the largest one 128 times. Names of members are read, too, and each evaluation of a part
  /// counts eight bytes, as does each value that is looked at for embedded objects.
  public static let expressionReadCount = 32

  /// Whether `name` may name a type or a member.
  ///
  /// Between 1 and 255 bytes, without spaces, control characters and ``reservedCharacters``, so
  /// that names need no quotes in schema texts and operation ids.
  public static func isValidName(_ name: String) -> Bool {
    let text = name.utf8
    guard !text.isEmpty, text.count <= nameByteCount else { return false }
    return text.allSatisfy { byte in
      guard byte < 0x80 else { return true }
      return (byte < 0x40 ? refusedBytes.low : refusedBytes.high) & (1 << (byte & 0x3F)) == 0
    }
  }

  /// The characters that no name may hold.
  public static let reservedCharacters = "()[]{}:,?/\"'\\"

  /// A bit for each byte of ASCII that no name may hold: those below 64, and those behind.
  private static let refusedBytes: (low: UInt64, high: UInt64) = {
    var refused: (low: UInt64, high: UInt64) = (0, 0)
    for byte in Array(0...0x20) + [0x7F] + Array(reservedCharacters.utf8) {
      if byte < 0x40 { refused.low |= 1 << byte } else { refused.high |= 1 << (byte & 0x3F) }
    }
    return refused
  }()
}
