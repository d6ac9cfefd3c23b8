/// Swift code that rewrites a whole record.
public struct RewriteClosure: Sendable {
  /// Raised by the author when the meaning of the code changed; code itself cannot be compared.
  public let revision: UInt32
  /// Whether what it gives is written at the next chance, so that mended code changes it no more.
  public let materialises: Bool
  /// The code; nil when only its description is at hand.
  public let run: Body?

  /// The code's form: the record before, the record after, and the context of the upgrade.
  public typealias Body =
    @Sendable (RecordView, inout RecordDraft, UpgradeContext) throws -> StepOutcome

  public init(revision: UInt32, materialises: Bool = false, run: Body?) {
    self.revision = revision
    self.materialises = materialises
    self.run = run
  }
}
