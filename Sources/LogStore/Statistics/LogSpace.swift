/// How much of the bytes in segments is live.
package struct LogSpace: Sendable, Equatable {
  /// Bytes of all segments up to where their records end.
  package var byteCount: UInt64 = 0
  /// Bytes of live records.
  package var liveByteCount: UInt64 = 0

  /// What compaction could gain at most: dead records, and frames.
  package var deadByteCount: UInt64 { byteCount - min(byteCount, liveByteCount) }
  /// The part of the bytes that is dead, 0 to 1.
  package var deadFraction: Double {
    byteCount == 0 ? 0 : Double(deadByteCount) / Double(byteCount)
  }

  /// Counts a segment.
  mutating func add(byteCount: UInt64, live: RecordTotals) {
    self.byteCount &+= byteCount
    liveByteCount &+= live.byteCount
  }
}
