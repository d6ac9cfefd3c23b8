/// Collects record operations.
@resultBuilder
public enum OperationBuilder {
  /// Everything the block holds, in order.
  public static func buildBlock(_ operations: [RecordOperation]...) -> [RecordOperation] {
    operations.flatMap { $0 }
  }
  /// One line of the block.
  public static func buildExpression(_ operation: some OperationDeclaration) -> [RecordOperation] {
    [operation.operation]
  }
  /// One line of the block.
  public static func buildExpression(_ word: some CompoundDeclaration) -> [RecordOperation] {
    word.operations
  }
  /// One line of the block: operations on an embedded object of the record.
  public static func buildExpression(_ embedded: On) -> [RecordOperation] {
    [.embedded(member: embedded.type, each: false, operations: embedded.operations)]
  }
  /// One line of the block.
  public static func buildExpression(_ operation: RecordOperation) -> [RecordOperation] {
    [operation]
  }
  /// The rounds of a loop, in order.
  public static func buildArray(_ operations: [[RecordOperation]]) -> [RecordOperation] {
    operations.flatMap { $0 }
  }
  /// The lines of a condition, or nothing.
  public static func buildOptional(_ operations: [RecordOperation]?) -> [RecordOperation] {
    operations ?? []
  }
  /// The lines of a condition that holds.
  public static func buildEither(first part: [RecordOperation]) -> [RecordOperation] { part }
  /// The lines behind `else`.
  public static func buildEither(second part: [RecordOperation]) -> [RecordOperation] { part }
}
