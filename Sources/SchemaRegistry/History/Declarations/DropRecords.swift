/// Drops records: `DropRecords(from: "age") { (age: Int) in age < 0 }`.
///
/// They are gone for every reader at once, and deleted for good by compaction. The closure must be
/// pure, as that of ``Derive``.
public struct DropRecords: OperationDeclaration {
  public let operation: RecordOperation

  /// Drops the records for whose members `inputs` the closure returns true.
  public init<each Input: ValueConvertible>(
    from inputs: String..., revision: UInt32 = 1,
    where isDropped: @escaping @Sendable (repeat each Input) throws -> Bool
  ) {
    let closure = StepClosure(revision: revision, taking: isDropped)
    operation = .dropRecords(inputs: inputs, computation: .closure(closure))
  }

  /// The same without Swift code: drops the records for which the expression is true.
  public init(where expression: ValueExpression) {
    operation = .dropRecords(
      inputs: expression.memberNames, computation: .expression(expression))
  }
}
