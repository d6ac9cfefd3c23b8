internal import FileIO

extension Directory {
  /// The names of all files, with errors as those of the log.
  func names() throws(LogError) -> [String] {
    do throws(FileIOError) { return try list() } catch { throw .fileIO(error) }
  }
}
