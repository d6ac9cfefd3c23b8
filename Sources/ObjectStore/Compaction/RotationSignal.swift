internal import FileIO

/// Tells the compaction of a store that its log began a segment; made before either of them.
final class RotationSignal: Sendable {
  private struct Receiver: Sendable {
    weak var compaction: AutomaticCompaction?
  }

  private let receiver = Lock(Receiver())

  /// From now on `compaction` is told.
  func connect(_ compaction: AutomaticCompaction) {
    receiver.withLock { receiver in receiver.compaction = compaction }
  }

  /// A segment has begun; called under the writer's lock.
  func send() { receiver.withLock { receiver in receiver.compaction }?.schedule() }
}
