internal import FileIO

/// Tells the compaction of a store that there may be something to do; made before store and log.
final class CompactionSignal: Sendable {
  private struct Receiver: Sendable {
    weak var compaction: AutomaticCompaction?
  }

  private let receiver = Lock(Receiver())

  /// From now on `compaction` is told.
  func connect(_ compaction: AutomaticCompaction) {
    receiver.withLock { receiver in receiver.compaction = compaction }
  }

  /// What ``LogConfiguration/mayCompact`` tells of has happened; called under the writer's lock.
  ///
  /// Who calls it works for the log, and must not be the one who ends it: where everybody else lets
  /// go of the compaction meanwhile, and with it of the log, another thread does that. For tests
  /// `body` is called while the compaction is held.
  func send(_ body: () -> Void = {}) {
    guard let held = schedule(body) else { return }
    if !letting.submit({ held.reference.release() }) { held.reference.release() }
  }

  private struct Held: @unchecked Sendable {
    // Sendable: it is released once, by whoever has it last.
    let reference: Unmanaged<AutomaticCompaction>
  }

  /// Of this store alone: another one may take long to go. Has a thread only while it lets go.
  private let letting = SerialWorker(isBackground: true)

  private func schedule(_ body: () -> Void) -> Held? {
    guard let compaction = receiver.withLock({ receiver in receiver.compaction }) else {
      return nil
    }
    compaction.schedule()
    body()
    return Held(reference: Unmanaged.passRetained(compaction))
  }
}
