/// Collects the base and the versions of a history.
@resultBuilder
public enum HistoryBuilder {
  public static func buildBlock(_ parts: [HistoryPart]...) -> [HistoryPart] {
    parts.flatMap { $0 }
  }
  public static func buildExpression(_ base: Base) -> [HistoryPart] { [.base(base)] }
  public static func buildExpression(_ version: Version) -> [HistoryPart] { [.version(version)] }
  public static func buildArray(_ parts: [[HistoryPart]]) -> [HistoryPart] { parts.flatMap { $0 } }
  public static func buildOptional(_ parts: [HistoryPart]?) -> [HistoryPart] { parts ?? [] }
}
