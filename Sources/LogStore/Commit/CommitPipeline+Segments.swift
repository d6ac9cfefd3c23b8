internal import BinaryCoding
internal import FileIO

/// Beginning, sealing and replacing the active segment. Called under the pipeline's lock.
///
/// Segment N is sealed and synchronized, and the manifest says so, before N + 1 may hold a commit:
/// so only the newest segment can be torn.
extension CommitPipeline {
  /// The active segment, with room for frames of such a group.
  func activeSegment(for group: GroupSize) throws(LogError) -> ActiveSegment {
    try putInOrder()
    if let active {
      let needed = active.writer.end + UInt64(group.byteCount)
      // A frame may reach beyond the target by half, so that large commits fill their segments.
      let target = segmentByteCountTarget
      let isFull =
        active.account.descriptor.recordCount > 0
        && (active.writer.end >= target || needed > target + target / 2
          || table.indexByteCount(
            addingRecords: group.recordCount, byteCount: group.recordByteCount)
            > configuration.indexByteCountMaximum)
      let isTooOld = group.needsDictionaries && !active.writer.header.mayNeedDictionaries
      if mustRotate || isFull || isTooOld {
        try rotate(beginNext: true)
        maintainIndexes()
      }
    } else {
      try rotate(beginNext: true)
      // Left side by side by whoever wrote the store last; who only reads it changes nothing.
      maintainIndexes(ifAtLeast: IndexMergePolicy.fanInSideBySide)
    }
    // Merging may have found that nothing can be made durable any more.
    try checkWritable()
    guard let active else { preconditionFailure("rotation must leave an active segment") }
    return active
  }

  /// The size at which a segment is sealed: a 44th of the store, or room for a series of large
  /// commits, within the configured bounds.
  var segmentByteCountTarget: UInt64 {
    let target = max(configuration.segmentByteCountMinimum, sealedByteCount / 44)
    return min(
      max(target, seriesByteCount), configuration.segmentByteCountMaximum,
      LogLimits.segmentByteCount / 2)
  }

  /// What the next segment is to have room for, by the commits of the one before: sealing costs as
  /// much as several large ones. So there is room for 32 like the largest; on account of that, in
  /// two of the smallest segments at most, or four where they are a quarter of the store.
  private func seriesByteCount(after largestCommit: Int) -> UInt64 {
    guard largestCommit >= Self.largeCommitByteCount else { return 0 }
    // No target is above half of what a segment can have.
    let minimum = min(configuration.segmentByteCountMinimum, LogLimits.segmentByteCount)
    return min(32 * UInt64(largestCommit), max(2 * minimum, sealedByteCount / 4), 4 * minimum)
  }

  private static let largeCommitByteCount = 64 << 10

  /// Seals the active segment, if there is one, and begins the next when asked to.
  ///
  /// 1. Write the footer behind the records. 2. Create the next segment's file. 3. Write the next
  /// manifest. 4. Synchronize the sealed segment. 5. Write the next one's header, and synchronize
  /// that: where it stands, what is before it is durable. 6. Put the manifest in force. 7. Publish.
  /// Until 6 everything is as it was; a crash loses nothing. After a failure the active segment
  /// goes on, as far as that is safe: where there is no room for the rest, commits have some.
  func rotate(beginNext: Bool) throws(LogError) {
    // A commit that comes here took the lock without publishing what lags.
    catchUp()
    let hadTo = mustRotate
    mustRotate = true
    do throws(LogError) { try exchangeActive(beginNext: beginNext) } catch {
      if !hadTo { takeBackFooter() }
      throw error
    }
  }

  /// Has commits go on where the active segment's records end, behind which a footer may lie that
  /// no manifest knows of; not after a failed synchronization or write.
  private func takeBackFooter() {
    guard poison == nil, let active, active.writer.isTailTrusted else { return }
    do throws(FileIOError) {
      try active.writer.removeFooter()
      mustRotate = false
    } catch {}
  }

  private func exchangeActive(beginNext: Bool) throws(LogError) {
    seriesByteCount = seriesByteCount(after: largestCommitByteCount)
    var next = manifest
    var newlySealed: Segment?
    if let active {
      if active.account.descriptor.recordCount > 0 {
        newlySealed = try seal(active, into: &next)
      } else {
        next.segments.removeAll { $0.identifier == active.segment.identifier }
      }
    }
    let created = beginNext ? try create(into: &next) : nil
    let full = newlySealed == nil ? nil : active
    let durableBefore = durableSequence
    // True when the manifest that says it is in force.
    if full != nil { durableSequence = lastSequence }
    do throws(LogError) {
      try replaceManifest(&next, activeDescriptor: created?.account.descriptor) {
        () throws(ManifestFile.Failure) in
        try Self.settle(full, before: created)
      }
    } catch {
      durableSequence = durableBefore
      if let created { discard(created) }
      throw error
    }
    if let newlySealed {
      active?.segment.endWriting()
      sealed = View.ordered(sealed + [newlySealed])
      accounts[newlySealed.identifier]?.descriptor = descriptor(newlySealed.identifier, in: next)
      noteSealed(newlySealed)
    } else if let active {
      accounts[active.segment.identifier] = nil
      active.segment.retire(ownership)
    }
    install(created)
  }

  /// Makes a full segment durable, and then the header of the one that follows.
  private static func settle(
    _ full: ActiveSegment?, before created: ActiveSegment?
  ) throws(ManifestFile.Failure) {
    if let full, !PlantedBug.sealedUnsynchronized.isPlanted {
      try ManifestFile.Failure.synchronizing(full.writer.file)
    }
    guard let created else { return }
    do throws(FileIOError) {
      try created.writer.writeHeader()
    } catch { throw ManifestFile.Failure(cause: error, isAmbiguous: false) }
    try ManifestFile.Failure.synchronizing(unlisted: created.writer.file)
  }

  private func install(_ created: ActiveSegment?) {
    active = created
    if let created { accounts[created.segment.identifier] = created.account }
    replacements = PendingReplacements(worker: commitWorker)
    watchReplacements()
    table = MemoryTable()
    publishableTable = nil
    largestCommitByteCount = 0
    mustRotate = false
    reserve.becomeDue()
    publish()
    if created != nil { configuration.mayCompact?() }
  }

  /// Deletions and small records make much dead before a segment is full.
  func watchReplacements() {
    guard let mayCompact = configuration.mayCompact else { return }
    replacements.tell(ofEach: segmentByteCountTarget, mayCompact)
  }

  private func descriptor(
    _ identifier: SegmentIdentifier, in manifest: Manifest
  ) -> SegmentDescriptor {
    guard let found = manifest.segments.first(where: { $0.identifier == identifier }) else {
      preconditionFailure("a segment that was just sealed must be in the manifest")
    }
    return found
  }

  private func seal(
    _ active: ActiveSegment, into next: inout Manifest
  ) throws(LogError) -> Segment {
    let table = table.publish()
    let footer = SegmentFooter.encode(table, salt: active.segment.salt)
    try LogLimits.checkFooter(byteCount: footer.count)
    do throws(FileIOError) {
      try active.writer.appendFooter(
        footer.bytes, lastSequence: lastSequence, durableSequence: durableSequence)
    } catch { throw .fileIO(error) }
    activity.footerByteCount.add(footer.count)
    active.account.measuredIndexByteCount = UInt64(footer.count)
    if reserve.isGivenUp { reserve.spend(UInt64(footer.count)) }
    var descriptor = active.account.descriptor
    descriptor.dataEnd = active.writer.end
    descriptor.closingHash = active.writer.lastHash
    descriptor.heads = table.heads
    next.segments.removeAll { $0.identifier == descriptor.identifier }
    next.segments.append(descriptor)
    next.lastUserSegment = descriptor.identifier.rawValue
    next.lastUserHash = descriptor.closingHash
    return Segment(
      descriptor, store: store, directory: directory, readMode: configuration.readMode,
      dictionaries: dictionaries, observer: configuration.observer, predecessor: active.segment)
  }

  /// Creates the file of the next segment; not durable, without a header, and not in the manifest.
  private func create(into next: inout Manifest) throws(LogError) -> ActiveSegment {
    try LogLimits.checkNextSegment(segmentCount: next.segments.count)
    let header = SegmentHeader(
      store: store, segment: try takeIdentifier(), stream: .user,
      salt: configuration.randomSource.next(), predecessor: next.lastUserSegment,
      predecessorHash: next.lastUserHash,
      firstSequence: CommitSequence(lastSequence.rawValue + 1))
    return try createEmpty(header)
  }

  /// Creates a user segment that is in no manifest yet; header and name are durable.
  func begin(_ header: SegmentHeader) throws(LogError) -> ActiveSegment {
    let begun = try createEmpty(header)
    do throws(FileIOError) { try begun.writer.writeHeader() } catch {
      discard(begun)
      throw .fileIO(error)
    }
    do throws(LogError) { try synchronize(unlisted: begun.writer.file) } catch {
      discard(begun)
      throw error
    }
    try synchronizeDirectory()
    return begun
  }

  private func createEmpty(_ header: SegmentHeader) throws(LogError) -> ActiveSegment {
    var header = header
    // Parts of large commits are large themselves.
    if configuration.hasShortFrames, !header.holdsParts { header.allowShortFrames() }
    let plan = plan(header)
    let writer: SegmentWriter
    do throws(FileIOError) {
      writer = try SegmentWriter.createEmpty(
        plan.header, in: directory, allocationByteCount: plan.allocationByteCount)
    } catch { throw .fileIO(error) }
    if configuration.writeMode == .mapped { writer.file.mapAppends(preparedBy: commitWorker) }
    if header.mayHaveShortFrames { manifest.usesShortFrames = true }
    return activeSegment(plan, writer)
  }

  /// What a file needs to be created, when the lock is not held any more.
  struct SegmentPlan {
    let header: SegmentHeader
    let allocationByteCount: UInt64
    /// How much of the file may be mapped to read what was just written; 0 where nobody does.
    let aheadByteCount: Int
  }

  /// The plan for a segment with `header`, as the store is now; under the lock.
  func plan(_ header: SegmentHeader) -> SegmentPlan {
    var header = header
    if manifest.usesDictionaries { header.allowDictionaries() }
    let target = segmentByteCountTarget
    // The last frame may reach beyond the target by half; parts of commits fill larger segments.
    let end =
      header.holdsParts
      ? min(configuration.segmentByteCountMaximum, LogLimits.segmentByteCount) : target
    return SegmentPlan(
      header: header,
      allocationByteCount: min(reserve.isGivenUp ? 64 << 10 : 4 << 20, max(4 << 10, target / 4)),
      aheadByteCount: header.stream == .user ? Int(end + end / 2) : 0)
  }

  /// Creates the file; its name is not durable yet.
  func create(_ plan: SegmentPlan) throws(FileIOError) -> SegmentWriter {
    try SegmentWriter.create(
      plan.header, in: directory, allocationByteCount: plan.allocationByteCount)
  }

  /// The empty segment of a file.
  func activeSegment(_ plan: SegmentPlan, _ writer: SegmentWriter) -> ActiveSegment {
    let header = plan.header
    let descriptor = SegmentDescriptor(
      active: header.segment, stream: header.stream, salt: header.salt)
    let segment = Segment(
      descriptor, store: store, directory: directory, readMode: configuration.readMode,
      dictionaries: dictionaries, file: writer.file,
      aheadByteCount: plan.aheadByteCount, observer: configuration.observer)
    return ActiveSegment(writer: writer, segment: segment, account: SegmentAccount(descriptor))
  }

  /// Lets the file of a segment go that was created and will not be listed.
  ///
  /// Otherwise each try on a full disk would leave a file until the store is opened again. After a
  /// failed synchronization the manifest that lists it may be in force, so it stays.
  func discard(_ created: ActiveSegment) {
    if poison == nil { created.segment.retire(ownership) }
  }

  func synchronizeDirectory() throws(LogError) {
    do throws(FileIOError) {
      try directory.synchronize()
    } catch {
      poison = error
      throw .fileIO(error)
    }
  }

  /// An identifier that no file of the store has had; it is used up whether its file is created or
  /// not.
  func takeIdentifier() throws(LogError) -> SegmentIdentifier {
    while foreignNumbers.contains(manifest.nextSegment) { manifest.nextSegment += 1 }
    // The next one must still be below the limit: a manifest that names it would be refused.
    let maximum = LogLimits.segmentIdentifier - 2
    guard manifest.nextSegment <= maximum else {
      throw .limitExceeded(
        name: "segments ever created", maximum: UInt64(maximum),
        actual: UInt64(manifest.nextSegment))
    }
    defer { manifest.nextSegment += 1 }
    return SegmentIdentifier(manifest.nextSegment)
  }

  /// Writes `next`, completed with the current totals, as the store's manifest; `settle` makes
  /// durable what was written for it, before it is in force.
  ///
  /// A failure before the rename leaves the old manifest in force. One after it leaves either in
  /// force, so nothing more may be written: the log is poisoned.
  func replaceManifest(
    _ next: inout Manifest, activeDescriptor: SegmentDescriptor?,
    settling settle: (() throws(ManifestFile.Failure) -> Void)? = nil
  ) throws(LogError) {
    try complete(&next, activeDescriptor: activeDescriptor)
    if configuration.notesSessions { next.note(session) }
    let bytes = next.encode()
    // What no reader would accept must not take the place of what all do.
    try LogLimits.check(next, byteCount: bytes.count)
    // Only what is known of the manifest that is still there tells whether a copy is whole.
    if needsSweep { try BackupRecord.finish(in: directory) }
    do throws(ManifestFile.Failure) {
      try ManifestFile.replace(
        with: bytes, in: directory, hasNewNames: settle != nil || hasNewRunNames, settling: settle)
    } catch {
      if error.isAmbiguous { poison = error.cause }
      throw .fileIO(error.cause)
    }
    manifest = next
    manifestByteCount = UInt64(bytes.count)
    isManifestRebuilt = false
    hasNewRunNames = false
    retireUnlistedRuns()
  }

  /// Gives the next manifest its number, the current totals and the active segment.
  func complete(
    _ next: inout Manifest, activeDescriptor: SegmentDescriptor?
  ) throws(LogError) {
    try settleReplacements()
    next.generation = manifest.generation + 1
    next.nextSegment = manifest.nextSegment
    next.usesShortFrames = manifest.usesShortFrames
    next.lastSequence = lastSequence
    next.durableSequence = durableSequence
    next.activeSegment = activeDescriptor?.identifier
    for index in next.segments.indices {
      let segment = next.segments[index]
      precondition(
        segment.isSealed || segment.identifier == activeDescriptor?.identifier,
        "no manifest may list an open segment that is not the active one")
      if segment.isSealed, let account = accounts[segment.identifier] {
        next.segments[index].live = account.descriptor.live
      }
    }
    if !configuration.notesHeads { next.forgetHeads() }
    if let activeDescriptor {
      next.segments.removeAll { $0.identifier == activeDescriptor.identifier }
      next.segments.append(activeDescriptor)
    }
    next.segments.sort { $0.identifier < $1.identifier }
    next.dropUselessRuns()
  }
}
