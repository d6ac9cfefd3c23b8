/// The versions of the bytes on disk; Documentation/Format.md is normative.
package enum FormatVersion {
  /// The newest that this library reads.
  package static let current: UInt16 = 9
  /// What manifests are written as, and the oldest reader for all that needs nothing newer.
  static let first: UInt16 = 1
  /// The oldest reader for a segment that holds parts of a commit.
  static let withPartsOfCommits: UInt16 = 2
  /// What a manifest that lists merged runs is written as, and the oldest reader for it.
  static let withRuns: UInt16 = 2
  /// Since then a compaction leaves a copy of the manifest in the
  /// log. Older readers pass over it.
  static let leavesCopies: UInt16 = 3
  /// What manifests of a store with dictionaries are written as, which older readers refuse by
  /// their reader minimum, and its segments by a flag.
  static let withDictionaries: UInt16 = 4
  /// What segments are written as: the pages of their indexes may be packed. Older readers take
  /// these indexes for damaged and rebuild them.
  static let withPackedIndexes: UInt16 = 5
  /// What a manifest that lists merged runs of ranges is written as, and the oldest reader for it.
  static let withRanges: UInt16 = 6
  /// What segments are written as in which small commits may have short headers, which older
  /// readers refuse by a flag, and manifests of stores that have had such a segment.
  static let withShortFrames: UInt16 = 7
  /// What a manifest is written as that says between which keys those of an index lie, and the
  /// oldest reader for it.
  static let withHeads: UInt16 = 8
  /// What a manifest is written as that lists sessions of writers, and the oldest reader for it.
  static let withSessions: UInt16 = 9
}
