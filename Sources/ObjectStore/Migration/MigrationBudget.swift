/// How much a migration does before it returns, to be continued by the next one.
///
/// It is looked at after each step, of about one segment: whatever the budget, a call makes
/// progress.
public struct MigrationBudget: Sendable, Hashable {
  /// Records after which it ends; nothing for no limit.
  public var recordCountMaximum: UInt64?
  /// Time after which it ends; nothing for no limit.
  public var durationMaximum: Duration?

  /// Everything, or as much as these limits allow.
  public init(recordCountMaximum: UInt64? = nil, durationMaximum: Duration? = nil) {
    self.recordCountMaximum = recordCountMaximum
    self.durationMaximum = durationMaximum
  }

  /// Everything there is to do.
  public static let unlimited = MigrationBudget()

  func isUsedUp(recordCount: UInt64, duration: Duration) -> Bool {
    if let recordCountMaximum, recordCount >= recordCountMaximum { return true }
    if let durationMaximum, duration >= durationMaximum { return true }
    return false
  }
}
