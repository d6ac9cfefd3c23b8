/// A step asked for a value as a Swift type that it is not; the value itself is not told.
public struct ValueConversionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What the step asked for.
  public let expected: String
  /// What the value is.
  public let found: String

  public init(expected: String, found: String) {
    self.expected = expected
    self.found = found
  }

  public var description: String { "the step expects \(expected), the value is \(found)" }
}
