public import FileIO

extension Log {
  /// Copies the store to the directory at `path` while others read and write it.
  ///
  /// The copy is a store of its own, in the state of one moment, and can be opened and verified.
  /// When an earlier backup of this store lies there, only what is new is copied, and that backup
  /// stays whole until the new one takes its place. One that was written to or compacted since it
  /// was made is not replaced, nor are segments without a manifest, which may be all that is left
  /// of a store; what an interrupted backup left is. Files are copied, never linked: a link would
  /// share every flipped bit; where the file system can, they share blocks until one changes.
  /// Indexes are not copied but for footers. Durable on return.
  ///
  /// A log beside a writer copies what it shows; ``refresh()`` first.
  /// - Parameter progress: told the bytes done and those of all files, after each MiB or so; ends
  ///   the backup by returning false, which leaves an earlier one as it was.
  /// - Returns: what was copied; nothing when `progress` ended it.
  /// - Throws: ``LogError/copyRefused(path:reason:)`` when something else lies there,
  ///   ``LogError/storeIsInUse(path:holder:)`` when the backup is open, ``LogError/fileIO(_:)``.
  @discardableResult
  public func backup(
    to path: String, fileSystem: any FileSystem = POSIXFileSystem(),
    progress: (UInt64, UInt64) -> Bool = { _, _ in true }
  ) throws(LogError) -> BackupReport? {
    try copy(to: path, mayReplace: true, fileSystem: fileSystem, progress: progress)
  }

  /// Puts a backup back: verifies every byte of it, and copies it to a new directory at `path`.
  ///
  /// - Throws: ``LogError/corruption(_:)`` when the backup does not verify: see ``LogSalvage``;
  ///   ``LogError/copyRefused(path:reason:)`` when a store lies at `path`.
  @discardableResult
  public static func restore(
    _ backup: String, to path: String, fileSystem: any FileSystem = POSIXFileSystem(),
    progress: (UInt64, UInt64) -> Bool = { _, _ in true }
  ) throws(LogError) -> BackupReport? {
    let report = try LogVerifier.verify(backup, fileSystem: fileSystem)
    if let damage = report.damages.first { throw .corruption(damage) }
    var configuration = LogConfiguration()
    configuration.access = .readOnly
    configuration.readMode = .buffered
    let log = try Log.open(at: backup, configuration: configuration, fileSystem: fileSystem)
    return try log.copy(to: path, mayReplace: false, fileSystem: fileSystem, progress: progress)
  }

  private func copy(
    to path: String, mayReplace: Bool, fileSystem: any FileSystem,
    progress: (UInt64, UInt64) -> Bool
  ) throws(LogError) -> BackupReport? {
    let source = try pipeline.backupSource()
    let directory: any Directory
    do throws(FileIOError) {
      directory = try fileSystem.openDirectory(at: path, create: true)
      try directory.lock(.exclusive)
    } catch {
      if case .locked(let holder) = error.reason { throw .storeIsInUse(path: path, holder: holder) }
      throw .fileIO(error)
    }
    defer { directory.unlock() }
    var writer = try BackupWriter(source, to: directory, mayReplace: mayReplace)
    return try writer.run(progress) ? writer.report : nil
  }
}

extension CommitPipeline {
  /// The state of this moment, which stays readable as long as it is held.
  func backupSource() throws(LogError) -> BackupSource {
    enter("a backup")
    defer { leave() }
    if isClosed { throw .closed }
    let tail =
      active.map { ($0.segment, $0.writer.end) } ?? needsRepair.map { ($0.segment, $0.end) }
    var manifest = manifest
    if isManifestRebuilt {
      // It was made in memory, and does not count what the tail holds.
      try complete(&manifest, activeDescriptor: needsRepair?.account.descriptor)
    }
    return BackupSource(view: head, manifest: manifest, active: tail, lastSequence: lastSequence)
  }
}
