internal import FileIO

/// Where commits wait until they are durable; of those that wait, one synchronizes for all.
///
/// While it does, others append; all of them are through with the next synchronization. There is no
/// timer and no thread of its own. The other half of group commit, beside ``CommitQueue``.
final class DurabilityGate: @unchecked Sendable {
  // Sendable: all stored state is used inside `monitor`.
  private let monitor = Monitor()
  private var durable = CommitSequence.zero
  private var isSynchronizing = false

  /// Returns when everything up to `sequence` is durable.
  ///
  /// `synchronize` is called by one thread at a time, outside the monitor, and says how far
  /// everything is durable. When it throws, that thread throws; the others try themselves.
  func wait(
    for sequence: CommitSequence,
    synchronize: () throws(LogError) -> CommitSequence
  ) throws(LogError) {
    monitor.enter()
    defer { monitor.leave() }
    while durable < sequence {
      guard !isSynchronizing else {
        monitor.wait()
        continue
      }
      isSynchronizing = true
      monitor.leave()
      defer {
        isSynchronizing = false
        monitor.wakeAll()
      }
      let reached: CommitSequence
      do throws(LogError) {
        reached = try synchronize()
      } catch {
        monitor.enter()
        throw error
      }
      monitor.enter()
      durable = max(durable, reached)
    }
  }
}
