/// How much of the machine a compaction may take: arithmetic only, the caller does the resting.
public struct CompactionPace: Sendable, Hashable {
  /// The most bytes of live records that are copied in a second; nothing for no limit.
  public var byteCountPerSecond: UInt64?
  /// The part of the time in which it may work, above 0 and at most 1.
  public var processorShare: Double

  /// As fast as it goes.
  public static let unlimited = CompactionPace(byteCountPerSecond: nil, processorShare: 1)

  /// A pace made of its limits; a share outside of its range is brought into it.
  public init(byteCountPerSecond: UInt64?, processorShare: Double) {
    self.byteCountPerSecond = byteCountPerSecond.map { max(1, $0) }
    self.processorShare = min(1, max(0.001, processorShare))
  }

  /// The pace for a store of which `deadFraction` is dead: all of it when that is half or more, and
  /// a quarter of it when hardly anything is.
  ///
  /// So a store that is nearly in shape is tidied up unnoticed, and one that fills with dead
  /// records is compacted the faster the more of them there are.
  public func scaled(deadFraction: Double) -> CompactionPace {
    let urgency = min(1, max(0.25, deadFraction * 2))
    return CompactionPace(
      byteCountPerSecond: byteCountPerSecond.map { UInt64(Double($0) * urgency) },
      processorShare: processorShare * urgency)
  }

  /// How many nanoseconds to rest after `byteCount` bytes were copied in `nanoseconds`.
  public func rest(afterCopying byteCount: UInt64, nanoseconds: UInt64) -> UInt64 {
    let worked = Double(nanoseconds)
    let byShare = worked / processorShare - worked
    let byBytes = byteCountPerSecond.map { Double(byteCount) / Double($0) * 1e9 - worked } ?? 0
    return UInt64(min(max(0, byShare, byBytes), 60e9))
  }
}
