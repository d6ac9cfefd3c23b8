/// Collects the types of a base.
@resultBuilder
public enum TypeBuilder {
  public static func buildBlock(_ types: [Type]...) -> [Type] { types.flatMap { $0 } }
  public static func buildExpression(_ type: Type) -> [Type] { [type] }
  public static func buildArray(_ types: [[Type]]) -> [Type] { types.flatMap { $0 } }
  public static func buildOptional(_ types: [Type]?) -> [Type] { types ?? [] }
}
