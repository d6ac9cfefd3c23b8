/// Swift code that rewrites a whole record.
public struct RewriteClosure: Sendable {
  /// Raised by the author when the meaning of the code changed; code itself cannot be compared.
  public let revision: UInt32
  /// The code; nil when only its description is at hand.
  public let run: Body?

  /// The code's form: the record before, the record after, and the context of the upgrade.
  public typealias Body =
    @Sendable (RecordView, inout RecordDraft, UpgradeContext) throws -> StepOutcome

  public init(revision: UInt32, run: Body?) {
    self.revision = revision
    self.run = run
  }
}
