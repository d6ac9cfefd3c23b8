internal import FileIO

extension SimulatedFileSystem {
  /// Whether a crash point is kept after every mutating operation; costs a copy of each changed
  /// file. It replaces running the workload once for each crash point.
  package func recordCrashPoints() {
    state.withLock { state in
      state.recordsCrashPoints = true
      state.crashPoints = [
        CrashPoint(operation: state.operationCount, disk: state.disk, profile: profile)
      ]
    }
  }

  /// The crash points since ``recordCrashPoints()``, the oldest first; the first is before any
  /// operation.
  package var crashPoints: [CrashPoint] { state.withLock { state in state.crashPoints } }

  /// The ways to crash now.
  package func crashPoint() -> CrashPoint {
    state.withLock { state in
      CrashPoint(operation: state.operationCount, disk: state.disk, profile: profile)
    }
  }

  /// The file system that the next process finds after a crash now.
  package func afterCrash(_ choice: CrashChoice) -> SimulatedFileSystem {
    crashPoint().afterCrash(choice)
  }

  /// A file system with the same live and durable contents, without handles, locks, limits, faults
  /// and trace; changes to either do not reach the other.
  package func pristineCopy() -> SimulatedFileSystem {
    SimulatedFileSystem(disk: state.withLock { state in state.disk }, profile: profile)
  }
}
