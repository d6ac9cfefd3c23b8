/// The calls of the file system that are counted, traced and made to fail.
package enum OperationKind: String, CaseIterable, Sendable {
  case openDirectory, open, create, list, rename, remove, synchronizeDirectory, lock
  case read, write, synchronize, truncate, allocate, size, map

  /// Whether the call changes what a crash may leave behind.
  package var isMutation: Bool {
    switch self {
    case .create, .rename, .remove, .synchronizeDirectory: true
    case .write, .synchronize, .truncate, .allocate: true
    case .openDirectory, .open, .list, .lock, .read, .size, .map: false
    }
  }
}
