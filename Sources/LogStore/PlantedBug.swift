/// A bug that tests plant to see whether the crash simulator finds it; none in a release build.
///
/// Each stands where it is asked for, as one line. The simulator must find every one of them, or it
/// would not find the same mistake when somebody makes it in earnest.
package enum PlantedBug: String, CaseIterable, Sendable {
  /// What is only written is told to be durable.
  case durableMarkClaimedEarly
  /// After a failed synchronization commits go on.
  case failedSynchronizationForgiven
  /// What lies behind a failed append is appended to.
  case appendedBehindTornWrite
  /// A segment is sealed, and its successor named, without synchronizing it.
  case sealedUnsynchronized
  /// The copy of a recovered tail is not synchronized before the manifest names it.
  case repairUnsynchronized
  /// Leftovers go before the manifest that does not list them is durable.
  case sweptBeforeManifestDurable
  /// Leftovers do not raise the mark of identifiers.
  case identifierUsedAgain
  /// Recovery takes a commit with a wrong checksum, as far as its records verify.
  case halfCommitApplied
  /// Recovery passes over bytes that do not verify to the next frame that does.
  case badFrameSkipped
  /// Recovery does not apply tombstones.
  case deletionNotReplayed
  /// Recovery counts records that the manifest's totals know already.
  case replayCountedTwice
  /// A record's checksum does not cover its sequence.
  case recordUnboundToSequence
  /// A record's checksum is not looked at.
  case recordChecksumIgnored
  /// A record that does not verify counts as absent.
  case damageTakenForAbsence
  /// The segment with the highest identifier wins, not the record with the highest sequence.
  case olderRecordWins
  /// A tombstone is dropped while something older is still there.
  case tombstoneDroppedEarly
  /// Outputs of a rewrite are published before they are durable.
  case outputsUnsynchronized
  /// Inputs of a rewrite go before the manifest without them is durable.
  case inputsRemovedEarly
  /// A rewrite that is given up is taken for a failed one: the log accepts no more writes.
  case cancellationTakenForFailure
  /// What was replaced during a rewrite stays counted as live.
  case totalsNotSettled
  /// Pages of the memory table that a snapshot reads are changed in place.
  case publishedPageChanged

  #if PLANTED_BUGS
    /// The one that is planted for the work of the current task or thread.
    @TaskLocal package static var current: PlantedBug?

    /// Whether this one is planted.
    var isPlanted: Bool { Self.current == self }
  #else
    /// Never: the optimizer leaves nothing of it.
    var isPlanted: Bool { false }
  #endif
}
