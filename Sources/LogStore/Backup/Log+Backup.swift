public import FileIO

extension Log {
  /// Copies the store to the directory at `path` while others read and write it.
  ///
  /// The copy is a store of its own, in the state of one moment, and can be opened and verified.
  /// What was committed until then is made durable here, too, so that no crash takes from the store
  /// what its backup has. When an earlier backup of this store lies there, only what is new is
  /// copied, and that backup stays whole until the new one takes its place. Each file that is
  /// copied is read again and verified first; damage ends the backup and leaves the earlier one as
  /// it was. Where none lies, damaged files are copied as they are, and the report lists them.
  ///
  /// A backup is not replaced that was written to or compacted since it was made, that holds a
  /// later state, or that is of another lineage: a store that was restored from an older backup, or
  /// salvaged, replaces no newer one. Nor are segments without a manifest, which may be all that is
  /// left of a store; what an interrupted backup left is. Of that each segment is kept that was
  /// verified when it was copied, or is now where nothing tells, and the others are removed before
  /// their room is needed: runs that are ended add up when each has time for the damaged segments,
  /// and for one more. Until the first one has ended nobody opens what lies there:
  /// ``LogError/unfinishedCopy(path:)``. Files are copied, never linked: a link would share every
  /// flipped bit; where the file system can, they share blocks until one changes. Indexes are not
  /// copied but for footers. Durable on return.
  ///
  /// A log beside a writer copies what it shows; ``refresh()`` first, and again when the writer has
  /// removed what is to be copied.
  /// - Parameter progress: told the bytes done and those of all files, after each MiB or so; ends
  ///   the backup by returning false, which leaves an earlier one as it was.
  /// - Returns: what was copied; nothing when `progress` ended it.
  /// - Throws: ``LogError/copyRefused(path:reason:)`` when something else lies there, or the path
  ///   is that of the store or leads into it, as far as both tell,
  ///   ``LogError/corruption(_:)`` when what is new is damaged and an earlier backup lies there, or
  ///   when a file cannot be read,
  ///   ``LogError/storeIsInUse(path:holder:)`` when the backup is open,
  ///   ``LogError/storeIsBusy(path:)`` when a writer removed a file meanwhile,
  ///   ``LogError/fileIO(_:)``.
  @discardableResult
  public func backup(
    to path: String, fileSystem: any FileSystem = POSIXFileSystem(),
    progress: (UInt64, UInt64) -> Bool = { _, _ in true }
  ) throws(LogError) -> BackupReport? {
    let own = pipeline.directory.path
    // Elsewhere the same path is another place.
    if fileSystem is POSIXFileSystem, Self.leads(path, into: own) {
      let isSame = Self.leads(own, into: path)
      throw .copyRefused(
        path: path, reason: isSame ? "it is the store itself" : "it lies in the store")
    }
    return try copy(to: path, as: .backup, fileSystem: fileSystem, progress: progress)
  }

  /// The names that a path leads through, as it is written: links are not followed.
  private static func parts(of path: String) -> [Substring] {
    var parts: [Substring] = path.hasPrefix("/") ? ["/"] : []
    for part in path.split(separator: "/") where part != "." {
      if part == "..", let last = parts.last, last != ".." {
        // Nothing is above the root.
        if last != "/" { parts.removeLast() }
      } else {
        parts.append(part)
      }
    }
    return parts
  }

  /// Whether `path` is that of a directory, or leads into it; of relative ones as far as they tell.
  static func leads(_ path: String, into directory: String) -> Bool {
    let (place, own) = (parts(of: path), parts(of: directory))
    guard (place.first == "/") == (own.first == "/") else { return false }
    func leadsUp(_ parts: [Substring]) -> Int { parts.prefix { $0 == ".." }.count }
    // All below where the process is lies below the directories that this lies in.
    if leadsUp(own) == own.count { return leadsUp(place) <= own.count }
    return place.starts(with: own)
  }

  /// Puts a backup back: verifies every byte of it, copies it to a new directory at `path`, and
  /// verifies what was copied. Damage of what is made from records, as indexes are, is reported.
  ///
  /// One that was interrupted is finished by the next to the same directory, which keeps what it
  /// copied whole; nobody opens what it left. Nobody can write to the backup meanwhile.
  /// `threadCount` threads verify; more of them need the memory of as many segments' indexes.
  /// - Parameter progress: told the bytes done and those of all that is to be verified and copied.
  /// - Returns: what was copied; nothing when `progress` ended it by returning false.
  /// - Throws: ``LogError/corruption(_:)`` when the backup does not verify: see ``LogSalvage``;
  ///   ``LogError/copyRefused(path:reason:)`` when a store lies at `path`,
  ///   ``LogError/unfinishedCopy(path:)`` when the backup is none that was finished,
  ///   ``LogError/storeIsInUse(path:holder:)`` when somebody writes to one of them,
  ///   ``LogError/storeNotFound(path:)``, ``LogError/fileIO(_:)``.
  @discardableResult
  public static func restore(
    _ backup: String, to path: String, fileSystem: any FileSystem = POSIXFileSystem(),
    threadCount: Int = 1, progress: (UInt64, UInt64) -> Bool = { _, _ in true }
  ) throws(LogError) -> BackupReport? {
    // Held from before the first byte is verified until the last one is copied.
    let directory = try fileSystem.lockedStore(at: backup)
    defer { directory.unlock() }
    var verifiedByteCount: UInt64 = 0
    let verified = try LogVerifier.verify(
      backup, fileSystem: fileSystem, threadCount: threadCount
    ) { (done, total) -> Bool in
      verifiedByteCount = total
      // As much is copied again.
      return progress(done, 2 * total)
    }
    guard let report = verified else { return nil }
    if var damage = report.damages.first {
      damage.remedy = "Save what verifies of the backup with salvage, or restore an older one"
      throw .corruption(damage)
    }
    try BackupRecord.checkWhole(in: directory)
    var configuration = LogConfiguration()
    configuration.access = .readOnly
    configuration.readMode = .buffered
    let log = try Log.open(at: backup, configuration: configuration, fileSystem: fileSystem)
    var copied = try log.copy(to: path, as: .restoration, fileSystem: fileSystem) { done, total in
      progress(verifiedByteCount + done, verifiedByteCount + total)
    }
    copied?.rebuildable = report.rebuildable
    return copied
  }

  private func copy(
    to path: String, as purpose: BackupWriter.Purpose, fileSystem: any FileSystem,
    progress: (UInt64, UInt64) -> Bool
  ) throws(LogError) -> BackupReport? {
    let source = try copying { () throws(LogError) in try pipeline.backupSource() }
    let directory: any Directory
    do throws(FileIOError) {
      directory = try fileSystem.openDirectory(at: path, create: true)
      try directory.lock(.exclusive)
    } catch {
      if case .locked(let holder) = error.reason { throw .storeIsInUse(path: path, holder: holder) }
      throw .fileIO(error)
    }
    defer { directory.unlock() }
    var writer = try BackupWriter(
      source, to: directory, as: purpose, random: pipeline.configuration.randomSource.next())
    return try copying { () throws(LogError) in try writer.run(progress) ? writer.report : nil }
  }

  /// What `body` returns, which reads files that a writer may remove meanwhile.
  private func copying<Result>(
    _ body: () throws(LogError) -> Result
  ) throws(LogError) -> Result {
    do throws(LogError) { return try body() } catch {
      guard isBesideWriter, isOfRemovedFile(error) else { throw error }
      throw .storeIsBusy(path: pipeline.directory.path)
    }
  }

  /// Whether it tells of a file that a writer removed, which a later manifest does not list.
  private func isOfRemovedFile(_ error: LogError) -> Bool {
    switch error {
    case .fileIO(let cause):
      // What is missing where the copy is made tells nothing of the store.
      return cause.reason == .notFound && Self.leads(cause.path, into: pipeline.directory.path)
    case .corruption(let damage) where damage.reason == Segment.missing:
      let now = try? ManifestFile.read(in: pipeline.directory)
      return now?.segments.contains {
        StoreDirectory.segment($0.identifier).description == damage.file
      } == false
    default: return false
    }
  }
}

extension CommitPipeline {
  /// What a backup copies of a state, before anything is done for that.
  private struct BackupState {
    let view: View
    let manifest: Manifest
    let dictionaries: DictionaryShelf
    /// The last commit that the copy has.
    let lastSequence: CommitSequence
    let tail: (segment: Segment, end: UInt64)?
    /// Whether this log appends to the tail.
    let isWriter: Bool
    /// Whether a synchronization failed: another one that succeeds says nothing then.
    let isPoisoned: Bool
    /// Whether nothing says that the segments were synchronized.
    let isManifestRebuilt: Bool
  }

  /// The state of this moment, which stays readable as long as it is held.
  func backupSource() throws(LogError) -> BackupSource {
    let state = try backupState()
    let isDurable = try makeDurable(state)
    // Behind what was taken: a copy that is written to meanwhile counts as written to.
    let lineage = try Lineage.read(in: directory, of: state.manifest.store)
    let fingerprint = try? ManifestFile.readWithBytes(in: directory).map {
      BackupRecord.fingerprint(ofManifest: $0.bytes, of: $0.manifest.store)
    }
    return BackupSource(
      view: state.view, manifest: state.manifest, lastSequence: state.lastSequence,
      active: state.tail, isDurable: isDurable,
      lineage: lineage, manifestFingerprint: fingerprint, dictionaries: state.dictionaries)
  }

  private func backupState() throws(LogError) -> BackupState {
    enter("a backup")
    defer { leave() }
    if isClosed { throw .closed }
    var next = manifest
    do throws(LogError) {
      // Which the store's own manifest does not do for what was committed since it was written.
      try complete(
        &next, activeDescriptor: active?.account.descriptor ?? needsRepair?.account.descriptor)
    } catch {
      // An index that cannot be read does not tell what those commits replaced. That is counted
      // when the copy is opened, as after a crash, unless the manifest was made in memory only.
      guard !isManifestRebuilt, error.damage != nil else { throw error }
      next = manifest
    }
    // The copy is synchronized before its manifest is. One that was not completed knows of no later
    // commits than it did.
    next.durableSequence = next.lastSequence
    next.runs = []
    return BackupState(
      view: head, manifest: next, dictionaries: shownDictionaries, lastSequence: lastSequence,
      tail: active.map { ($0.segment, $0.writer.end) } ?? needsRepair.map { ($0.segment, $0.end) },
      isWriter: active != nil, isPoisoned: poison != nil, isManifestRebuilt: isManifestRebuilt)
  }

  /// What was committed until then must not be lost here by a crash once a backup has it: the next
  /// one would have to take its place. Where the disk fails, a copy is wanted all the more; false.
  private func makeDurable(_ state: BackupState) throws(LogError) -> Bool {
    if state.isPoisoned { return false }
    guard state.isWriter else { return try synchronizeWhatWasRead(state) }
    do throws(LogError) {
      try waitUntilDurable(state.lastSequence)
      return true
    } catch {
      enter("a backup")
      defer { leave() }
      if poison == nil { throw error }
      return false
    }
  }

  /// The same for what was read when the log was opened: the tail, and the name of the manifest,
  /// which commits a large transaction by itself. What that lists was synchronized first, unless it
  /// was rebuilt. What failed is not tried again, not by writes either: it would seem to succeed.
  private func synchronizeWhatWasRead(_ state: BackupState) throws(LogError) -> Bool {
    var segments = state.tail.map { [$0.segment] } ?? []
    if state.isManifestRebuilt { segments += state.view.sealed }
    for segment in segments {
      let file = try segment.openFile()
      // What cannot be opened again now may be synchronized later: nothing has failed.
      let opened: any File
      do throws(FileIOError) { opened = try file.opened() } catch { throw .fileIO(error) }
      do throws(FileIOError) { try readSynchronizations.synchronize(opened, of: segment) } catch {
        enter("a backup")
        defer { leave() }
        // Where a write has copied the tail since, nothing rests on this file any more.
        let isNeeded = isManifestRebuilt || needsRepair?.segment === segment
        if configuration.access == .readWrite, !isClosed, isNeeded { poison = poison ?? error }
        return false
      }
    }
    do throws(FileIOError) { try directory.synchronize() } catch {
      return error.tellsOfNothingToSynchronize
    }
    return true
  }
}
