internal import FileIO

/// A clock that stands still until a test moves it.
package final class ManualTimeSource: TimeSource {
  private let seconds: Lock<UInt64>

  package init(secondsSince1970 seconds: UInt64 = 1_000_000_000) { self.seconds = Lock(seconds) }

  package func secondsSince1970() -> UInt64 { seconds.withLock { seconds in seconds } }

  /// Sets the clock; times in the past are allowed.
  package func set(secondsSince1970 newSeconds: UInt64) {
    seconds.withLock { seconds in seconds = newSeconds }
  }
}
