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
  /// Versions of which records were upgraded or dropped.
  package var changedVersions: Set<CollectionVersion> = []
  /// How many records of each version could not be upgraded, whatever became of others: not those
  /// whose dictionary is lost.
  package var failedCounts: [CollectionVersion: UInt64] = [:]
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

  /// Adds what a part of the same compaction did that came before.
  mutating func add(_ earlier: CompactionReport) {
    if earlier.byteCountBefore > 0 { byteCountBefore = earlier.byteCountBefore }
    if byteCountAfter == 0 { byteCountAfter = earlier.byteCountAfter }
    segmentCount += earlier.segmentCount
    upgradedCount += earlier.upgradedCount
    keptCount += earlier.keptCount
    droppedCount += earlier.droppedCount
    failedCount += earlier.failedCount
    let room = Self.failureCountMaximum - earlier.failures.count
    failures = earlier.failures + failures.prefix(max(0, room))
    removedTombstoneCount += earlier.removedTombstoneCount
    damages.note(earlier.damages)
    readFailures = earlier.readFailures + readFailures
    leftSegments.formUnion(earlier.leftSegments)
    triedSegments.formUnion(earlier.triedSegments)
    changedVersions.formUnion(earlier.changedVersions)
    failedCounts.merge(earlier.failedCounts, uniquingKeysWith: +)
    neededTombstones = earlier.neededTombstones + neededTombstones
    dictionarySegments.formUnion(earlier.dictionarySegments)
    wasEnded = wasEnded || earlier.wasEnded
    wasCancelled = wasCancelled || earlier.wasCancelled
    seconds += earlier.seconds
  }
}
