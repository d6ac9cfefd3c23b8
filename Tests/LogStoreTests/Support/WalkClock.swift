import FileIO

/// A clock by which it takes so long to wait for a portion of records, and so long to use it: it is
/// read in pairs, when one is needed and when it is there.
final class WalkClock: TimeSource {
  private let state = Lock((isNeeded: true, now: UInt64(0)))
  private let waiting: UInt64
  private let using: UInt64

  init(waiting: UInt64, using: UInt64) {
    self.waiting = waiting
    self.using = using
  }

  func secondsSince1970() -> UInt64 { 0 }

  func monotonicNanoseconds() -> UInt64 {
    state.withLock { state in
      // What passes before a portion is needed is the use of the one before it.
      state.now += state.isNeeded ? using : waiting
      state.isNeeded.toggle()
      return state.now
    }
  }

  /// Lets more time pass while a portion is used.
  func pass(_ nanoseconds: UInt64) { state.withLock { state in state.now += nanoseconds } }
}
