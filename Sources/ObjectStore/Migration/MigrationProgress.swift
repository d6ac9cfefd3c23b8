/// How far a migration has come.
public struct MigrationProgress: Sendable, Hashable {
  /// Records copied or upgraded so far.
  public let recordCount: UInt64
  /// Records of the whole work: of every segment that holds one of an older version.
  public let recordCountTotal: UInt64

  /// The part that is done, 0 to 1.
  public var fraction: Double {
    recordCountTotal == 0 ? 1 : min(1, Double(recordCount) / Double(recordCountTotal))
  }
}
