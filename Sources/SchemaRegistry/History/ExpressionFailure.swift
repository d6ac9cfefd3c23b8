/// Why an expression has no value for one record; the record's values are not told.
public struct ExpressionFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The reason as part of a sentence.
  public let reason: String
  /// Whether it made too much of a record: then another value in its place would be a wrong one.
  let isLimit: Bool

  init(reason: String, isLimit: Bool = false) {
    self.reason = reason
    self.isLimit = isLimit
  }

  public var description: String { reason }
}
