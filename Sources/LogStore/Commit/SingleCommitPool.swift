internal import FileIO

/// The commits of one change or a small transaction that a log keeps for use; from any thread.
final class SingleCommitPool: Sendable {
  private struct Kept: @unchecked Sendable {
    // Sendable: one that is kept is used by nobody until it is taken out.
    var commits: [SingleCommit] = []
  }

  private let kept = Lock(Kept())
  private static let countMaximum = 8

  /// One that nobody else uses, if one is kept.
  func take() -> SingleCommit? { kept.withLock { kept in kept.commits.popLast() } }

  /// Keeps one for the next; whoever calls this does not use it any more.
  func giveBack(_ commit: SingleCommit) {
    commit.end()
    kept.withLock { kept in
      if kept.commits.count < Self.countMaximum { kept.commits.append(commit) }
    }
  }
}
