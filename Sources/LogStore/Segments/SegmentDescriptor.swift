/// What the manifest knows about a segment.
struct SegmentDescriptor: Equatable, Sendable {
  var identifier: SegmentIdentifier
  var stream: SegmentStream
  var salt: UInt64
  /// Where the records end and the footer begins; 0 while the segment is active.
  var dataEnd: UInt64
  /// Chain hash of the last frame; 0 while active.
  var closingHash: UInt64
  var minimumSequence: CommitSequence
  var maximumSequence: CommitSequence
  /// Records ever written to the segment, tombstones included.
  var recordCount: UInt64
  var tombstoneCount: UInt64
  /// What of it is still the newest record of its key.
  var live: LiveTotals
  /// The dictionaries that its records need, those of dead records too.
  var dictionaryUses = DictionaryUses()
  /// Between which keys those of its footer lie, so that it is not opened for others; nothing while
  /// the segment is active, and where nobody noted it.
  var heads: KeyHeads?

  var isSealed: Bool { dataEnd != 0 }
}

extension SegmentDescriptor {
  /// A user segment that is not sealed, before any record of it was counted.
  init(active identifier: SegmentIdentifier, stream: SegmentStream = .user, salt: UInt64) {
    self.init(
      identifier: identifier, stream: stream, salt: salt, dataEnd: 0, closingHash: 0,
      minimumSequence: .zero, maximumSequence: .zero, recordCount: 0, tombstoneCount: 0,
      live: LiveTotals())
  }

  /// False only when no tombstone of a reserved collection is in it; told without opening it.
  func mayHaveTombstones(of collection: CollectionIdentifier) -> Bool {
    // Records of the catalog are never deleted, which batches see to.
    guard collection != .catalog, tombstoneCount > 0 else { return false }
    return heads?.mayContainKeys(of: collection) ?? true
  }
}
