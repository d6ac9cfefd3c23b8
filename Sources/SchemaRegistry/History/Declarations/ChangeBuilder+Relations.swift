extension ChangeBuilder {
  /// One line of the block.
  public static func buildExpression(_ change: Retarget) -> [SchemaChange] {
    [.barrier(change.step)]
  }
  /// One line of the block.
  public static func buildExpression(_ change: Embed) -> [SchemaChange] { [.barrier(change.step)] }
  /// One line of the block.
  public static func buildExpression(_ change: ExtractType) -> [SchemaChange] {
    [.barrier(change.step)]
  }
  /// One line of the block.
  public static func buildExpression(_ change: Move) -> [SchemaChange] { [.barrier(change.step)] }
}
