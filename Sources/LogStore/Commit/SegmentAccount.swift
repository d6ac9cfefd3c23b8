/// What the writer knows about a segment and keeps exact: changed under the writer's lock only.
final class SegmentAccount {
  @exclusivity(unchecked) var descriptor: SegmentDescriptor

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
}
