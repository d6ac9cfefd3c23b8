/// Every limit of a schema, in one place; a limit that is hit is a typed error that names it.
public enum SchemaLimits {
  /// Members of one type, and of one embedded object.
  public static let memberCount = 4096
  /// Types of one schema.
  public static let typeCount = 65536
  /// How deep field types nest: `[string?]` has depth 3.
  public static let depth = 64
  /// Bytes of the UTF-8 form of a type's or member's name.
  public static let nameByteCount = 255
  /// Bytes of an encoded key; a key has at least one byte.
  public static let keyByteCount = 4096
  /// What an expression makes of a record beyond what it was given, and compares, in bytes; a value
  /// counts four. Four times what a record can have.
  public static let expressionByteCount = 4 * (64 << 20)

  /// Whether `name` may name a type or a member.
  ///
  /// Between 1 and 255 bytes, without spaces, control characters and ``reservedCharacters``, so
  /// that names need no quotes in schema texts and operation ids.
  public static func isValidName(_ name: String) -> Bool {
    let text = name.utf8
    guard !text.isEmpty, text.count <= nameByteCount else { return false }
    return text.allSatisfy { $0 > 0x20 && $0 != 0x7F && !reservedBytes.contains($0) }
  }

  /// The characters that no name may hold.
  public static let reservedCharacters = "()[]{}:,?/\"'\\"

  private static let reservedBytes = Array(reservedCharacters.utf8)
}
