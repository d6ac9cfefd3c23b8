internal import FileIO

/// What can be known of a log without keeping it; safe on any thread.
package final class LogTrace: Sendable {
  private struct State: Sendable {
    weak var pipeline: CommitPipeline?
    var hasEnded = false
  }

  private let state = Lock(State())

  /// Whether the log was let go, and has given its store's lock back.
  package var hasEnded: Bool { state.withLock { state in state.hasEnded } }

  /// Whether the end of the log waits for the caller: for a transaction or a synchronization that
  /// it is inside, or a thread of the log's own. May be the last to have the log's files.
  package var isAwaitedHere: Bool {
    let pipeline = state.withLock { state in state.pipeline }
    return pipeline.map { $0.isEnteredHere || $0.isOwnThread || $0.gate.isLedHere } ?? false
  }

  func set(_ pipeline: CommitPipeline) { state.withLock { state in state.pipeline = pipeline } }

  func end() { state.withLock { state in state.hasEnded = true } }
}
