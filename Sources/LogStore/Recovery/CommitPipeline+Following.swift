extension CommitPipeline {
  /// Goes to the newest state of a store that another process writes; called under the lock.
  func refresh() throws(LogError) {
    if isClosed { throw .closed }
    guard var follower else { return }
    // What a try that failed has begun to read it must not read once more.
    defer { self.follower = follower }
    let state = try follower.newest()
    take(state)
    replacePublished(with: state.view)
  }

  /// Makes all of `state` the log's own but the view that readers see, at the opening too; called
  /// under the lock.
  func take(_ state: RecoveredState) {
    manifest = state.manifest
    isManifestRebuilt = state.isManifestRebuilt
    accounts = state.accounts
    shownDictionaries = state.dictionaries
    sealed = state.view.sealed
    runs = state.view.beneath.runs
    sealedIndex = state.view.beneath
    table = state.table
    replacements = state.replacements
    replacements.worker = commitWorker
    lastSequence = state.view.lastSequence
    durableSequence = state.durableSequence
    needsRepair = state.tail
  }
}
