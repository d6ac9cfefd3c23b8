/// A user segment that a store had, and that its manifest lists no more.
struct ReplacedSegment: Equatable, Sendable {
  let identifier: SegmentIdentifier
  /// 0 where an earlier version replaced it, and only the hash is known.
  let salt: UInt64
  /// Chain hash of its last frame; 0 where it was never sealed.
  let closingHash: UInt64
  /// The last commit of the store that it, or one before it, held.
  let end: CommitSequence

  /// Of one that goes from a store whose last commit is `lastSequence`.
  init(_ descriptor: SegmentDescriptor, lastSequence: CommitSequence) {
    self.init(
      identifier: descriptor.identifier, salt: descriptor.salt,
      closingHash: descriptor.closingHash,
      end: descriptor.isSealed ? descriptor.maximumSequence : lastSequence)
  }

  init(
    identifier: SegmentIdentifier, salt: UInt64, closingHash: UInt64, end: CommitSequence
  ) {
    self.identifier = identifier
    self.salt = salt
    self.closingHash = closingHash
    self.end = end
  }
}
