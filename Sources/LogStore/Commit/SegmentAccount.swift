/// What the writer knows about a segment and keeps exact: changed under the writer's lock only.
final class SegmentAccount {
  @exclusivity(unchecked) var descriptor: SegmentDescriptor
  /// What the index behind its records takes, once it is sealed and somebody looked.
  @exclusivity(unchecked) var measuredIndexByteCount: UInt64?
  /// Whether somebody looked in vain: others come first.
  @exclusivity(unchecked) var wasMeasuredInVain = false

  /// What a record mostly takes of an index at most, where keys are no longer than an identifier.
  static let indexShare: UInt64 = 32

  init(_ descriptor: SegmentDescriptor) { self.descriptor = descriptor }

  /// Counts a record that was written to the segment.
  func countWritten(_ value: IndexValue) {
    descriptor.recordCount += 1
    if value.isTombstone { descriptor.tombstoneCount += 1 }
    if descriptor.minimumSequence == .zero || value.sequence < descriptor.minimumSequence {
      descriptor.minimumSequence = value.sequence
    }
    descriptor.maximumSequence = max(descriptor.maximumSequence, value.sequence)
  }

  /// Counts a record as the newest of its key; tombstones never are.
  func countLive(_ collection: CollectionIdentifier, _ value: IndexValue) {
    if value.isTombstone { return }
    descriptor.live.add(
      CollectionVersion(collection: collection, schemaVersion: value.schemaVersion),
      byteCount: UInt64(value.length))
  }

  /// Takes that back.
  func countDead(_ collection: CollectionIdentifier, _ value: IndexValue) {
    if value.isTombstone { return }
    descriptor.live.remove(
      CollectionVersion(collection: collection, schemaVersion: value.schemaVersion),
      byteCount: UInt64(value.length))
  }

  /// One that counts by itself from here on.
  func copy() -> SegmentAccount {
    let copy = SegmentAccount(descriptor)
    copy.measuredIndexByteCount = measuredIndexByteCount
    copy.wasMeasuredInVain = wasMeasuredInVain
    return copy
  }

  var needsMeasuring: Bool { descriptor.isSealed && measuredIndexByteCount == nil }

  /// What its index takes, at a guess where nobody looked.
  var indexByteCount: UInt64 {
    measuredIndexByteCount ?? descriptor.recordCount * Self.indexShare
  }

  /// What its live records and tombstones take in a segment that is written anew, with their index.
  var outputByteCount: UInt64 {
    let (live, tombstones) = (descriptor.live.total, descriptor.tombstoneCount)
    // A manifest may claim anything, and an index of few records takes whole pages.
    let index = min(indexByteCount / max(1, descriptor.recordCount) + 1, 1 << 16)
    let count = min(live.recordCount + tombstones, descriptor.recordCount)
    // A tombstone has its key, as the index has, and some bytes.
    return live.byteCount + index * count + (index + 24) * tombstones
  }

  /// Whether so many of its records are dead that a compaction on a full disk takes it.
  var isWorthRewriting: Bool {
    let needed = descriptor.live.total.recordCount + descriptor.tombstoneCount
    let dead = descriptor.recordCount - min(descriptor.recordCount, needed)
    return dead > 0 && dead * 64 >= descriptor.recordCount
  }
}
