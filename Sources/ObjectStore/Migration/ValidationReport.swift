public import SchemaRegistry

/// What upgrading and reading the objects of a store would do, found by trying.
public struct ValidationReport: Sendable {
  /// An object whose upgrade fails, or which its model cannot hold.
  public struct Failure: Sendable {
    /// The name of the object's type.
    public let type: String
    /// Its key, for people.
    public let keyText: String
    /// The version it is stored under.
    public let version: SchemaVersion
    /// What fails; names the step.
    public let error: StoreError
  }

  /// Objects of older versions that were tried.
  public internal(set) var checkedCount: UInt64 = 0
  /// Those among them that would live on.
  public internal(set) var upgradedCount: UInt64 = 0
  /// Those that a step would drop.
  public internal(set) var droppedCount: UInt64 = 0
  /// Objects, of the current version too, that could be read into their models.
  public internal(set) var readCount: UInt64 = 0
  /// Objects whose upgrade would fail, or which their model cannot hold.
  public internal(set) var failedCount: UInt64 = 0
  /// The first thousand of them.
  public internal(set) var failures: [Failure] = []

  /// How many failures are listed in ``failures``.
  public static let failureCountMaximum = 1000

  mutating func note(_ failure: Failure) {
    failedCount += 1
    if failures.count < Self.failureCountMaximum { failures.append(failure) }
  }
}
