/// Where the time of day comes from; tests pass their own.
public protocol TimeSource: Sendable {
  /// Whole seconds since 1 January 1970 UTC; may jump in either direction.
  func secondsSince1970() -> UInt64
}
