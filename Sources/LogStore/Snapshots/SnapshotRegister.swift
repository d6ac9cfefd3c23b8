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
    /// In places that are used again, so that a snapshot costs neither memory nor a search.
    var holds: [Hold?] = []
    var freePlaces: [Int] = []
    /// No snapshot that may have to go was taken before; nothing where there is none.
    var earliest: UInt64?

    mutating func add(_ hold: Hold) -> Int {
      if hold.expiring != nil { earliest = min(earliest ?? hold.takenAt, hold.takenAt) }
      if let place = freePlaces.popLast() {
        holds[place] = hold
        return place
      }
      holds.append(hold)
      return holds.count - 1
    }

    mutating func remove(at place: Int) -> Hold? {
      defer {
        holds[place] = nil
        freePlaces.append(place)
      }
      return holds[place]
    }

    /// Those that may have to go, and for which that is true; only the others count from now on.
    mutating func takeExpiring(where isTooOld: (Hold) -> Bool) -> [Hold] {
      var tooOld: [Hold] = []
      earliest = nil
      for case let hold? in holds where hold.expiring != nil {
        if isTooOld(hold) {
          tooOld.append(hold)
        } else {
          earliest = min(earliest ?? hold.takenAt, hold.takenAt)
        }
      }
      return tooOld
    }
  }

  private let entries = Lock(Entries())
  private let timeSource: any TimeSource
  /// Seconds for which a snapshot may be used.
  let maximumAge: UInt64?
  /// Who may read ahead of long walks; nothing where nobody may.
  let readAheadPool: ReadAheadPool?

  init(_ configuration: LogConfiguration) {
    timeSource = configuration.timeSource
    maximumAge = configuration.snapshotMaximumAge
    let readsAhead = configuration.maintenance == .background && Processors.count > 1
    readAheadPool = readsAhead ? ReadAheadPool() : nil
  }

  /// Seconds since `moment`; none when the clock was set back.
  func age(since moment: UInt64) -> UInt64 {
    Self.age(since: moment, at: timeSource.secondsSince1970())
  }

  private static func age(since moment: UInt64, at now: UInt64) -> UInt64 {
    now > moment ? now - moment : 0
  }

  /// Enters a snapshot of `view`; returns its place and what it holds.
  func enter(_ view: View, isLasting: Bool) -> (place: Int, hold: Hold) {
    let hold = Hold(
      takenAt: timeSource.secondsSince1970(), lastSequence: view.lastSequence,
      expiring: isLasting || maximumAge == nil ? nil : ExpiringView(view))
    return (entries.withLock { entries in entries.add(hold) }, hold)
  }

  func leave(_ place: Int) {
    // What it holds goes after the lock: it may take a whole table, or files, with it.
    _ = entries.withLock { entries in entries.remove(at: place) }
  }

  /// Takes their views from the snapshots that are too old; what that pinned may go.
  ///
  /// Called by each commit: it asks the clock once, and looks at the snapshots only when one may be
  /// too old.
  func expire() {
    guard let maximumAge, let earliest = entries.withLock({ $0.earliest }) else { return }
    let now = timeSource.secondsSince1970()
    guard Self.age(since: earliest, at: now) > maximumAge else { return }
    let tooOld = entries.withLock { entries in
      entries.takeExpiring { hold in Self.age(since: hold.takenAt, at: now) > maximumAge }
    }
    for hold in tooOld { hold.expiring?.release() }
  }

  /// How many are held, and the oldest of them.
  func summary() -> (count: Int, oldest: Hold?) {
    let held = entries.withLock { entries in entries.holds.compactMap { $0 } }
    let oldest = held.min { ($0.lastSequence, $0.takenAt) < ($1.lastSequence, $1.takenAt) }
    return (held.count, oldest)
  }
}
