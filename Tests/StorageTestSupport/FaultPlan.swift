package import FileIO

/// An injected failure: which operation fails, and how.
package struct FaultPlan: Sendable, CustomStringConvertible {
  package enum Effect: Sendable {
    /// The operation does nothing and throws.
    case fail(FileIOError.Reason)
    /// A write stores the first `byteCount` bytes, then throws; other operations just throw.
    case shortWrite(byteCount: Int, FileIOError.Reason)
    /// A write stores the first `byteCount` bytes, then the process is dead.
    case deathInWrite(byteCount: Int)
    /// Synchronizing throws, with the consequences of a model; other operations just throw.
    case failedSynchronization(SynchronizationFailure, FileIOError.Reason = .ioError)
  }

  /// The number of the operation, from 1.
  package var operation: Int
  package var effect: Effect
  /// Whether all later operations fail too.
  package var isPermanent: Bool
  /// How many operations fail at most.
  package var occurrences: Int
  /// Only operations of these kinds fail; nil for all kinds.
  package var kinds: Set<OperationKind>?

  package init(
    operation: Int, _ effect: Effect, isPermanent: Bool = false, occurrences: Int = Int.max,
    kinds: Set<OperationKind>? = nil
  ) {
    self.operation = operation
    self.effect = effect
    self.isPermanent = isPermanent
    self.occurrences = occurrences
    self.kinds = kinds
  }

  func applies(to number: Int, _ kind: OperationKind) -> Bool {
    guard occurrences > 0, number == operation || (isPermanent && number > operation) else {
      return false
    }
    return kinds?.contains(kind) ?? true
  }

  package var description: String {
    "\(effect) \(isPermanent ? "from operation \(operation) on" : "at operation \(operation)")"
  }
}
