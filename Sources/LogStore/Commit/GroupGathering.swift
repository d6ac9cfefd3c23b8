internal import FileIO

/// Says whether a synchronization that could begin waits for more commits first, and how long.
///
/// Threads that commit one change after the other form two groups otherwise: while the commits of
/// one half are synchronized the other half's come, and wait for the next synchronization. When the
/// first half is let go and comes back, that one is under way without it. Who is about to begin it
/// therefore waits until as many callers wait as the last one left: those that it let go, and those
/// that had come meanwhile. A caller that is alone never waits.
///
/// It is a guess that they come back. So it gives up when nobody came for half as long as the last
/// synchronization took, or when it has waited as long as that, and leaves out more and more of its
/// turns while the guess is wrong.
struct GroupGathering {
  /// Callers whose commits were appended, and that no synchronization was begun for.
  private(set) var waitingCount = 0
  /// Callers that the synchronization that was begun last is for.
  private var coveredCount = 0
  /// How many callers may come together.
  private var expectedCount = 0
  /// Nanoseconds that the last synchronization took.
  private var lastDuration: UInt64 = 0
  /// Turns to be left out, and how many it will be after the next wrong guess.
  private var leftOutCount = 0
  private var nextLeftOutCount = 1

  /// Longer than threads need to be woken and to come back; nanoseconds.
  static let patienceMaximum: UInt64 = 200_000
  static let leftOutCountMaximum = 64

  /// So many more callers wait for the next synchronization.
  mutating func arrive(_ callerCount: Int) { waitingCount += callerCount }

  /// Whether the synchronization that could begin now should wait for others.
  mutating func isWorthWaiting() -> Bool {
    guard waitingCount < expectedCount, lastDuration > 0 else { return false }
    guard leftOutCount > 0 else { return true }
    leftOutCount -= 1
    return false
  }

  /// Whether it should go on waiting: `total` nanoseconds after it began to, and `idle` after the
  /// last one came.
  func goesOn(total: UInt64, idle: UInt64) -> Bool {
    let patience = min(lastDuration, Self.patienceMaximum)
    return waitingCount < expectedCount && total < patience && idle < patience / 2
  }

  /// The waiting is over; when it was in vain, the next ones are left out.
  mutating func endWaiting() {
    if waitingCount >= expectedCount {
      nextLeftOutCount = 1
    } else {
      leftOutCount = nextLeftOutCount
      nextLeftOutCount = min(2 * nextLeftOutCount, Self.leftOutCountMaximum)
    }
  }

  /// A synchronization begins for all that wait.
  mutating func begin() {
    coveredCount = waitingCount
    waitingCount = 0
  }

  /// So many of those that it is for go before it is over: if they come back, they count anew.
  mutating func letGo(_ callerCount: Int) { coveredCount -= callerCount }

  /// It succeeded, and took so many nanoseconds.
  mutating func end(after duration: UInt64) {
    lastDuration = duration
    expectedCount = coveredCount + waitingCount
  }

  /// It failed: who waits tries again, and there is nobody to wait for.
  mutating func fail() { expectedCount = 0 }

  /// Lets others run until enough of them wait, or it takes too long; for who begins the next
  /// synchronization, after ``isWorthWaiting()``.
  ///
  /// Asks again and again, because a wait that the system ends takes longer than most of these.
  /// `access` calls its argument once, alone with the gathering, and returns what that does.
  static func gather(
    on timeSource: any TimeSource,
    access: (_ body: (inout GroupGathering) -> Bool) -> Bool
  ) {
    let start = timeSource.monotonicNanoseconds()
    var now = start
    var lastArrival = start
    var count = 0
    while access({ gathering in
      if gathering.waitingCount > count { lastArrival = now }
      count = gathering.waitingCount
      if gathering.goesOn(total: now - start, idle: now - lastArrival) { return true }
      gathering.endWaiting()
      return false
    }) {
      Processors.yield()
      now = timeSource.monotonicNanoseconds()
    }
  }
}
