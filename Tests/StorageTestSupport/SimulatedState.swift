internal import FileIO

/// Everything a simulated file system remembers, guarded by its lock.
struct SimulatedState: Sendable {
  struct Holders: Sendable {
    var writer: ObjectIdentifier?
    var readers: Set<ObjectIdentifier> = []
  }

  /// The disk after an operation, not yet looked at.
  struct RecordedPoint: Sendable {
    var operation: Int
    var disk: SimulatedDisk
  }

  var disk: SimulatedDisk
  var holders: [String: Holders] = [:]

  var operationCount = 0
  var mutatingOperations: [Int] = []
  var trace = OperationTrace()

  var lastOperation: Int?
  var isDead = false
  var faults: [FaultPlan] = []
  var firedFaultPaths: [String] = []
  var synchronizationAlwaysFails = false
  var byteCountLimit: Int?
  var fileCountLimit: Int?
  /// Operations that found too little room within these limits.
  var refusedOperationCount = 0

  var recordsCrashPoints = false
  var recordedPoints: [RecordedPoint] = []
  var overlays: [ReadOverlay] = []
  var readByteCount = 0
  var failedReadCount = 0

  /// Throws unless `count` more bytes fit.
  mutating func expectSpace(
    _ count: Int, operation: String, path: String
  ) throws(FileIOError) {
    if count > freeByteCount {
      refusedOperationCount += 1
      throw FileIOError(.noSpace, operation: operation, path: path)
    }
  }

  var freeByteCount: Int {
    guard let byteCountLimit else { return Int.max }
    return max(0, byteCountLimit - disk.usedByteCount)
  }
}
