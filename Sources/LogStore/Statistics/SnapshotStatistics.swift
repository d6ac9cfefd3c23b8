/// The snapshots that are held, and what the disk keeps because of them.
public struct SnapshotStatistics: Sendable, Equatable {
  /// How many there are; where their age is limited, each look-up by a member holds one of its own.
  public let count: Int
  /// The sequence of the newest record that the oldest of them sees.
  public let oldestSequence: CommitSequence?
  /// Seconds since the oldest was taken.
  public let oldestAge: UInt64?
  /// Bytes of files that the log does not need any more and that stay for snapshots and cursors.
  public internal(set) var pinnedByteCount: UInt64 = 0

  init(_ register: SnapshotRegister) {
    let (count, oldest) = register.summary()
    self.count = count
    oldestSequence = oldest?.lastSequence
    oldestAge = oldest.map { register.age(since: $0.takenAt) }
  }
}
