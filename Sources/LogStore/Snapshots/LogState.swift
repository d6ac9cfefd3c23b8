/// A state of the log that snapshots can be taken of as long as it is kept, and its files with it.
package struct LogState: Sendable {
  let view: View
}

extension Log {
  /// The current state; constant time, from any thread.
  package var state: LogState { LogState(view: pipeline.view) }

  /// A state that was current once; constant time, from any thread.
  package func snapshot(of state: LogState) -> Snapshot {
    Snapshot(state.view, pipeline.snapshots, pipeline.ownership)
  }
}
