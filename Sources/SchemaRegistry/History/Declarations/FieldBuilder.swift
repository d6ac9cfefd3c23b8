/// Collects the members of a declared type.
@resultBuilder
public enum FieldBuilder {
  public static func buildBlock(_ fields: [Field]...) -> [Field] { fields.flatMap { $0 } }
  public static func buildExpression(_ field: Field) -> [Field] { [field] }
  public static func buildArray(_ fields: [[Field]]) -> [Field] { fields.flatMap { $0 } }
  public static func buildOptional(_ fields: [Field]?) -> [Field] { fields ?? [] }
}
