internal import FileIO
internal import LogStore
internal import SchemaRegistry

/// Tells the observer of upgrades that take longer than a budget (H16).
struct SlowUpgradeReports: Sendable {
  private let observer: any StoreObserver
  private let timeSource: any TimeSource
  private let budget: UInt64

  /// Nothing when nobody listens.
  init?(_ configuration: StoreConfiguration) {
    guard let observer = configuration.log.observer,
      let budget = configuration.slowMigrationBudget
    else { return nil }
    self.observer = observer
    timeSource = configuration.log.timeSource
    let (seconds, attoseconds) = budget.components
    let (whole, overflow) = UInt64(clamping: seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, tooMuch) = whole.addingReportingOverflow(
      UInt64(clamping: attoseconds) / 1_000_000_000)
    self.budget = overflow || tooMuch ? .max : sum
  }

  /// Runs `body`, an upgrade of one record or of a member of it, and reports the operation that
  /// took longest, when all took long.
  func timing<Result>(
    _ typeName: String, _ body: (StepTiming) throws(SchemaError) -> Result
  ) throws(SchemaError) -> Result {
    let source = timeSource
    let timing = StepTiming { source.monotonicNanoseconds() }
    let start = timing.now()
    defer {
      let end = timing.now()
      if end > start, end - start > budget {
        observer.observe(
          .slowMigration(
            type: typeName, operationID: timing.slowest ?? "", nanoseconds: end - start))
      }
    }
    return try body(timing)
  }
}
