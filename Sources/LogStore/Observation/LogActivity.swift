/// What a log has done since it was opened.
///
/// Counts are exact once writers rest; while they work, one may be ahead of another.
public struct LogActivity: Sendable, Equatable {
  /// Batches and transactions that were appended and had changes.
  public internal(set) var commitCount: UInt64 = 0
  /// Writes that appended them; one may serve several commits.
  public internal(set) var groupCount: UInt64 = 0
  /// Records in them, tombstones included.
  public internal(set) var recordCount: UInt64 = 0
  /// Bytes of those records, compressed: what the application wrote.
  public internal(set) var recordByteCount: UInt64 = 0
  /// Bytes written to files of segments, with headers, footers, compaction and what was extended
  /// ahead with zeros.
  public internal(set) var segmentByteCount: UInt64 = 0
  /// Bytes written as footers, a part of ``segmentByteCount``.
  public internal(set) var footerByteCount: UInt64 = 0
  /// Bytes of the segments that compaction put in the place of others, a part of
  /// ``segmentByteCount``.
  public internal(set) var compactionByteCount: UInt64 = 0
  /// Bytes written to merged runs.
  public internal(set) var runByteCount: UInt64 = 0
  /// Bytes written to manifests.
  public internal(set) var manifestByteCount: UInt64 = 0
  /// Bytes written to all other files.
  public internal(set) var otherByteCount: UInt64 = 0
  /// Synchronizations of files and of the directory.
  public internal(set) var synchronizationCount: UInt64 = 0
  /// How long they took together, in nanoseconds.
  public internal(set) var synchronizationNanoseconds: UInt64 = 0
  /// Segments that were sealed.
  public internal(set) var sealCount: UInt64 = 0
  /// Compactions that put segments in the place of others.
  public internal(set) var compactionCount: UInt64 = 0
  /// Merges that put one index in the place of several.
  public internal(set) var mergeCount: UInt64 = 0

  /// Bytes written to all files.
  public var writtenByteCount: UInt64 {
    segmentByteCount &+ runByteCount &+ manifestByteCount &+ otherByteCount
  }

  /// How many bytes were written for each byte of a record; nothing before the first.
  public var writeAmplification: Double? {
    recordByteCount == 0 ? nil : Double(writtenByteCount) / Double(recordByteCount)
  }
}
