/// Where random numbers come from; tests pass their own.
public protocol RandomSource: Sendable {
  /// The next 64 random bits.
  func next() -> UInt64
}
