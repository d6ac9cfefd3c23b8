/// What was found when the store was opened.
public struct RecoveryReport: Sendable, Equatable {
  /// How the newest segment ended.
  public enum Tail: Sendable, Equatable {
    /// The store was closed, or new: no record was read.
    case clean
    /// The segment was not closed, and ends after its last whole commit.
    case open
    /// It ends in an incomplete commit, which was never acknowledged as durable.
    case torn(offset: UInt64, reason: String)
  }

  /// How the segment that was not closed ends.
  public var tail = Tail.clean
  /// Commits that were read back from the segment that was not closed; after the manifest was
  /// rebuilt, from all segments since the newest copy of it.
  public var replayedCommitCount: UInt64 = 0
  /// Records in them.
  public var replayedRecordCount: UInt64 = 0
  /// Bytes of the tail that the first write copies to a segment of its own, because they may be in
  /// the operating system's cache only.
  public var tailByteCount: UInt64 = 0
  /// What was wrong with the manifest, when it was rebuilt from the log. The first write puts the
  /// new one in its place and keeps the damaged one as `MANIFEST.damaged`.
  public var rebuiltManifest: CorruptionReport?
}
