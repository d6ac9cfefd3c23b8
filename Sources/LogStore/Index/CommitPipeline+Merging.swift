internal import FileIO

/// Merging indexes: what needs the pipeline's lock, and is called under it.
extension CommitPipeline {
  /// What it takes to decide what is merged next; nothing where nothing may be now.
  func mergePlanner(_ goal: IndexMergePolicy.Goal) throws(LogError) -> IndexMergePlanner? {
    try checkWritable()
    // A manifest that lists a run would also list a tail that the first write is to replace.
    guard needsRepair == nil, !isManifestRebuilt else { return nil }
    // On a full disk what is left is for others.
    if reserve.isGivenUp, goal != .single { return nil }
    // Who publishes what lags makes the index, too.
    if sealedIndex == nil { catchUp() }
    // A run that was found damaged since is not among the sources of an index made now.
    let isDamaged = runs.contains(where: \.isDamaged)
    let index = isDamaged ? SealedIndex(sealed, runs: runs) : currentIndex()
    guard let sources = mergeable(index.sources) else { return nil }
    return IndexMergePlanner(
      view: publishedView, sources: sources,
      neededKeyCount: neededKeyCount,
      firstNewFile: manifest.nextSegment,
      rangeKeyCountMinimum: configuration.rangeKeyCountMinimum)
  }

  /// The sources that may be merged: a segment whose index is lost is asked by itself, and the
  /// others are merged without it. Nothing where a run of a range has its keys already: one that is
  /// made of that would claim to have them all. A damaged run claims nothing: it is left out.
  private func mergeable(_ sources: [SealedIndex.Source]) -> [SealedIndex.Source]? {
    let lost = sources.flatMap { $0.isLost ? $0.segments.map(\.identifier) : [] }
    if lost.isEmpty { return sources }
    let isClaimed = runs.contains { run in
      !run.isDamaged && lost.contains { run.descriptor.segments.contains($0) }
    }
    return isClaimed ? nil : sources.filter { !$0.isLost }
  }

  /// Decides and begins at once.
  func beginMerge(
    _ goal: IndexMergePolicy.Goal, keyCountMaximum: UInt64 = IndexMergePolicy.keyCountMaximum,
    range: RangedMerge?
  ) throws(LogError) -> IndexMerge? {
    guard let planner = try mergePlanner(goal),
      let choice = planner.choice(goal, keyCountMaximum: keyCountMaximum, range: range)
    else { return nil }
    return try beginMerge(choice, of: planner.view)
  }

  /// The merge that was decided on.
  func beginMerge(
    _ choice: IndexMergePlanner.Choice, of view: View
  ) throws(LogError) -> IndexMerge {
    try checkWritable()
    return IndexMerge(
      view: view, sources: choice.sources,
      identifier: RunIdentifier(try takeIdentifier().rawValue),
      salt: configuration.randomSource.next(), directory: directory, ownership: ownership,
      range: choice.range)
  }

  /// Keys that indexes of all sealed segments need, about: of live records and of tombstones. What
  /// was not looked up yet counts as live.
  private var neededKeyCount: UInt64 {
    accounts.values.reduce(0) { count, account in
      account.descriptor.isSealed
        ? count &+ account.descriptor.live.total.recordCount &+ account.descriptor.tombstoneCount
        : count
    }
  }

  /// Lists a merged run, and drops the runs that it replaces and those that are damaged.
  ///
  /// Segments of it that compaction replaced meanwhile are harmless; when none is left it is not
  /// listed at all. With `isDurable` the manifest is replaced; without, the next one to be written
  /// for something else lists the run, and what it replaces stays until then: others need not wait
  /// for the disk, and a crash loses the work of a merge. With `isNameDurable` the names of all
  /// runs are. A failure leaves everything as it was, but for one that poisons the log.
  func publish(
    _ descriptor: RunDescriptor, of merge: IndexMerge, isDurable: Bool, isNameDurable: Bool = false
  ) throws(LogError) {
    let listed = Set(sealed.map(\.identifier))
    let damaged = Set(runs.filter(\.isDamaged).map(\.descriptor.identifier))
    do throws(LogError) {
      try checkWritable()
      guard descriptor.segments.contains(where: listed.contains) else { return merge.remove() }
      // The manifest counts every record up to the last one, so none of them may be lost.
      if isDurable { try synchronizeAll() }
      var next = manifest
      next.list(descriptor, damaged: damaged)
      hasNewRunNames = !isNameDurable
      if isDurable {
        try replaceManifest(&next, activeDescriptor: active?.account.descriptor)
      } else {
        manifest = next
      }
    } catch {
      // When it is not certain which manifest is in force, the file must stay.
      if poison == nil || isClosed { merge.remove() }
      throw error
    }
    if !isDurable { isManifestBehind = true }
    activity.mergeCount.add(1)
    runs.append(
      MergedRun(
        descriptor, in: directory, readMode: configuration.readMode, cache: pageCache))
    replaceUnlistedRuns()
    publish()
  }

  /// Makes the names of runs durable that are going to be published; not under the lock.
  func synchronizeRunNames() throws(LogError) {
    do throws(FileIOError) { try directory.synchronize() } catch { throw poisoned(by: error) }
  }

  /// Has the manifest list the runs that were published without; durable on return.
  func listMergedRuns() throws(LogError) {
    guard isManifestBehind else { return }
    try checkWritable()
    try synchronizeAll()
    var next = manifest
    try replaceManifest(&next, activeDescriptor: active?.account.descriptor)
  }

  /// Takes out the runs that the manifest does not list any more.
  private func replaceUnlistedRuns() {
    let listed = Set(manifest.runs.map(\.identifier))
    let gone = runs.filter { !listed.contains($0.descriptor.identifier) }
    guard !gone.isEmpty else { return }
    runs.removeAll { !listed.contains($0.descriptor.identifier) }
    replacedRuns += gone
  }

  /// Lets the runs go that the manifest on disk does not list any more.
  func retireUnlistedRuns() {
    replaceUnlistedRuns()
    for run in replacedRuns { run.retire(ownership) }
    replacedRuns = []
    isManifestBehind = false
  }

  /// Removes the files of runs that the manifest does not list, also with numbers above its mark:
  /// nothing is lost with them. Those out of reach of it are left, as are segments.
  func sweepRuns(_ names: [String], above mark: UInt32) {
    let listed = Set(manifest.runs.map(\.identifier))
    for name in names {
      guard let identifier = StoreDirectory.runIdentifier(of: name),
        identifier.rawValue < LogLimits.segmentIdentifier - 1, !listed.contains(identifier)
      else { continue }
      if LogLimits.isOutOfReach(identifier.rawValue, of: mark) {
        foreignNumbers.append(identifier.rawValue)
        continue
      }
      manifest.nextSegment = max(manifest.nextSegment, identifier.rawValue + 1)
      ownership.remove(StoreDirectory.run(identifier))
    }
  }

  /// Asks a log with threads to merge its indexes where it has `count` or more, the runs of ranges
  /// not counted, which are one together.
  func maintainIndexes(ifAtLeast count: Int) {
    guard configuration.maintenance == .background,
      currentIndex().sources.count(where: { !$0.isRanged }) >= count
    else { return }
    maintainIndexes()
  }

  /// Does, or asks for, the merging that newly sealed segments make necessary.
  ///
  /// Indexes are derived, so a merge that fails fails nothing else; the next one tries again.
  func maintainIndexes() {
    switch configuration.maintenance {
    case .none: return
    case .inline: while maintenance.mergeInline(self) {}
    case .background: maintenance.schedule(self)
    }
  }
}
