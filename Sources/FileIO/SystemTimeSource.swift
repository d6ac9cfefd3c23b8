/// The clock of the operating system.
public struct SystemTimeSource: TimeSource {
  public init() {}

  /// Whole seconds since 1 January 1970 UTC; 0 while the clock is set to an earlier time.
  public func secondsSince1970() -> UInt64 { SystemCalls.secondsSince1970() }

  public func monotonicNanoseconds() -> UInt64 { SystemCalls.nanoseconds(of: .monotonic) }

  public func processorNanoseconds() -> UInt64 { SystemCalls.nanoseconds(of: .thread) }
}
