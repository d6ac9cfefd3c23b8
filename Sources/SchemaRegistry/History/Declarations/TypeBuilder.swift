/// Collects the types of a base.
@resultBuilder
public enum TypeBuilder {
  /// Everything the block holds, in order.
  public static func buildBlock(_ types: [Type]...) -> [Type] { types.flatMap { $0 } }
  /// One line of the block.
  public static func buildExpression(_ type: Type) -> [Type] { [type] }
  /// The rounds of a loop, in order.
  public static func buildArray(_ types: [[Type]]) -> [Type] { types.flatMap { $0 } }
  /// The lines of a condition, or nothing.
  public static func buildOptional(_ types: [Type]?) -> [Type] { types ?? [] }
}
