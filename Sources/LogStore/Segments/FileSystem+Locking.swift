package import FileIO

extension FileSystem {
  /// The directory of the store at `path`, with few descriptors however many segments there are,
  /// and locked so that nobody writes until it is unlocked.
  ///
  /// - Throws: ``LogError/storeNotFound(path:)``, ``LogError/storeIsInUse(path:holder:)``,
  ///   ``LogError/fileIO(_:)``.
  package func lockedStore(at path: String) throws(LogError) -> any Directory {
    do throws(FileIOError) {
      let directory = BudgetedDirectory(
        try openDirectory(at: path, create: false),
        budget: OpenFileBudget(maximum: OpenFileBudget.maximumByDefault))
      try directory.lock(.shared)
      return directory
    } catch {
      switch error.reason {
      case .notFound: throw .storeNotFound(path: path)
      case .locked(let holder): throw .storeIsInUse(path: path, holder: holder)
      default: throw .fileIO(error)
      }
    }
  }
}
