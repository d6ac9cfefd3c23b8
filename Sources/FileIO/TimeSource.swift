/// Where the time of day and durations come from; tests pass their own.
///
/// A store asks while it holds locks of its own: what answers must neither use a store nor take a
/// lock under which others use, close or let go one.
public protocol TimeSource: Sendable {
  /// Whole seconds since 1 January 1970 UTC; may jump in either direction.
  func secondsSince1970() -> UInt64
  /// Nanoseconds since some moment in the past; never goes back. For durations in statistics.
  func monotonicNanoseconds() -> UInt64
  /// Nanoseconds for which a processor has worked for the calling thread; never goes back.
  func processorNanoseconds() -> UInt64
}

extension TimeSource {
  /// Stands still: durations are zero.
  public func monotonicNanoseconds() -> UInt64 { 0 }

  /// As if a processor worked all the time.
  public func processorNanoseconds() -> UInt64 { monotonicNanoseconds() }
}
