internal import FileIO

/// Whether the compaction of a store has ended for good, though somebody may still hold it.
final class LeaseEnd: Sendable {
  private let state = Lock(false)

  var isOver: Bool { state.withLock { isOver in isOver } }

  func set() { state.withLock { isOver in isOver = true } }
}
