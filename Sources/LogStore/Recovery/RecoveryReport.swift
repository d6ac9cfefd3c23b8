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
  /// Commits that were read back from the segment that was not closed.
  public var replayedCommitCount: UInt64 = 0
  /// Records in them.
  public var replayedRecordCount: UInt64 = 0
}
