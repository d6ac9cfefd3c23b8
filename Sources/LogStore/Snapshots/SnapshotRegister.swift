internal import FileIO

/// The snapshots that somebody holds, so that statistics can tell of them and a limit of their age
/// can be kept. Safe on any thread.
final class SnapshotRegister: Sendable {
  /// One snapshot.
  struct Hold: Sendable {
    let takenAt: UInt64
    let lastSequence: CommitSequence
    /// Where the snapshot's view is, if it may be taken away.
    let expiring: ExpiringView?
  }

  private struct Entries {
    var nextNumber: UInt64 = 0
    var byNumber: [UInt64: Hold] = [:]
  }

  private let entries = Lock(Entries())
  private let timeSource: any TimeSource
  /// Seconds for which a snapshot may be used.
  let maximumAge: UInt64?

  init(_ configuration: LogConfiguration) {
    timeSource = configuration.timeSource
    maximumAge = configuration.snapshotMaximumAge
  }

  /// Seconds since `moment`; none when the clock was set back.
  func age(since moment: UInt64) -> UInt64 {
    let now = timeSource.secondsSince1970()
    return now > moment ? now - moment : 0
  }

  /// Enters a snapshot of `view`; returns its number and what it holds.
  func enter(_ view: View) -> (number: UInt64, hold: Hold) {
    let hold = Hold(
      takenAt: timeSource.secondsSince1970(), lastSequence: view.lastSequence,
      expiring: maximumAge == nil ? nil : ExpiringView(view))
    let number = entries.withLock { entries in
      entries.nextNumber += 1
      entries.byNumber[entries.nextNumber] = hold
      return entries.nextNumber
    }
    return (number, hold)
  }

  func leave(_ number: UInt64) {
    _ = entries.withLock { entries in entries.byNumber.removeValue(forKey: number) }
  }

  /// Takes their views from the snapshots that are too old; what that pinned may go.
  func expire() {
    guard let maximumAge else { return }
    let held = entries.withLock { entries in [Hold](entries.byNumber.values) }
    for hold in held where age(since: hold.takenAt) > maximumAge { hold.expiring?.release() }
  }

  /// How many are held, and the oldest of them.
  func summary() -> (count: Int, oldest: Hold?) {
    entries.withLock { entries in
      (
        entries.byNumber.count,
        entries.byNumber.min { $0.key < $1.key }?.value
      )
    }
  }
}
