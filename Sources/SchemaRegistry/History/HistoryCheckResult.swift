/// What a check of a store found when nothing was wrong.
public struct HistoryCheckResult: Hashable, Sendable {
  /// The records that are upgraded when they are read: a step touched their type since.
  public let outdated: [RecordCount]
  /// The oldest version of such records, else the requested one; older steps may be squashed.
  public let oldestNeeded: SchemaVersion

  /// Whether no step runs for any record.
  public var isUpToDate: Bool { outdated.isEmpty }
}
