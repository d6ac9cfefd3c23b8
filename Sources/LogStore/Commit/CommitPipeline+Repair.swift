internal import BinaryCoding
internal import FileIO

/// What the first write does after a store was not closed. Called under the pipeline's lock.
extension CommitPipeline {
  /// Does what the first write owes the directory; costs nothing after that.
  func putInOrder() throws(LogError) {
    if needsSweep { try checkHeaders() }
    if isManifestRebuilt { try replaceRebuiltManifest() }
    if needsSweep { try sweep() }
    if needsRepair != nil { try withinReserve { () throws(LogError) in try repair() } }
  }

  /// Refuses to write a store of which a sealed segment asks for a newer writer; changes nothing.
  private func checkHeaders() throws(LogError) {
    for segment in sealed { try segment.checkWritable() }
  }

  /// Puts a manifest that was rebuilt in force before anything is removed that it was made from.
  ///
  /// 1. Where the store is a copy, let it say that it is finished: a missing manifest would not.
  /// 2. Keep the damaged manifest aside. 3. Copy the tail, which writes the new one, or write it. A
  /// crash between the two leaves none, and the next opening rebuilds it again.
  private func replaceRebuiltManifest() throws(LogError) {
    try withinReserve { () throws(LogError) in
      try BackupRecord.finish(in: directory, besideDamagedManifest: true)
    }
    do throws(FileIOError) {
      try directory.rename(StoreDirectory.manifest, to: StoreDirectory.damagedManifest)
    } catch {
      if error.reason != .notFound { throw .fileIO(error) }
    }
    guard needsRepair == nil else {
      return try withinReserve { () throws(LogError) in try repair() }
    }
    // Without a tail the last commit was a large one: nothing says that its segments were durable.
    for segment in sealed {
      let file: any File
      do throws(FileIOError) { file = try directory.open(segment.name, .read) } catch {
        throw .fileIO(error)
      }
      try synchronize(file)
    }
    try synchronizeDirectory()
    try withinReserve { () throws(LogError) in
      var next = manifest
      try replaceManifest(&next, activeDescriptor: nil)
    }
  }

  /// Removes files that a crash left: segments below the manifest's mark that it does not list, and
  /// what a backup was copying. A crash may also have kept a copy from saying that it is finished.
  ///
  /// The directory is synchronized first: the manifest that was read may be known to the operating
  /// system only, and what it does not list may go only when it is durable itself.
  /// Identifiers at or above the mark are skipped, never removed: the manifest may be the older one
  /// of a restored backup. The next manifest raises the mark above them, but for those out of reach
  /// of it, as long as they are, which no such store has: one file with a high number would use up
  /// all others.
  func sweep() throws(LogError) {
    if !PlantedBug.sweptBeforeManifestDurable.isPlanted { try synchronizeDirectory() }
    let mark = manifest.nextSegment
    let names = try directory.names()
    let listed = Set(manifest.segments.map(\.identifier))
    sweepRuns(names, above: mark)
    for unfinished in [StoreDirectory.newCopy, StoreDirectory.newBackup]
    where names.contains(unfinished.description) {
      ownership.remove(unfinished)
    }
    if names.contains(StoreDirectory.backup.description) {
      try withinReserve { () throws(LogError) in try BackupRecord.finish(in: directory) }
    }
    for name in names {
      guard let identifier = StoreDirectory.segmentIdentifier(of: name),
        !listed.contains(identifier), identifier.rawValue < LogLimits.segmentIdentifier - 1
      else { continue }
      if identifier.rawValue >= mark {
        if LogLimits.isOutOfReach(identifier.rawValue, of: mark) {
          foreignNumbers.append(identifier.rawValue)
          continue
        }
        if PlantedBug.identifierUsedAgain.isPlanted { continue }
        manifest.nextSegment = max(manifest.nextSegment, identifier.rawValue + 1)
        continue
      }
      // One that cannot be removed is in nobody's way: its identifier is never used again.
      ownership.remove(StoreDirectory.segment(identifier))
    }
    needsSweep = false
  }

  /// Copies what was recovered to a new segment, so that nothing rests on a repaired tail.
  ///
  /// 1. Create the next segment and write the valid frames to it, at the same offsets, with headers
  ///    of its own. 2. Synchronize it. 3. Replace the manifest: the new segment is active, the old
  ///    one is gone. 4. Publish. The old file is removed when its last reader lets go. Costs one
  ///    copy of at most a segment, once after a crash.
  func repair() throws(LogError) {
    guard let tail = needsRepair else { return }
    var next = manifest
    next.segments.removeAll { $0.identifier == tail.segment.identifier }
    var header = tail.header
    header.segment = try takeIdentifier()
    header.salt = configuration.randomSource.next()
    let created = try begin(header)
    var descriptor = tail.account.descriptor
    descriptor.identifier = header.segment
    descriptor.salt = header.salt
    created.account.descriptor = descriptor
    let durableBefore = durableSequence
    do throws(LogError) {
      try copyFrames(of: tail, to: created.writer)
      if !PlantedBug.repairUnsynchronized.isPlanted {
        try synchronize(unlisted: created.writer.file)
      }
      durableSequence = lastSequence
      try replaceManifest(&next, activeDescriptor: descriptor)
    } catch {
      // Only the copy was synchronized, and it does not count.
      durableSequence = durableBefore
      discard(created)
      throw error
    }
    accounts[tail.segment.identifier] = nil
    accounts[header.segment] = created.account
    tail.segment.retire(ownership)
    active = created
    needsRepair = nil
    publish()
    configuration.observer?.observe(.repaired(header.segment))
  }

  private func copyFrames(of tail: RecoveredTail, to writer: SegmentWriter) throws(LogError) {
    let file = try tail.segment.openFile()
    let (header, headerBytes) = try tail.segment.checkedHeader(of: file)
    do throws(FileIOError) {
      var scanner = try headerBytes.withBytes {
        (bytes: UnsafeRawBufferPointer) throws(FileIOError) in
        try FrameScanner(file, of: header, bytes, limit: tail.end)
      }
      while case .frame(let frame) = try scanner.next() {
        let bodyOffset = try writer.append(
          SegmentWriter.Frame(
            body: frame.body, firstSequence: frame.header.firstSequence,
            recordCount: Int(frame.header.recordCount), flags: frame.header.flags,
            form: frame.header.form),
          durableSequence: max(durableSequence, frame.header.durableSequence))
        precondition(bodyOffset == frame.bodyOffset, "a copied frame must keep its place")
      }
    } catch { throw .fileIO(error) }
    guard writer.end == tail.end else {
      throw tail.segment.damage(
        at: writer.end, "the frames read when the store was opened have changed since")
    }
  }

  /// Seals the active segment, with the help of the reserve when the disk is full.
  func sealWithinReserve() throws(LogError) {
    try withinReserve { () throws(LogError) in try rotate(beginNext: false) }
  }

  /// Seals what is open and gives the lock back; the store must not be used afterwards.
  func close() throws(LogError) {
    guard !isClosed else { return }
    defer {
      isClosed = true
      ownership.end()
    }
    guard configuration.access == .readWrite else { return }
    if let poison {
      // Commits that need not be durable at once were acknowledged, and are not durable now.
      if view.lastSequence > durableSequence { throw .poisoned(cause: poison) }
      return
    }
    if needsRepair != nil, active == nil { return }
    if active != nil { return try sealWithinReserve() }
    // Without it the merges are done again.
    do throws(LogError) { try listMergedRuns() } catch {}
  }
}
