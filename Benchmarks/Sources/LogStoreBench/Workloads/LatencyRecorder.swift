import Histogram

/// Takes the time of single operations, of one thread.
struct LatencyRecorder {
  private(set) var histogram = Histogram<UInt32>(
    highestTrackableValue: 60_000_000_000, numberOfSignificantValueDigits: .three)

  mutating func record(_ body: () throws -> Void) rethrows {
    let start = ContinuousClock.now
    try body()
    let elapsed = (ContinuousClock.now - start).components
    let nanoseconds =
      UInt64(elapsed.seconds) * 1_000_000_000 + UInt64(elapsed.attoseconds) / 1_000_000_000
    histogram.record(nanoseconds)
  }
}
