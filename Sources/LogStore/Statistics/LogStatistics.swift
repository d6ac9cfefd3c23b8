/// What a log holds, as of its last commit, and what it has done since it was opened; taking it
/// costs time linear in segments, not in data.
public struct LogStatistics: Sendable, Equatable {
  /// All segments, oldest first.
  public let segments: [SegmentStatistics]
  /// The merged runs over them, oldest first.
  public let runs: [RunStatistics]
  /// The dictionaries that records are compressed against, in the order in which they were made.
  public let dictionaries: [DictionaryStatistics]
  /// The sequence of the newest record.
  public let lastSequence: CommitSequence
  /// The highest sequence known to survive the loss of power.
  public let durableSequence: CommitSequence
  /// Bytes of all files of the store, without its reserve and what is allocated ahead of the
  /// records of the active segment.
  public internal(set) var fileByteCount: UInt64
  /// Bytes on the disk that are held back for deletions and compaction.
  public internal(set) var reserveByteCount: UInt64
  /// The size at which a segment is sealed now.
  public let segmentByteCountTarget: UInt64
  /// The snapshots that are held, and what they pin.
  public internal(set) var snapshots: SnapshotStatistics
  /// What was done since the log was opened.
  public internal(set) var activity = LogActivity()
  /// What was found when the log was opened.
  public internal(set) var recovery = RecoveryReport()

  /// Live records by collection and schema version; versions without any are absent.
  public var liveByVersion: [CollectionVersion: RecordTotals] {
    var result: [CollectionVersion: RecordTotals] = [:]
    for segment in segments {
      for (version, totals) in segment.liveByVersion {
        result[version, default: RecordTotals()].add(totals)
      }
    }
    return result
  }

  /// All live records.
  public var live: RecordTotals {
    segments.reduce(into: RecordTotals()) { $0.add($1.live) }
  }

  /// How much of the segments but `spared` is live.
  package func space(sparing spared: Set<SegmentIdentifier> = []) -> LogSpace {
    var space = LogSpace()
    for segment in segments where !spared.contains(segment.identifier) {
      space.add(byteCount: segment.byteCount, live: segment.live)
    }
    return space
  }

  /// Bytes of all segments without their footers.
  public var byteCount: UInt64 { segments.reduce(0) { $0 &+ $1.byteCount } }
}
