/// When a record was committed: whole seconds since the start of 2025 (UTC), kept for ever.
///
/// Informative: upgrade steps may use it as a deterministic date; nothing is ordered by it.
public struct CommitTime: Hashable, Sendable {
  /// Seconds since 2025-01-01T00:00:00Z.
  public let secondsSince2025: UInt32

  init(secondsSince2025: UInt32) { self.secondsSince2025 = secondsSince2025 }

  /// The nearest representable time; clocks before 2025 give the first second.
  init(secondsSince1970: UInt64) {
    let elapsed = secondsSince1970 < Self.epoch ? 0 : secondsSince1970 - Self.epoch
    secondsSince2025 = UInt32(clamping: elapsed)
  }

  /// Seconds since 1970-01-01T00:00:00Z.
  public var secondsSince1970: UInt64 { UInt64(secondsSince2025) + Self.epoch }

  private static let epoch: UInt64 = 1_735_689_600
}
