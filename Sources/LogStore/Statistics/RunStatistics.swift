/// What one merged run holds.
public struct RunStatistics: Sendable, Equatable {
  /// The number that names the run's file.
  public let identifier: RunIdentifier
  /// Bytes of its file.
  public let byteCount: UInt64
  /// Keys in it, tombstones included.
  public let keyCount: UInt64
  /// Segments of the store whose indexes it has in one.
  public let segmentCount: Int
  /// Whether it was found damaged or missing since the store was opened: then the indexes of its
  /// segments are asked one by one, until the next merge writes it anew. Nothing is lost.
  public let isDamaged: Bool
}
