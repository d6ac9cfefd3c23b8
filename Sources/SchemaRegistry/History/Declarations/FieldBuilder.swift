/// Collects the members of a declared type.
@resultBuilder
public enum FieldBuilder {
  /// Everything the block holds, in order.
  public static func buildBlock(_ fields: [Field]...) -> [Field] { fields.flatMap { $0 } }
  /// One line of the block.
  public static func buildExpression(_ field: Field) -> [Field] { [field] }
  /// The rounds of a loop, in order.
  public static func buildArray(_ fields: [[Field]]) -> [Field] { fields.flatMap { $0 } }
  /// The lines of a condition, or nothing.
  public static func buildOptional(_ fields: [Field]?) -> [Field] { fields ?? [] }
  /// The lines of a condition that holds.
  public static func buildEither(first part: [Field]) -> [Field] { part }
  /// The lines behind `else`.
  public static func buildEither(second part: [Field]) -> [Field] { part }
}
