/// How much expressions may still make of a record, and read: a few of them, each of which doubles
/// what the one before gave, would fill any memory, and one that reads a long text for each element
/// of a list, or has many parts that make nothing, would hardly end.
struct ExpressionRoom {
  /// What a value counts that is made or compared: at least a byte of a record, so that all values
  /// of the largest one have room.
  static let valueByteCount = 4
  /// What a step counts as read: 2^30 of them end within a minute, and are sixteen for each byte of
  /// the largest record.
  private static let stepByteCount = 8

  private var byteCount: Int
  private var readByteCount: Int

  init(byteCount: Int = SchemaLimits.expressionByteCount) {
    self.byteCount = byteCount
    readByteCount = byteCount * SchemaLimits.expressionReadCount
  }

  /// Takes the bytes of something before it is made.
  mutating func take(_ taken: Int) throws(ExpressionFailure) {
    guard taken <= byteCount else { throw Self.failure }
    byteCount -= taken
  }

  /// Notes that a part of an expression is about to be evaluated, or a value looked at of which one
  /// with other members may be made.
  mutating func step() throws(ExpressionFailure) { try read(Self.stepByteCount) }

  /// Notes that so many bytes of a text or of a name are about to be read; they may be what was
  /// read before.
  mutating func read(_ count: Int) throws(ExpressionFailure) {
    guard count <= readByteCount else { throw Self.readFailure }
    readByteCount -= count
  }

  /// Takes the bytes of `count` values.
  mutating func take(valueCount count: Int) throws(ExpressionFailure) {
    try take(count * Self.valueByteCount)
  }

  /// Whether two values are stored alike. What is compared counts, too: values may hold the same
  /// ones many times.
  mutating func compares(_ value: Value, _ other: Value) throws(ExpressionFailure) -> Bool {
    let before = max(1, byteCount / Self.valueByteCount)
    var remaining = before
    let isSame = value.isStoredLike(other, visiting: &remaining)
    guard remaining > 0 else { throw Self.failure }
    try take(valueCount: before - remaining)
    return isSame
  }

  private static var readFailure: ExpressionFailure {
    ExpressionFailure(
      reason: "it reads more bytes of one record than "
        + "\(SchemaLimits.expressionReadCount) times \(SchemaLimits.expressionByteCount), "
        + "of which each of its steps counts \(stepByteCount)",
      isLimit: true)
  }

  private static var failure: ExpressionFailure {
    ExpressionFailure(
      reason: "it makes more than \(SchemaLimits.expressionByteCount) bytes of one record",
      isLimit: true)
  }
}
