/// How far a compaction has come.
public struct CompactionProgress: Sendable, Equatable {
  /// Records copied, upgraded or dropped so far.
  public var recordCount: UInt64 = 0
  /// Records of the whole plan, tombstones among them.
  public var recordCountTotal: UInt64 = 0
  /// Bytes of those of them that were copied or upgraded, as they were stored.
  public var byteCount: UInt64 = 0
  /// Bytes of the records of the whole plan; of tombstones about.
  public var byteCountTotal: UInt64 = 0
  /// Steps of the plan that are done.
  public var stepCount = 0
  /// Steps of the whole plan.
  public var stepCountTotal = 0

  /// Bytes that were copied, those that were copied again or in vain among them: never falls.
  package var copiedByteCount: UInt64 = 0

  /// So much more was done than at `before`; what no plan knew of makes the whole larger.
  mutating func advance(
    from before: CompactionProgress, recordCount: UInt64, byteCount: UInt64
  ) {
    self.recordCount = before.recordCount + recordCount
    self.byteCount = before.byteCount + byteCount
    recordCountTotal = max(recordCountTotal, self.recordCount)
    byteCountTotal = max(byteCountTotal, self.byteCount)
  }

  /// What was done since `before` came to nothing; it took its time all the same.
  mutating func fallBack(to before: CompactionProgress) {
    let copied = copiedByteCount
    self = before
    copiedByteCount = copied
  }

  /// The same where `before` was done in a part of the same compaction that came before.
  func following(_ before: CompactionProgress) -> CompactionProgress {
    var all = self
    all.recordCount += before.recordCount
    all.recordCountTotal += before.recordCountTotal
    all.byteCount += before.byteCount
    all.byteCountTotal += before.byteCountTotal
    all.stepCount += before.stepCount
    all.stepCountTotal += before.stepCountTotal
    all.copiedByteCount += before.copiedByteCount
    return all
  }
}
