extension CommitPipeline {
  /// Goes to the newest state of a store that another process writes; called under the lock.
  func refresh() throws(LogError) {
    if isClosed { throw .closed }
    guard var follower else { return }
    // What a try that failed has begun to read it must not read once more.
    defer { self.follower = follower }
    let state = try follower.newest()
    manifest = state.manifest
    accounts = state.accounts
    sealed = state.view.sealed
    runs = state.view.beneath.runs
    table = state.table
    replacements = state.replacements
    lastSequence = state.view.lastSequence
    durableSequence = state.durableSequence
    needsRepair = state.tail
    replacePublished(with: state.view)
  }
}
