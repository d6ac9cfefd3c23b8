/// What a backup did, or a restoration.
public struct BackupReport: Sendable, Equatable {
  /// Segments that were copied.
  public internal(set) var copiedSegmentCount = 0
  /// Bytes of their files.
  public internal(set) var copiedByteCount: UInt64 = 0
  /// Segments that an earlier backup to the same place had copied already.
  public internal(set) var keptSegmentCount = 0
  /// Bytes of their files.
  public internal(set) var keptByteCount: UInt64 = 0
  /// Files of an earlier backup that are not needed any more and were removed.
  public internal(set) var removedFileCount = 0
  /// The newest record that the copy holds.
  public internal(set) var lastSequence = CommitSequence.zero

  /// Nothing was copied.
  public init() {}
}
