public import FileIO
public import LogStore

extension Store {
  /// Copies the store to the directory at `path` while it is in use; see
  /// ``Log/backup(to:fileSystem:progress:)``.
  ///
  /// The copy is a store of its own. A second backup to the same place copies only what is new. Not
  /// in the body of a write.
  /// - Returns: what was copied; nothing when `progress` ended it by returning false.
  @discardableResult
  public func backup(
    to path: String, fileSystem: any FileSystem = POSIXFileSystem(),
    progress: (UInt64, UInt64) -> Bool = { _, _ in true }
  ) throws(StoreError) -> BackupReport? {
    try StoreError.log { () throws(LogError) in
      try log.backup(to: path, fileSystem: fileSystem, progress: progress)
    }
  }
}
