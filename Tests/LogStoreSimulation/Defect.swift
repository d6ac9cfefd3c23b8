internal import FileIO
internal import StorageTestSupport

/// A bug that is planted to see whether the simulator finds it.
package enum Defect: Sendable, Hashable, CustomStringConvertible {
  /// Calls of the file system that are left out or done wrong.
  case omission(Omission)

  package var description: String {
    switch self {
    case .omission(let omission): omission.rawValue
    }
  }

  /// The file system as a store with this bug uses it.
  func wrap(_ fileSystem: SimulatedFileSystem) -> any FileSystem {
    switch self {
    case .omission(let omission): CarelessFileSystem(fileSystem, omission)
    }
  }
}
