/// What a backup did, or a restoration.
public struct BackupReport: Sendable, Equatable {
  /// Segments that were copied.
  public internal(set) var copiedSegmentCount = 0
  /// Bytes of their files.
  public internal(set) var copiedByteCount: UInt64 = 0
  /// Segments that an earlier backup to the same place had copied already, or an interrupted one.
  public internal(set) var keptSegmentCount = 0
  /// Bytes of their files.
  public internal(set) var keptByteCount: UInt64 = 0
  /// Files of an earlier backup, or of an interrupted one, that were not kept and were removed.
  public internal(set) var removedFileCount = 0
  /// The newest record that the copy holds.
  public internal(set) var lastSequence = CommitSequence.zero

  /// What does not verify of the segments that were copied, which lies in the copy, too: only where
  /// no earlier backup lay.
  public internal(set) var damages: [CorruptionReport] = []
  /// The same of what is derived from their records, and is made again from them when it is read.
  public internal(set) var rebuildable: [CorruptionReport] = []

  /// Nothing was copied.
  public init() {}
}
