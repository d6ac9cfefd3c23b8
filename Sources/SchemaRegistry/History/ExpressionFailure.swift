/// Why an expression has no value for one record; the record's values are not told.
public struct ExpressionFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The reason as part of a sentence.
  public let reason: String

  public var description: String { reason }
}
