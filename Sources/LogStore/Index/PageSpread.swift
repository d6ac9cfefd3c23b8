/// What the pages of merged runs take.
struct PageSpread {
  /// Zeros behind their keys.
  var paddingByteCount: UInt64 = 0
  /// Everything else.
  var usedByteCount: UInt64 = 0

  static func + (left: PageSpread, right: PageSpread) -> PageSpread {
    PageSpread(
      paddingByteCount: left.paddingByteCount &+ right.paddingByteCount,
      usedByteCount: left.usedByteCount &+ right.usedByteCount)
  }
}
