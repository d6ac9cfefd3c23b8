/// Collects the base and the versions of a history.
@resultBuilder
public enum HistoryBuilder {
  /// Everything the block holds, in order.
  public static func buildBlock(_ parts: [HistoryPart]...) -> [HistoryPart] {
    parts.flatMap { $0 }
  }
  /// One line of the block.
  public static func buildExpression(_ base: Base) -> [HistoryPart] { [.base(base)] }
  /// One line of the block.
  public static func buildExpression(_ version: Version) -> [HistoryPart] { [.version(version)] }
  /// The rounds of a loop, in order.
  public static func buildArray(_ parts: [[HistoryPart]]) -> [HistoryPart] { parts.flatMap { $0 } }
  /// The lines of a condition, or nothing.
  public static func buildOptional(_ parts: [HistoryPart]?) -> [HistoryPart] { parts ?? [] }
  /// The lines of a condition that holds.
  public static func buildEither(first part: [HistoryPart]) -> [HistoryPart] { part }
  /// The lines behind `else`.
  public static func buildEither(second part: [HistoryPart]) -> [HistoryPart] { part }
}
