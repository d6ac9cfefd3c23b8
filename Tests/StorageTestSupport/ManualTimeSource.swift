internal import FileIO

/// A clock that stands still until a test moves it.
package final class ManualTimeSource: TimeSource {
  private let seconds: Lock<UInt64>
  private let nanoseconds = Lock<UInt64>(0)

  package init(secondsSince1970 seconds: UInt64 = 1_000_000_000) { self.seconds = Lock(seconds) }

  package func secondsSince1970() -> UInt64 { seconds.withLock { seconds in seconds } }

  /// Each reading is one microsecond after the one before.
  package func monotonicNanoseconds() -> UInt64 {
    nanoseconds.withLock { nanoseconds in
      nanoseconds += 1000
      return nanoseconds
    }
  }

  /// Sets the clock; times in the past are allowed.
  package func set(secondsSince1970 newSeconds: UInt64) {
    seconds.withLock { seconds in seconds = newSeconds }
  }
}
