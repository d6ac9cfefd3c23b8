/// A directory whose files for reading share a budget, and that gives back what it can when too
/// many files are open.
package final class BudgetedDirectory: Directory {
  package let budget: OpenFileBudget
  private let directory: any Directory
  private let keepsUnmapped: Bool

  package var path: String { directory.path }

  /// With `keepsUnmapped` files that never change stay open, beside the budget, until they are
  /// mapped: for who reads what others may remove.
  package init(
    _ directory: any Directory, budget: OpenFileBudget, keepsUnmapped: Bool = false
  ) {
    self.directory = directory
    self.budget = budget
    self.keepsUnmapped = keepsUnmapped
  }

  package func open(_ name: FileName, _ mode: OpenMode) throws(FileIOError) -> any File {
    try budget.retrying { () throws(FileIOError) in try directory.open(name, mode) }
  }

  package func openSealed(_ name: FileName) throws(FileIOError) -> any File {
    try OnDemandFile(name, in: directory, budget: budget, keepsUnmapped: keepsUnmapped)
  }

  package func list() throws(FileIOError) -> [String] {
    try budget.retrying { () throws(FileIOError) in try directory.list() }
  }

  package func rename(_ source: FileName, to target: FileName) throws(FileIOError) {
    try directory.rename(source, to: target)
  }

  package func remove(_ name: FileName) throws(FileIOError) { try directory.remove(name) }

  package func synchronize() throws(FileIOError) { try directory.synchronize() }

  package func freeByteCount() throws(FileIOError) -> UInt64? { try directory.freeByteCount() }

  package func lock(_ kind: LockKind) throws(FileIOError) { try directory.lock(kind) }

  package func unlock() { directory.unlock() }

  package func isAtItsPath() -> Bool { directory.isAtItsPath() }
}
