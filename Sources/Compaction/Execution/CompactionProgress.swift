/// How far a compaction has come.
public struct CompactionProgress: Sendable, Equatable {
  /// Records copied, upgraded or dropped so far.
  public var recordCount: UInt64 = 0
  /// Records of the whole plan.
  public var recordCountTotal: UInt64 = 0
  /// Bytes of those records, as they were stored.
  public var byteCount: UInt64 = 0
  /// Bytes of the records of the whole plan.
  public var byteCountTotal: UInt64 = 0
  /// Steps of the plan that are done.
  public var stepCount = 0
  /// Steps of the whole plan.
  public var stepCountTotal = 0
}
