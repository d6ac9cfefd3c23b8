/// How much room that takes which found none on a full disk.
///
/// The least and the most are enough: compaction can help the one where it cannot help the other.
struct RefusedRoom {
  private(set) var least: UInt64
  private var most: UInt64

  init(_ byteCount: UInt64) { (least, most) = (byteCount, byteCount) }

  /// Takes what needs `byteCount` bytes among them.
  mutating func note(_ byteCount: UInt64) {
    least = min(least, byteCount)
    most = max(most, byteCount)
  }

  /// Those that need more than `byteCount` bytes; nothing when there are none.
  func beyond(_ byteCount: UInt64) -> RefusedRoom? {
    if byteCount < least { return self }
    return byteCount < most ? RefusedRoom(most) : nil
  }
}
