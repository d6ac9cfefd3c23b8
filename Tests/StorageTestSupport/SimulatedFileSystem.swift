package import FileIO

/// A file system in memory that keeps what the process sees and what the disk has apart.
///
/// 1. Run a workload on it. Every call is counted and can be made to fail (``FaultPlan``), and the
///    process can be made to die after any of them (``crash(afterOperation:)``).
/// 2. ``crashPoint()``, or ``crashPoints`` when they are recorded, offer the ways to crash.
/// 3. ``CrashPoint/afterCrash(_:)`` gives the file system that the next process opens.
///
/// Directories are durable when they are made. Safe to use from several threads.
package final class SimulatedFileSystem: FileSystem {
  let state: Lock<SimulatedState>
  package let profile: CrashProfile

  /// An empty file system.
  package convenience init(profile: CrashProfile = .strict) {
    self.init(disk: SimulatedDisk(), profile: profile)
  }

  /// A file system with one directory holding `files` by name, all durable.
  package convenience init(
    files: [String: [UInt8]], in directory: String, profile: CrashProfile = .strict
  ) {
    var disk = SimulatedDisk()
    var numbers: [String: Int] = [:]
    for (name, bytes) in files {
      numbers[name] = disk.files.count
      disk.files.append(SimulatedContents(live: bytes, durable: bytes, nameCount: 1))
    }
    disk.directories[Self.key(directory)] = .init(live: numbers, durable: numbers)
    self.init(disk: disk, profile: profile)
  }

  init(disk: SimulatedDisk, profile: CrashProfile) {
    var disk = disk
    for file in disk.files.indices where disk.files[file].handleCount > 0 {
      disk.files[file].handleCount = 0
    }
    state = Lock(SimulatedState(disk: disk))
    self.profile = profile
  }

  package func openDirectory(
    at path: String, create: Bool
  ) throws(FileIOError) -> any Directory {
    let key = Self.key(path)
    try perform(.openDirectory, path) { state throws(FileIOError) in
      if state.disk.directories[key] == nil {
        guard create else {
          throw FileIOError(.notFound, operation: "open directory", path: path)
        }
        state.disk.directories[key] = .init()
      }
    }
    return SimulatedDirectory(fileSystem: self, key: key, path: path)
  }

  /// The path without slashes at its end.
  static func key(_ path: String) -> String {
    var key = path[...]
    while key.count > 1, key.last == "/" { key.removeLast() }
    return String(key)
  }

  /// Counts and traces one operation, lets it fail or die as planned, and else runs `body`.
  ///
  /// `partialWrite` stores the first bytes of a write that a fault cuts short.
  func perform<Value: Sendable>(
    _ kind: OperationKind, _ path: String, offset: UInt64 = 0, count: UInt64 = 0,
    partialWrite: ((inout SimulatedState, Int) -> Void)? = nil,
    failedSynchronization: ((inout SimulatedState, SynchronizationFailure) -> Void)? = nil,
    _ body: (inout SimulatedState) throws(FileIOError) -> Value
  ) throws(FileIOError) -> Value {
    try state.withLock { state throws(FileIOError) -> Value in
      guard !state.isDead else { throw FileIOError(.ioError, operation: kind.rawValue, path: path) }
      state.operationCount += 1
      let number = state.operationCount
      state.trace.append(
        .init(number: number, kind: kind, path: path, offset: offset, count: count))
      defer { self.finish(number, kind, &state) }
      do throws(FileIOError) {
        if let index = state.faults.firstIndex(where: { $0.applies(to: number, kind) }) {
          state.faults[index].occurrences -= 1
          state.firedFaultPaths.append(path)
          throw Self.failure(
            state.faults[index].effect, kind, path, partialWrite, failedSynchronization, &state)
        }
        if state.synchronizationAlwaysFails, kind == .synchronize || kind == .synchronizeDirectory {
          throw FileIOError(.ioError, operation: kind.rawValue, path: path)
        }
        return try body(&state)
      } catch {
        state.trace.markLastAsFailed()
        throw error
      }
    }
  }

  private func finish(_ number: Int, _ kind: OperationKind, _ state: inout SimulatedState) {
    if kind.isMutation {
      state.mutatingOperations.append(number)
      if state.recordsCrashPoints {
        state.recordedPoints.append(.init(operation: number, disk: state.disk))
      }
    }
    if state.lastOperation == number { state.isDead = true }
  }

  private static func failure(
    _ effect: FaultPlan.Effect, _ kind: OperationKind, _ path: String,
    _ partialWrite: ((inout SimulatedState, Int) -> Void)?,
    _ failedSynchronization: ((inout SimulatedState, SynchronizationFailure) -> Void)?,
    _ state: inout SimulatedState
  ) -> FileIOError {
    var reason = FileIOError.Reason.ioError
    switch effect {
    case .fail(let wanted): reason = wanted
    case .shortWrite(let byteCount, let wanted):
      partialWrite?(&state, byteCount)
      reason = wanted
    case .deathInWrite(let byteCount):
      partialWrite?(&state, byteCount)
      state.isDead = true
    case .failedSynchronization(let model, let wanted):
      reason = wanted
      failedSynchronization?(&state, model)
      if model == .sticky { state.synchronizationAlwaysFails = true }
    }
    return FileIOError(reason, operation: kind.rawValue, path: path)
  }
}
