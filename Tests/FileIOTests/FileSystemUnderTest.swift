import FileIO
import StorageTestSupport

/// One of the file systems that must all behave alike, with a directory that does not exist yet.
struct FileSystemUnderTest: Sendable {
  enum Kind: CaseIterable, Sendable {
    case posix, inMemory, simulated
  }

  let fileSystem: any FileSystem
  let path: String

  /// `temporary` must outlive the test: the real file system works inside it.
  init(_ kind: Kind, in temporary: TemporaryDirectory) throws {
    path = temporary.path + "/store"
    fileSystem =
      switch kind {
      case .posix: POSIXFileSystem()
      case .inMemory: InMemoryFileSystem()
      case .simulated: SimulatedFileSystem()
      }
  }

  /// A new handle of the directory, which is created when it is missing.
  func open() throws -> any Directory { try fileSystem.openDirectory(at: path, create: true) }
}
