internal import FileIO

/// Merging indexes: what needs the pipeline's lock, and is called under it.
extension CommitPipeline {
  /// A merge that `goal` asks for; nothing when there is none to do.
  func beginMerge(
    _ goal: IndexMergePolicy.Goal, keyCountMaximum: UInt64
  ) throws(LogError) -> IndexMerge? {
    try checkWritable()
    // On a full disk what is left is for others.
    if reserve.isGivenUp, goal != .single { return nil }
    // A run that was found damaged since is not among the sources of an index made now.
    let sources = SealedIndex(sealed, runs: runs).sources
    let plan = IndexMergePolicy.plan(
      IndexExtent.extents(of: sources), goal: goal, keyCountMaximum: keyCountMaximum)
    if plan.isEmpty { return nil }
    return IndexMerge(
      view: view, sources: plan.map { sources[$0] },
      identifier: RunIdentifier(try takeIdentifier().rawValue),
      salt: configuration.randomSource.next(), directory: directory, ownership: ownership)
  }

  /// Lists a merged run, and drops the runs that it replaces and those that are damaged.
  ///
  /// Segments of it that compaction replaced meanwhile are harmless; when none is left it is not
  /// listed at all. A failure leaves everything as it was, but for one that poisons the log.
  func publish(_ descriptor: RunDescriptor, of merge: IndexMerge) throws(LogError) {
    let listed = Set(sealed.map(\.identifier))
    do throws(LogError) {
      try checkWritable()
      guard descriptor.segments.contains(where: listed.contains) else { return merge.remove() }
      // The manifest counts every record up to the last one, so none of them may be lost.
      try synchronizeAll()
      var next = manifest
      let covered = Set(descriptor.segments).intersection(listed)
      let damaged = Set(runs.filter(\.isDamaged).map(\.descriptor.identifier))
      next.runs.removeAll {
        damaged.contains($0.identifier)
          || covered.isSuperset(of: Set($0.segments).intersection(listed))
      }
      next.runs.append(descriptor)
      try replaceManifest(&next, activeDescriptor: active?.account.descriptor)
    } catch {
      // When it is not certain which manifest is in force, the file must stay.
      if poison == nil || isClosed { merge.remove() }
      throw error
    }
    activity.mergeCount.add(1)
    runs.append(
      MergedRun(
        descriptor, in: directory, readMode: configuration.readMode, cache: pageCache))
    publish()
  }

  /// Lets the runs go that the manifest does not list any more.
  func retireUnlistedRuns() {
    guard !runs.isEmpty else { return }
    let listed = Set(manifest.runs.map(\.identifier))
    let gone = runs.filter { !listed.contains($0.descriptor.identifier) }
    guard !gone.isEmpty else { return }
    runs.removeAll { !listed.contains($0.descriptor.identifier) }
    for run in gone { run.retire(ownership) }
  }

  /// Removes the files of runs that the manifest does not list, whatever their numbers: nothing is
  /// lost with them.
  func sweepRuns(_ names: [String]) {
    let listed = Set(manifest.runs.map(\.identifier))
    for name in names {
      guard let identifier = StoreDirectory.runIdentifier(of: name),
        identifier.rawValue < LogLimits.segmentIdentifier - 1, !listed.contains(identifier)
      else { continue }
      manifest.nextSegment = max(manifest.nextSegment, identifier.rawValue + 1)
      ownership.remove(StoreDirectory.run(identifier))
    }
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
