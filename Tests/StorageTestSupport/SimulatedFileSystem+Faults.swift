internal import FileIO

extension SimulatedFileSystem {
  /// How many operations were asked for so far, failed ones included.
  package var operationCount: Int { state.withLock { state in state.operationCount } }

  /// The numbers of the operations after which a crash differs from a crash before them.
  package var mutatingOperations: [Int] { state.withLock { state in state.mutatingOperations } }

  /// The last 50 operations, for messages.
  package var trace: OperationTrace { state.withLock { state in state.trace } }

  /// Lets the process die: operation `number` is the last that takes effect, all later ones throw.
  /// 0 lets it die before the first.
  package func crash(afterOperation number: Int) {
    state.withLock { state in
      state.lastOperation = number
      state.isDead = state.operationCount >= number
    }
  }

  /// Whether the process has died; every call throws `.ioError`.
  package var isDead: Bool { state.withLock { state in state.isDead } }

  /// Lets operations fail; replaces earlier plans.
  package func setFaults(_ faults: [FaultPlan]) {
    state.withLock { state in state.faults = faults }
  }

  /// How many operations failed so far for a fault plan: what is to survive a fault shows nothing
  /// when none came.
  package var firedFaultCount: Int { firedFaultPaths.count }

  /// What those operations were asked of.
  package var firedFaultPaths: [String] { state.withLock { state in state.firedFaultPaths } }

  /// Lets reads see what is not there; replaces earlier overlays.
  package func setOverlays(_ overlays: [ReadOverlay]) {
    state.withLock { state in state.overlays = overlays }
  }

  /// Bytes that were read so far.
  package var readByteCount: Int { state.withLock { state in state.readByteCount } }

  /// Reads that failed so far for an overlay.
  package var failedReadCount: Int { state.withLock { state in state.failedReadCount } }

  /// How many bytes all files together may have; nil for no limit. Files in use above a lowered
  /// limit stay.
  package func setByteCountLimit(_ limit: Int?) {
    state.withLock { state in state.byteCountLimit = limit }
  }

  /// How many files there may be; nil for no limit.
  package func setFileCountLimit(_ limit: Int?) {
    state.withLock { state in state.fileCountLimit = limit }
  }

  /// How many operations found too little room so far within the limits that were set.
  package var refusedOperationCount: Int { state.withLock { state in state.refusedOperationCount } }

  /// The sum of the sizes of all files that have a name or an open handle.
  package var usedByteCount: Int { state.withLock { state in state.disk.usedByteCount } }
}
