/// How much of the machine a compaction may take: arithmetic only, the caller does the resting.
public struct CompactionPace: Sendable, Hashable {
  /// The most bytes of live records that are copied in a second; nothing for no limit.
  public var byteCountPerSecond: UInt64?
  /// The part of one processor that it may take, above 0 and at most 1.
  ///
  /// Time in which it waits for the disk, or for a processor, does not count as taken.
  public var processorShare: Double

  /// As fast as it goes, with the help of other processors where there are some.
  public static let unlimited = CompactionPace(byteCountPerSecond: nil, processorShare: 1)

  /// A pace made of its limits; a share outside of its range is brought into it.
  public init(byteCountPerSecond: UInt64?, processorShare: Double) {
    self.byteCountPerSecond = byteCountPerSecond.map { max(1, $0) }
    self.processorShare = min(1, max(0.001, processorShare))
  }

  /// The pace for a store of which `deadFraction` is dead: a quarter of it when hardly anything is,
  /// all of it at half, or at `urgentDeadFraction` if that is less. Above that it is more, up to a
  /// whole processor and no limit of bytes when an eighth of the rest is dead too.
  ///
  /// So a store that is nearly in shape is tidied up unnoticed, and one that fills with dead
  /// records is compacted the faster the more of them there are, before it takes all of the disk.
  public func scaled(deadFraction: Double, urgentDeadFraction: Double) -> CompactionPace {
    let excess = (deadFraction - urgentDeadFraction) / max((1 - urgentDeadFraction) / 8, 1e-9)
    guard excess > 0 else {
      let urgency = min(1, max(0.25, deadFraction / max(min(urgentDeadFraction, 0.5), 1e-9)))
      return CompactionPace(
        byteCountPerSecond: byteCountPerSecond.map { UInt64(min(Double($0) * urgency, 1e18)) },
        processorShare: processorShare * urgency)
    }
    guard excess < 1 else { return .unlimited }
    return CompactionPace(
      byteCountPerSecond: byteCountPerSecond.map { UInt64(min(Double($0) / (1 - excess), 1e18)) },
      processorShare: processorShare + (1 - processorShare) * excess)
  }

  /// Nobody rests for longer than a minute at a time, whatever the limits.
  package static let longestRestNanoseconds: UInt64 = 60_000_000_000

  /// How many nanoseconds to rest after `byteCount` bytes were copied in `nanoseconds`, in which a
  /// processor worked for `processorNanoseconds`; a minute at most, after which to ask again.
  public func rest(
    afterCopying byteCount: UInt64, nanoseconds: UInt64, processorNanoseconds: UInt64
  ) -> UInt64 {
    let passed = Double(nanoseconds)
    let byShare = Double(processorNanoseconds) / processorShare - passed
    let byBytes = byteCountPerSecond.map { Double(byteCount) / Double($0) * 1e9 - passed } ?? 0
    return UInt64(min(max(0, byShare, byBytes), Double(Self.longestRestNanoseconds)))
  }
}
