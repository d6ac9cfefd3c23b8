/// Collects record operations.
@resultBuilder
public enum OperationBuilder {
  public static func buildBlock(_ operations: [RecordOperation]...) -> [RecordOperation] {
    operations.flatMap { $0 }
  }
  public static func buildExpression(_ operation: some OperationDeclaration) -> [RecordOperation] {
    [operation.operation]
  }
  public static func buildExpression(_ operation: RecordOperation) -> [RecordOperation] {
    [operation]
  }
  public static func buildArray(_ operations: [[RecordOperation]]) -> [RecordOperation] {
    operations.flatMap { $0 }
  }
  public static func buildOptional(_ operations: [RecordOperation]?) -> [RecordOperation] {
    operations ?? []
  }
}
