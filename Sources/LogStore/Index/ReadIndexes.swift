/// The mapped indexes that merges have read and whose memory was not given back: the system tells
/// each processor that runs the program when memory goes, once for each index, and that interrupts
/// whoever commits there. So it goes when it has become more than a little.
struct ReadIndexes {
  /// Keys that are read before memory is given back; some 10 bytes each.
  static let keyCountMaximum: UInt64 = 1 << 18

  private let keyCountMaximum: UInt64
  private var footers: Set<SegmentIdentifier> = []
  private var keyCount: UInt64 = 0

  init(keyCountMaximum: UInt64 = Self.keyCountMaximum) { self.keyCountMaximum = keyCountMaximum }

  /// Notes what `merge` has read, and gives the memory of all that was noted back if that has
  /// become much; whether it did.
  ///
  /// Runs are not noted: merges replace them, or read them again in the next range.
  @discardableResult
  mutating func note(_ merge: IndexMerge) -> Bool {
    for case .footer(let segment) in merge.sources { footers.insert(segment.identifier) }
    keyCount &+= min(merge.range?.keyCount ?? .max, merge.keyCount)
    guard keyCount >= keyCountMaximum else { return false }
    for case .merged(let coverage) in merge.sources { coverage.run.forgetPages() }
    // Ranges of one merging read the same footers: each gives its memory back once.
    for segment in merge.view.sealed where footers.contains(segment.identifier) {
      segment.forgetFooterPages()
    }
    self = ReadIndexes(keyCountMaximum: keyCountMaximum)
    return true
  }
}
