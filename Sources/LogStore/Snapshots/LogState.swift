/// A state of the log that snapshots can be taken of as long as it is kept, and its files with it.
package struct LogState: Sendable {
  let view: View
}

extension Log {
  /// The current state; constant time, from any thread.
  package var state: LogState { LogState(view: pipeline.view) }

  /// A state that was current once; constant time, from any thread.
  ///
  /// A `lasting` one has no limit of its age. It is for work that gives it back by itself, however
  /// long that takes: ``LogConfiguration/snapshotMaximumAge`` is for those that are forgotten.
  package func snapshot(of state: LogState, lasting: Bool = false) -> Snapshot {
    Snapshot(state.view, pipeline.snapshots, pipeline.ownership, lasting: lasting)
  }
}
