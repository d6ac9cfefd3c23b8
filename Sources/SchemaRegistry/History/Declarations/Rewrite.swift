/// Whole-record code, the last operation of its `On`:
/// `Rewrite { old, new in new["name"] = old["title"]; return .keep }`.
///
/// `old` is the record before this version, `new` after every other operation of this version. The
/// closure must be pure and must not touch the key. It cannot be fused, so prefer other operations.
///
/// With `materialise`, the result is written by the first transaction that gets the object by its
/// key, or by `Store.migrate`, and then stays, whatever later becomes of the code. It has to be
/// pure all the same: readers, who do not write, run it, and the check that runs code twice is made
/// for it.
public struct Rewrite: OperationDeclaration {
  public let operation: RecordOperation

  /// Code that sees the record before and after.
  public init(
    revision: UInt32 = 1, materialise: Bool = false,
    _ body: @escaping @Sendable (RecordView, inout RecordDraft) throws -> StepOutcome
  ) {
    operation = .rewrite(
      RewriteClosure(revision: revision, materialises: materialise) { old, new, _ in
        try body(old, &new)
      })
  }

  /// The same with the context that stands in for clocks and random numbers.
  public init(
    revision: UInt32 = 1, materialise: Bool = false,
    _ body:
      @escaping @Sendable (RecordView, inout RecordDraft, UpgradeContext) throws
      -> StepOutcome
  ) {
    operation = .rewrite(RewriteClosure(revision: revision, materialises: materialise, run: body))
  }
}
