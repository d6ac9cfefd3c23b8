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
  func send() { receiver.withLock { receiver in receiver.compaction }?.schedule() }
}
