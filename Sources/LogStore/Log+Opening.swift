internal import FileIO

/// How the directory of a log is found and locked.
extension Log {
  /// The store's directory, locked, and the error where somebody else has the lock; opened again
  /// where another process has put a new one in its place.
  static func lockDirectory(
    at path: String, _ configuration: LogConfiguration, _ fileSystem: any FileSystem,
    _ activity: ActivityCounters
  ) throws(LogError) -> (any Directory, FileIOError?) {
    // Beside a writer that comes later a mapping stays, a descriptor must.
    let keepsFilesOpen = configuration.access == .readOnly && configuration.admitsWriters
    var movedCount = 0
    while true {
      let directory = MeteredDirectory(
        try openDirectory(at: path, configuration, fileSystem, keepsFilesOpen: keepsFilesOpen),
        WriteMeter(activity, configuration))
      do throws(FileIOError) {
        try directory.lock(configuration.access == .readWrite ? .exclusive : .shared)
        return (directory, nil)
      } catch {
        movedCount += 1
        if error.reason != .moved || movedCount == 3 { return (directory, error) }
      }
    }
  }

  /// The directory at `path`, made where the configuration says so.
  static func openDirectory(
    at path: String, _ configuration: LogConfiguration, _ fileSystem: any FileSystem,
    keepsFilesOpen: Bool = false
  ) throws(LogError) -> any Directory {
    let mayCreate = configuration.createIfMissing && configuration.access == .readWrite
    do throws(FileIOError) {
      // With a manifest there is nothing to create: the name of the directory is durable already.
      var found: (any Directory)?
      if mayCreate { found = try storeDirectory(fileSystem, path) }
      let directory =
        if let found { found } else { try fileSystem.openDirectory(at: path, create: mayCreate) }
      if keepsFilesOpen, configuration.readMode == .buffered { return directory }
      return BudgetedDirectory(
        directory, budget: OpenFileBudget(maximum: max(1, configuration.openFileMaximum)),
        keepsUnmapped: keepsFilesOpen)
    } catch {
      if error.reason == .notFound {
        guard mayCreate else { throw .storeNotFound(path: path) }
        throw .missingParent(path: path, directory: POSIXFileSystem.parent(of: path))
      }
      throw .fileIO(error)
    }
  }

  /// The directory, if there is a manifest in it.
  private static func storeDirectory(
    _ fileSystem: any FileSystem, _ path: String
  ) throws(FileIOError) -> (any Directory)? {
    do throws(FileIOError) {
      let directory = try fileSystem.openDirectory(at: path, create: false)
      _ = try directory.open(StoreDirectory.manifest, .read)
      return directory
    } catch {
      guard error.reason == .notFound else { throw error }
      return nil
    }
  }
}
