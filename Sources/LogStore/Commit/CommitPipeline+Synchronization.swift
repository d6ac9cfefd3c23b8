internal import FileIO

/// Making commits durable, and visible once they are.
///
/// Commits are appended under the writer's lock and synchronized outside it, so that others append
/// meanwhile. What waits for its synchronization is the head: later writers build on it, readers do
/// not see it yet.
extension CommitPipeline {
  /// A state that will be published when the file is synchronized.
  private struct Synchronization {
    let file: any File
    let table: PublishedTable
    let sequence: CommitSequence
  }

  /// Whether commits were appended that must not be seen before they are durable.
  var hasUnpublished: Bool { lastSequence > view.lastSequence }

  /// Returns when everything up to `sequence` is durable and visible; not under the lock.
  ///
  /// Threads that wait at the same time share one synchronization.
  func waitUntilDurable(_ sequence: CommitSequence, callerCount: Int = 1) throws(LogError) {
    try gate.wait(for: sequence, callerCount: callerCount) { () throws(LogError) in
      try synchronizeHead(for: sequence)
    }
  }

  /// Synchronizes what was appended so far and publishes it, unless `sequence` is durable already;
  /// says how far everything is durable.
  private func synchronizeHead(for sequence: CommitSequence) throws(LogError) -> CommitSequence {
    guard let next = try beginSynchronization(for: sequence) else { return publishDurable() }
    var failure: FileIOError?
    do throws(FileIOError) { try next.file.synchronize() } catch { failure = error }
    enter("a synchronization")
    defer { leave() }
    if let failure {
      if !PlantedBug.failedSynchronizationForgiven.isPlanted { poison = poison ?? failure }
      throw .fileIO(failure)
    }
    durableSequence = max(durableSequence, next.sequence)
    // A seal may have published more meanwhile.
    if next.sequence > view.lastSequence { publish(next.table, next.sequence) }
    return durableSequence
  }

  /// The newest record that was appended; from any thread.
  func appendedSequence() -> CommitSequence {
    enter("a synchronization")
    defer { leave() }
    return lastSequence
  }

  /// Publishes what became durable otherwise, if that was not published then.
  private func publishDurable() -> CommitSequence {
    enter("a synchronization")
    defer { leave() }
    if hasUnpublished, !awaitsSynchronization { publish() }
    return durableSequence
  }

  private func beginSynchronization(
    for sequence: CommitSequence
  ) throws(LogError) -> Synchronization? {
    enter("a synchronization")
    defer { leave() }
    try payDirectory()
    // Sealing and compaction make commits durable, too; what fails for later ones does not matter.
    guard durableSequence < sequence else { return nil }
    try checkWritable()
    try putInOrder()
    guard durableSequence < sequence else { return nil }
    guard let active else {
      // Segments are synchronized before a manifest lists them as sealed.
      durableSequence = lastSequence
      return nil
    }
    active.writer.file.unmapAppends()
    return Synchronization(
      file: active.writer.file, table: headTable(), sequence: lastSequence)
  }

  /// Whether the manifest that was read when the log was opened may be known to the operating
  /// system only, or is not in force yet: then what it says of durable commits is not true yet.
  private var owesDirectory: Bool {
    needsSweep && !isDirectoryDurable && configuration.access == .readWrite && !isClosed
  }

  /// Makes true what the manifest says that was read; once, and nothing after the first write.
  private func payDirectory() throws(LogError) {
    guard owesDirectory else { return }
    try checkWritable()
    // Putting a manifest in force synchronizes the directory, too.
    if isManifestRebuilt { return try putInOrder() }
    try synchronizeDirectory()
    isDirectoryDurable = true
  }

  /// Makes all commits durable and visible; called under the lock.
  func synchronizeAll() throws(LogError) {
    try checkWritable()
    try payDirectory()
    guard durableSequence < lastSequence else { return }
    try putInOrder()
    guard let active else { return }
    try synchronize(active.writer.file)
    durableSequence = lastSequence
    if hasUnpublished { publish() }
  }

  /// Synchronizes a file; a failure poisons the log, because nothing is known afterwards. Called
  /// under the lock.
  func synchronize(_ file: any File) throws(LogError) {
    file.unmapAppends()
    do throws(FileIOError) {
      try file.synchronize()
    } catch {
      poison = error
      throw .fileIO(error)
    }
  }

  /// Synchronizes the file of a segment that no manifest lists; called under the lock.
  ///
  /// Some file systems find out here that there is no room. Nothing but the file is in doubt then:
  /// the caller lets it go, and no other failure than that of a full disk is left behind.
  func synchronize(unlisted file: any File) throws(LogError) {
    file.unmapAppends()
    do throws(FileIOError) {
      try file.synchronize()
    } catch {
      if error.reason != .noSpace { poison = error }
      throw .fileIO(error)
    }
  }

  /// The newest state, for writers to build on; called under the lock.
  var head: View { hasUnpublished ? makeView(headTable(), lastSequence) : view }

  /// The table as it is now, made immutable once for all that ask before the next commit; under the
  /// lock when nothing lags, or where what lags is published.
  func headTable() -> PublishedTable {
    if let kept = publishableTable { return kept }
    let made = table.publish()
    publishableTable = made
    return made
  }

  /// Whether a commit must be durable before it, or one that follows it, may be seen.
  var awaitsSynchronization: Bool { promisedSequence > durableSequence }

  /// Publishes the current segments, and all commits but those that must be durable first.
  func publish() {
    if awaitsSynchronization {
      publish(view.table, view.lastSequence)
    } else {
      publish(headTable(), lastSequence)
    }
  }

  private func publish(_ table: PublishedTable, _ sequence: CommitSequence) {
    replacePublished(with: makeView(table, sequence))
  }

  /// Called where ``headTable()`` may be.
  func makeView(_ table: PublishedTable, _ sequence: CommitSequence) -> View {
    View(
      table: table, active: active?.segment, beneath: currentIndex(), lastSequence: sequence,
      deadRanges: deadRanges)
  }

  /// Of the sealed segments and runs as they are.
  func currentIndex() -> SealedIndex {
    if let sealedIndex { return sealedIndex }
    let made = SealedIndex(sealed, runs: runs)
    sealedIndex = made
    return made
  }
}
