internal import FileIO

/// Where commits wait until they are durable; of those that wait, one synchronizes for all.
///
/// While it does, others append; all of them are through with the next synchronization, which waits
/// a moment for those that this one lets go: see ``GroupGathering``. There is no thread of its own.
/// The other half of group commit, beside ``CommitQueue``.
final class DurabilityGate: @unchecked Sendable {
  // Sendable: all stored state is used inside `monitor`.
  private let monitor = Monitor()
  private let timeSource: any TimeSource
  private var durable = CommitSequence.zero
  /// Who synchronizes, or waits for others to join it.
  private var leader: ThreadIdentifier?
  private var gathering = GroupGathering()

  /// Durations are taken from `timeSource`: where it stands still, no synchronization waits.
  init(_ timeSource: any TimeSource) { self.timeSource = timeSource }

  /// Returns when everything up to `sequence` is durable; `callerCount` callers wait for that.
  ///
  /// `synchronize` is called by one thread at a time, outside the monitor, and says how far
  /// everything is durable. When it throws, that thread throws; the others try themselves.
  func wait(
    for sequence: CommitSequence, callerCount: Int,
    synchronize: () throws(LogError) -> CommitSequence
  ) throws(LogError) {
    monitor.enter()
    defer { monitor.leave() }
    if durable < sequence { gathering.arrive(callerCount) }
    while durable < sequence {
      guard leader == nil else {
        monitor.wait()
        continue
      }
      leader = .current
      defer {
        leader = nil
        monitor.wakeAll()
      }
      durable = max(durable, try lead(synchronize))
    }
  }

  /// Whether the caller is called by what synchronizes, which others wait for.
  var isLedHere: Bool {
    monitor.enter()
    defer { monitor.leave() }
    return leader == .current
  }

  /// Synchronizes for all that wait; called inside the monitor, and is inside it again afterwards.
  private func lead(
    _ synchronize: () throws(LogError) -> CommitSequence
  ) throws(LogError) -> CommitSequence {
    if gathering.isWorthWaiting() {
      monitor.leave()
      GroupGathering.gather(on: timeSource) { body in
        monitor.enter()
        defer { monitor.leave() }
        return body(&gathering)
      }
      monitor.enter()
    }
    gathering.begin()
    monitor.leave()
    let start = timeSource.monotonicNanoseconds()
    do throws(LogError) {
      let reached = try synchronize()
      let end = timeSource.monotonicNanoseconds()
      monitor.enter()
      gathering.end(after: end - start)
      return reached
    } catch {
      monitor.enter()
      gathering.fail()
      throw error
    }
  }

  /// How many callers wait that no synchronization was begun for; for tests.
  var waitingCount: Int {
    monitor.enter()
    defer { monitor.leave() }
    return gathering.waitingCount
  }
}
