/// How far a compaction goes.
///
/// Segments that hold nothing but dead records are taken whatever the goal: they cost no copying.
public enum CompactionGoal: Sendable, Hashable, Codable {
  /// Until nothing is worth rewriting any more.
  case everything
  /// Until all files of the store together have about so many bytes, as far as that is possible.
  case byteCount(UInt64)
  /// Until at most this part of the bytes in segments is dead, 0 to 1.
  case deadFraction(Double)

  /// Whether segments of `byteCount` bytes, of which `liveByteCount` are live, are good enough.
  func isReached(byteCount: UInt64, liveByteCount: UInt64) -> Bool {
    switch self {
    case .everything: false
    case .byteCount(let maximum): byteCount <= maximum
    case .deadFraction(let maximum):
      Double(byteCount) - Double(liveByteCount) <= maximum * Double(byteCount)
    }
  }
}
