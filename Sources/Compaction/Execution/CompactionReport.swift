public import LogStore
public import SchemaRegistry

/// What a compaction did.
public struct CompactionReport: Sendable {
  /// A record whose upgrade failed and that was kept as it was.
  public struct FailedRecord: Sendable {
    /// Where the record belongs.
    public let collection: CollectionIdentifier
    /// The version it stays at.
    public let schemaVersion: UInt64
    /// What failed; names type, key, version and step.
    public let error: SchemaError
  }

  /// Bytes of all files before.
  public var byteCountBefore: UInt64 = 0
  /// Bytes of all files after; files that snapshots still read are counted.
  public var byteCountAfter: UInt64 = 0
  /// Segments that were replaced.
  public var segmentCount = 0
  /// Records written in a newer form.
  public var upgradedCount: UInt64 = 0
  /// Records copied as they were, those of the catalog not counted.
  public var keptCount: UInt64 = 0
  /// Records that a step dropped, those of removed types, and keys of indexes that are not needed.
  public var droppedCount: UInt64 = 0
  /// Records whose upgrade failed; they are among the kept ones too.
  public var failedCount: UInt64 = 0
  /// The first thousand of them.
  public var failures: [FailedRecord] = []
  /// Tombstones that hid nothing any more.
  public var removedTombstoneCount: UInt64 = 0
  /// Segments that were left as they are because something in them does not verify.
  public var damages: [CorruptionReport] = []
  /// Why others were left as they are: errors of the disk when they were read.
  public var readFailures: [LogError] = []
  /// The segments that were left for either reason.
  package var leftSegments: Set<SegmentIdentifier> = []
  /// Segments for which there was no room.
  package var segmentsWithoutRoom: [SegmentIdentifier] = []
  /// Outputs in which nothing but records whose upgrade failed is of an older version.
  package var triedSegments: Set<SegmentIdentifier> = []
  /// Outputs that hold more tombstones than could be left out.
  package var neededTombstones: [NeededTombstones] = []
  /// Outputs that hold dictionaries which nothing needs, and which could not be left out.
  package var dictionarySegments: Set<SegmentIdentifier> = []
  /// Whether somebody ended it, be it that its plan had come to its end.
  package var wasEnded = false
  /// Whether the compaction was ended before its plan was.
  public var wasCancelled = false
  /// Time it took, in seconds.
  public var seconds: Double = 0

  /// Nothing was done yet.
  package init() {}

  /// How many failures are listed in ``failures``.
  public static let failureCountMaximum = RewriteTally.failureCountMaximum
}
