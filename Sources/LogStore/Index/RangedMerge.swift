/// Where the merging of all indexes goes on that is done a range of keys at a time.
///
/// Kept in memory only: when a store is opened again, the ranges that were done stay as they are,
/// and the next such merge begins with the first key.
struct RangedMerge {
  /// Before the first key that was not merged yet; nothing at the beginning.
  var lower: KeyCut?
  /// Files with this number or a higher one came after it began.
  let firstNewFile: UInt32
  /// How many keys a run gets, about.
  var keyCount: UInt64
  /// How many keys all ranges have together, about.
  var wholeKeyCount: UInt64 = 0
  /// What the pages take of those ranges before it that were merged; copies have what they had.
  var spread = PageSpread()

  /// Into so many runs, or a little more, all keys are divided.
  static let rangeCount: UInt64 = 8
  /// With more runs of ranges than that what is left becomes one, as far as it can.
  static let runCountMaximum = LogLimits.rangedRunCount / 2
}
