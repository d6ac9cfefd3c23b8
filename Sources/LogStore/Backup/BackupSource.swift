/// What a backup copies: a manifest, with the segments that it lists.
struct BackupSource {
  /// Keeps the segments' files from being removed.
  let view: View
  let manifest: Manifest
  /// The last commit that is copied; the manifest may know of earlier ones only.
  let lastSequence: CommitSequence
  /// The segment that is not sealed, and where its whole commits end at this moment.
  let active: (segment: Segment, end: UInt64)?
  /// Whether it is durable in the store, too, as far as can be told.
  let isDurable: Bool
  /// Of the store's own directory, where it can be told; see ``Lineage``.
  let lineage: Lineage
  /// Of the store's manifest as it lies there, where it can be read.
  let manifestFingerprint: UInt64?
  /// Those of the store.
  let dictionaries: DictionaryShelf

  /// The segment of a descriptor.
  func segment(_ identifier: SegmentIdentifier) -> Segment? {
    if let active, active.segment.identifier == identifier { return active.segment }
    return view.sealed.first { $0.identifier == identifier }
  }
}
