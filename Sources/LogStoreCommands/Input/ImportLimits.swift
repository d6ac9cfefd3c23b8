/// The bounds that keep an import's memory independent of its input.
enum ImportLimits {
  /// A line of JSON, or a row of a table, in bytes: 64 MiB.
  static let rowByteCountMaximum = 64 << 20
  /// How deep lists and objects of a row may nest.
  static let nestingDepthMaximum = 64
  /// Members of an object, as far as it is no value of a member, and columns of a table.
  static let memberCountMaximum = 65_536
  /// Names of members that a shape is inferred from, all objects within others together.
  static let inferredNameCountMaximum = 1_000_000
  /// Bytes of those names together: 256 MiB, four times what a row may have.
  static let inferredNameByteCountMaximum = 256 << 20
  /// What is asked of the input at a time, in bytes: 256 KiB.
  static let readByteCount = 256 << 10
}
