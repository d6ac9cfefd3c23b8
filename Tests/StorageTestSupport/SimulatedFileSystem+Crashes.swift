internal import FileIO

extension SimulatedFileSystem {
  /// Whether a crash point is kept after every mutating operation; costs a copy of each changed
  /// file. It replaces running the workload once for each crash point.
  package func recordCrashPoints() {
    state.withLock { state in
      state.recordsCrashPoints = true
      state.recordedPoints = [.init(operation: state.operationCount, disk: state.disk)]
    }
  }

  /// The crash points since ``recordCrashPoints()``, the oldest first; the first is before any
  /// operation.
  package var crashPoints: [CrashPoint] {
    recordedOperations.indices.map { crashPoint(recordedAs: $0) }
  }

  /// The operations of the recorded crash points, in their order.
  package var recordedOperations: [Int] {
    state.withLock { state in state.recordedPoints.map(\.operation) }
  }

  /// One recorded crash point by its place among them.
  package func crashPoint(recordedAs index: Int) -> CrashPoint {
    let recorded = state.withLock { state in state.recordedPoints[index] }
    return CrashPoint(operation: recorded.operation, disk: recorded.disk, profile: profile)
  }

  /// Forgets the recorded crash points, which hold copies of files.
  package func forgetCrashPoints() {
    state.withLock { state in
      state.recordsCrashPoints = false
      state.recordedPoints = []
    }
  }

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
