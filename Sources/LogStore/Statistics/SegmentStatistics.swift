internal import BinaryCoding

/// What one segment holds.
public struct SegmentStatistics: Sendable, Equatable {
  /// The number that names the segment's file.
  public let identifier: SegmentIdentifier
  /// Whether commits or rewrites filled it.
  public let stream: SegmentStream
  /// Whether it is still appended to.
  public let isActive: Bool
  /// Bytes of its records and frames, without the footer.
  public let byteCount: UInt64
  /// Records ever written to it, tombstones included.
  public let recordCount: UInt64
  /// Tombstones ever written to it.
  public let tombstoneCount: UInt64
  /// The oldest commit with a record in it.
  public let minimumSequence: CommitSequence
  /// The newest commit with a record in it.
  public let maximumSequence: CommitSequence
  private let liveTotals: LiveTotals
  /// Whether its index was found damaged since the store was opened, and was rebuilt from its
  /// records. Nothing is lost; compaction in the same process writes the segment anew.
  public let hasRebuiltIndex: Bool

  /// Its live records, by collection and schema version; made when it is asked for.
  public var liveByVersion: [CollectionVersion: RecordTotals] { liveTotals.byVersion }
  /// The same, in any order.
  package var liveVersions: [(version: CollectionVersion, totals: RecordTotals)] {
    liveTotals.versions.entries.map { (version: $0.key, totals: $0.value) }
  }
  /// All its live records.
  public var live: RecordTotals { liveTotals.total }

  /// Its live records of one version.
  package func live(of version: CollectionVersion) -> RecordTotals {
    liveTotals.versions[version] ?? RecordTotals()
  }

  /// Live bytes as a part of all, 0 to 1.
  public var liveFraction: Double {
    byteCount == 0 ? 0 : min(1, Double(live.byteCount) / Double(byteCount))
  }

  /// Records that are neither live nor tombstones.
  public var deadRecordCount: UInt64 {
    let needed = live.recordCount &+ tombstoneCount
    return recordCount > needed ? recordCount - needed : 0
  }

  /// A description made by hand: to plan, or to try a policy, without a directory.
  public init(
    identifier: UInt32, stream: SegmentStream = .user, isActive: Bool = false, byteCount: UInt64,
    recordCount: UInt64, tombstoneCount: UInt64 = 0, minimumSequence: UInt64 = 1,
    maximumSequence: UInt64 = 1, liveByVersion: [CollectionVersion: RecordTotals],
    hasRebuiltIndex: Bool = false
  ) {
    self.identifier = SegmentIdentifier(identifier)
    self.stream = stream
    self.isActive = isActive
    self.byteCount = byteCount
    self.recordCount = recordCount
    self.tombstoneCount = tombstoneCount
    self.minimumSequence = CommitSequence(minimumSequence)
    self.maximumSequence = CommitSequence(maximumSequence)
    var live = LiveTotals()
    for (version, totals) in liveByVersion { live.add(version, totals) }
    liveTotals = live
    self.hasRebuiltIndex = hasRebuiltIndex
  }

  init(_ descriptor: SegmentDescriptor, byteCount: UInt64, hasRebuiltIndex: Bool) {
    self.hasRebuiltIndex = hasRebuiltIndex
    identifier = descriptor.identifier
    stream = descriptor.stream
    isActive = !descriptor.isSealed
    self.byteCount = byteCount
    recordCount = descriptor.recordCount
    tombstoneCount = descriptor.tombstoneCount
    minimumSequence = descriptor.minimumSequence
    maximumSequence = descriptor.maximumSequence
    liveTotals = descriptor.live
  }
}
