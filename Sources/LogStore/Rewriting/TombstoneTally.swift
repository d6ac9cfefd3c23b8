/// What became of the tombstones that a rewrite met and that are the newest records of their keys.
package struct TombstoneTally: Sendable, Equatable {
  /// Those that hid nothing any more and were left out.
  package private(set) var droppedCount: UInt64 = 0
  /// Those that were carried over.
  package private(set) var keptCount: UInt64 = 0
  /// Segments that hold what these hide, or cannot tell; for each tombstone one of them.
  package private(set) var hiding: Set<SegmentIdentifier> = []

  mutating func noteDropped() { droppedCount += 1 }

  mutating func noteKept(hiding segment: SegmentIdentifier) {
    keptCount += 1
    hiding.insert(segment)
  }
}
