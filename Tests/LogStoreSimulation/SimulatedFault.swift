internal import FileIO
internal import LogStore
package import StorageTestSupport

/// What fails during one step: its operation number `operation`, counted from 1.
package struct SimulatedFault: Sendable, Equatable {
  package enum Effect: Sendable, Equatable {
    case error
    case noSpace
    /// A write stores some bytes, then fails for want of space.
    case shortWrite(byteCount: Int)
    case synchronization(SynchronizationFailure)
    /// Every operation from this one on fails until the step ends.
    case permanentError
    /// The disk has room for so many more bytes while the step lasts.
    case fullDisk(byteCount: Int)
  }

  package var operation: Int
  package var effect: Effect

  package init(operation: Int, _ effect: Effect) {
    self.operation = operation
    self.effect = effect
  }

  /// Whether an operating system that behaves like this may forget what was written.
  var mayLoseWrites: Bool {
    if case .synchronization = effect { true } else { false }
  }

  /// Whether reads may see what was there before, where it takes back what was written.
  var mayRevertPages: Bool { effect == .synchronization(.reverted) }

  /// Whether it is no operation that fails, but one that finds too little room.
  var isOfSpace: Bool {
    if case .fullDisk = effect { true } else { false }
  }

  /// Whether what fails tells of too little room, and not of a broken disk.
  private var tellsOfNoRoom: Bool {
    switch effect {
    case .noSpace, .shortWrite, .fullDisk: true
    case .error, .permanentError, .synchronization: false
    }
  }

  /// Whether a step may fail with `problem` when this came; with `isReverted` also because pages
  /// went back to what they were.
  func excuses(_ problem: LogError, isReverted: Bool = false) -> Bool {
    switch problem {
    case .diskFull: tellsOfNoRoom
    case .fileIO(let error): error.reason == (tellsOfNoRoom ? .noSpace : .ioError)
    case .poisoned: !isOfSpace
    case .corruption: isReverted
    default: false
    }
  }

  func install(in fileSystem: SimulatedFileSystem) {
    let number = fileSystem.operationCount + operation
    switch effect {
    case .error: fileSystem.setFaults([FaultPlan(operation: number, .fail(.ioError))])
    case .noSpace: fileSystem.setFaults([FaultPlan(operation: number, .fail(.noSpace))])
    case .shortWrite(let count):
      fileSystem.setFaults([
        FaultPlan(operation: number, .shortWrite(byteCount: count, .noSpace))
      ])
    case .synchronization(let model):
      // The next synchronization, whichever operation that is.
      fileSystem.setFaults([
        FaultPlan(
          operation: number, .failedSynchronization(model), isPermanent: true, occurrences: 1,
          kinds: [.synchronize, .synchronizeDirectory])
      ])
    case .permanentError:
      fileSystem.setFaults([FaultPlan(operation: number, .fail(.ioError), isPermanent: true)])
    case .fullDisk(let count):
      fileSystem.setByteCountLimit(fileSystem.usedByteCount + count)
    }
  }

  static func remove(from fileSystem: SimulatedFileSystem) {
    fileSystem.setFaults([])
    fileSystem.setByteCountLimit(nil)
  }

  /// As scripts hold it.
  var line: String {
    switch effect {
    case .error: "fault \(operation) error"
    case .noSpace: "fault \(operation) no-space"
    case .shortWrite(let count): "fault \(operation) short-write \(count)"
    case .synchronization(let model): "fault \(operation) synchronization \(model)"
    case .permanentError: "fault \(operation) permanent-error"
    case .fullDisk(let count): "fault \(operation) full-disk \(count)"
    }
  }

  init?(words: ArraySlice<Substring>) {
    let words = Array(words)
    guard words.count >= 2, let operation = Int(words[0]) else { return nil }
    let number = words.count > 2 ? Int(words[2]) : nil
    switch (words[1], number) {
    case ("error", _): self.init(operation: operation, .error)
    case ("no-space", _): self.init(operation: operation, .noSpace)
    case ("permanent-error", _): self.init(operation: operation, .permanentError)
    case ("short-write", let count?): self.init(operation: operation, .shortWrite(byteCount: count))
    case ("full-disk", let count?): self.init(operation: operation, .fullDisk(byteCount: count))
    case ("synchronization", _):
      guard
        let model = SynchronizationFailure.allCases.first(where: { "\($0)" == words.last ?? "" })
      else { return nil }
      self.init(operation: operation, .synchronization(model))
    default: return nil
    }
  }
}
