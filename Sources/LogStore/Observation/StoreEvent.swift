public import FileIO

/// Something that happened to a store and that its operator may want to know.
public enum StoreEvent: Sendable, Equatable {
  /// The store was opened; what was found then.
  case opened(path: String, RecoveryReport)
  /// Commits were appended in one write; they are durable when their durability says so.
  case committed(commitCount: Int, recordCount: Int, byteCount: Int)
  /// A file or the directory was synchronized, which took so long.
  case synchronized(nanoseconds: UInt64)
  /// A segment was filled and will not change any more; its size without the footer.
  case sealed(SegmentIdentifier, byteCount: UInt64)
  /// What was recovered after a crash lies in a segment of its own now.
  case repaired(SegmentIdentifier)
  /// Bytes that were durable have changed; whoever asked for them got an error.
  case damaged(CorruptionReport)
  /// A damaged or missing index was made anew from the segment's records; nothing was lost.
  case footerRebuilt(SegmentIdentifier)
  /// A compaction replaced segments by others, of so many bytes together.
  case compacted(
    inputCount: Int, outputCount: Int, byteCountBefore: UInt64, byteCountAfter: UInt64)
  /// Commits, a compaction or closing failed because the disk is full; told once where they fail.
  case diskFull(FileIOError)
  /// A synchronization failed: the store takes no more writes until it is opened again.
  case poisoned(FileIOError)
  /// Operations of a schema history were edited after the store had met them, by their ids; those
  /// whose revision was raised were revised on purpose. Records upgraded before keep what they got.
  case historyEdited(edited: [String], revised: [String])
  /// A store was opened whose indexes, as `Type.member`, lack objects that were there before them:
  /// until they are built, look-ups by them read all objects of the type, and so does every put of
  /// a new value where the member is unique.
  case indexesIncomplete([String])
  /// A store was opened that holds objects which nothing describes, as a salvage leaves them that
  /// lost what does: they cannot be read.
  case undescribed(collectionCount: Int, recordCount: UInt64)
  /// Upgrading one object took longer than the store's budget; of its operations, this one took
  /// most. Told for every such object.
  case slowMigration(type: String, operationID: String, nanoseconds: UInt64)
  /// The store was closed, also when closing failed.
  case closed
}
