/// Collects the changes of a version.
@resultBuilder
public enum ChangeBuilder {
  /// Everything the block holds, in order.
  public static func buildBlock(_ changes: [SchemaChange]...) -> [SchemaChange] {
    changes.flatMap { $0 }
  }
  /// One line of the block.
  public static func buildExpression(_ operations: On) -> [SchemaChange] {
    [.records(type: operations.type, operations: operations.operations)]
  }
  /// One line of the block.
  public static func buildExpression(_ type: Type) -> [SchemaChange] { [.addType(type)] }
  /// One line of the block.
  public static func buildExpression(_ change: AddType) -> [SchemaChange] {
    [.addType(change.type)]
  }
  /// One line of the block.
  public static func buildExpression(_ change: RenameType) -> [SchemaChange] {
    [.renameType(from: change.old, to: change.new)]
  }
  /// One line of the block.
  public static func buildExpression(_ change: RemoveType) -> [SchemaChange] {
    [.removeType(change.name)]
  }
  /// One line of the block.
  public static func buildExpression(_ barrier: Barrier) -> [SchemaChange] {
    [.barrier(barrier.step)]
  }
  /// One line of the block.
  public static func buildExpression(_ rekey: Rekey) -> [SchemaChange] { [.barrier(rekey.step)] }
  /// One line of the block.
  public static func buildExpression(_ change: SchemaChange) -> [SchemaChange] { [change] }
  /// The rounds of a loop, in order.
  public static func buildArray(_ changes: [[SchemaChange]]) -> [SchemaChange] {
    changes.flatMap { $0 }
  }
  /// The lines of a condition, or nothing.
  public static func buildOptional(_ changes: [SchemaChange]?) -> [SchemaChange] { changes ?? [] }
  /// The lines of a condition that holds.
  public static func buildEither(first part: [SchemaChange]) -> [SchemaChange] { part }
  /// The lines behind `else`.
  public static func buildEither(second part: [SchemaChange]) -> [SchemaChange] { part }
}
