/// Collects the changes of a version.
@resultBuilder
public enum ChangeBuilder {
  public static func buildBlock(_ changes: [SchemaChange]...) -> [SchemaChange] {
    changes.flatMap { $0 }
  }
  public static func buildExpression(_ operations: On) -> [SchemaChange] {
    [.records(type: operations.type, operations: operations.operations)]
  }
  public static func buildExpression(_ type: Type) -> [SchemaChange] { [.addType(type)] }
  public static func buildExpression(_ change: AddType) -> [SchemaChange] {
    [.addType(change.type)]
  }
  public static func buildExpression(_ change: RenameType) -> [SchemaChange] {
    [.renameType(from: change.old, to: change.new)]
  }
  public static func buildExpression(_ change: RemoveType) -> [SchemaChange] {
    [.removeType(change.name)]
  }
  public static func buildExpression(_ change: SchemaChange) -> [SchemaChange] { [change] }
  public static func buildArray(_ changes: [[SchemaChange]]) -> [SchemaChange] {
    changes.flatMap { $0 }
  }
  public static func buildOptional(_ changes: [SchemaChange]?) -> [SchemaChange] { changes ?? [] }
}
