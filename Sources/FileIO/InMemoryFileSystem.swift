/// A file system without a disk: for stores that need not last, and for tests.
///
/// Directories are told apart by their paths and live as long as this object. Synchronizing does
/// nothing. Safe to use from several threads.
public final class InMemoryFileSystem: FileSystem {
  private let directories = Lock<[String: InMemoryDirectoryContents]>([:])

  public init() {}

  /// Opens the directory at `path`, creating it when `create` is set; parents need not exist.
  public func openDirectory(
    at path: String, create: Bool
  ) throws(FileIOError) -> any Directory {
    var key = path[...]
    while key.count > 1, key.last == "/" { key.removeLast() }
    let contents = directories.withLock { directories -> InMemoryDirectoryContents? in
      if let contents = directories[String(key)] { return contents }
      guard create else { return nil }
      let contents = InMemoryDirectoryContents()
      directories[String(key)] = contents
      return contents
    }
    guard let contents else {
      throw FileIOError(.notFound, operation: "open directory", path: path)
    }
    return InMemoryDirectory(contents: contents, path: path)
  }
}
