internal import FileIO

extension CommitPipeline {
  /// Commits a transaction that was written to segments of its own: all of them become part of the
  /// store, or none; durable on return. Calls `committed` when they do, before anybody sees it.
  /// Called under the lock.
  func publish(_ spill: TransactionSpill, _ committed: () -> Void) throws(LogError) {
    var next = manifest
    let descriptors = spill.sealed.compactMap { spill.accounts[$0.identifier]?.descriptor }
    next.segments.append(contentsOf: descriptors)
    next.lastUserSegment = spill.chainEnd.segment
    next.lastUserHash = spill.chainEnd.hash
    let before = (accounts, lastSequence, durableSequence)
    accounts = spill.accounts
    lastSequence = spill.lastSequence
    durableSequence = lastSequence
    do throws(LogError) {
      try replaceManifest(&next, activeDescriptor: nil)
    } catch {
      (accounts, lastSequence, durableSequence) = before
      if error.isDiskFull { noteRefused(spill.writtenByteCount) }
      throw diskFull(error, needed: nil)
    }
    committed()
    sealed = View.ordered(sealed + spill.sealed)
    if let noted = spill.watch { watch?.add(noted) }
    deadRanges?.willPublish(upTo: lastSequence)
    publish()
    noteSpilled(spill, after: before.1)
    maintainIndexes()
    reserve.noteRoom(for: spill.writtenByteCount)
    reserve.becomeDue()
    lookAfterReserve()
    configuration.mayCompact?()
  }
}
