public import LogStore

/// Which of the segments that are worth rewriting come first.
public enum CompactionOrder: String, Sendable, Hashable, CaseIterable, Codable {
  /// What gives most space for what it costs, weighted with how long it has been at rest.
  ///
  /// For a segment with the live part v this is (1 − v) · age / (1 + v): reading it costs 1, and
  /// writing it again v. Age is how much was written since its newest record. What is hot will lose
  /// more records by waiting, so it is left alone longer; what is cold is taken even when little of
  /// it is dead. From Rosenblum and Ousterhout, "The design and implementation of a log-structured
  /// file system", 1991.
  case costBenefit
  /// The smallest live part: most space for the least writing now.
  case greedy
  /// The oldest first, so that a tombstone's turn comes after what it hides is gone.
  case age

  /// The higher, the earlier; a segment without live records needs no copying and comes first.
  ///
  /// `newest` is the newest record of the store, `staleFraction` the part of the segment's bytes
  /// that an upgrade would replace, which counts as dead by half: it makes a rewrite worth more.
  public func score(
    _ segment: SegmentStatistics, newest: CommitSequence, staleFraction: Double
  ) -> Double {
    let live = segment.liveFraction
    switch self {
    case .age: return -Double(segment.minimumSequence.rawValue)
    case .greedy: return 1 - live + Self.staleWeight * staleFraction
    case .costBenefit:
      guard live > 0 else { return .infinity }
      let newest = max(newest, segment.maximumSequence)
      let age = Double(newest.rawValue - segment.maximumSequence.rawValue) + 1
      return (1 - live + Self.staleWeight * staleFraction) * age / (1 + live)
    }
  }

  private static let staleWeight = 0.5
}
