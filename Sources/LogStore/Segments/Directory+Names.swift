internal import FileIO

extension Directory {
  /// The names of all files, with errors as those of the log.
  func names() throws(LogError) -> [String] {
    do throws(FileIOError) { return try list() } catch { throw .fileIO(error) }
  }

  /// Whether no store was ever made here: a crash while one is made leaves at most its unfinished
  /// manifest.
  func isUnused() throws(LogError) -> Bool {
    try names().allSatisfy { $0 == StoreDirectory.newManifest.description }
  }
}
