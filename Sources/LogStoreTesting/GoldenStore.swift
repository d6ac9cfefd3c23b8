public import FileIO
public import ObjectStore

/// A small store of a shipped version, kept in a repository, that every later build must read.
///
/// The release job writes one for each version with ``MigrationFixture`` on a real file system; a
/// test checks all of them.
public struct GoldenStore: Sendable {
  /// The directory of the store; it is only read.
  public let path: String
  private let fileSystem: any FileSystem

  /// The store at `path`.
  public init(at path: String, fileSystem: any FileSystem = POSIXFileSystem()) {
    self.path = path
    self.fileSystem = fileSystem
  }

  /// Opens it under `history`, reads every object, and gives one line for each that cannot be read.
  ///
  /// Where the history has barriers that the store has not passed, they run on a copy in memory.
  /// Throws what keeps it from being opened: a history that lost versions, or was edited, and a
  /// barrier that fails.
  public func problems(under history: SchemaHistory) throws -> [String] {
    let store = try open(under: history)
    defer { try? store.close() }
    var problems: [String] = []
    let snapshot = store.snapshot()
    for type in store.schema.types {
      let cursor = try snapshot.objects(ofType: type.name)
      while true {
        do throws(StoreError) {
          guard try cursor.next() != nil else { break }
        } catch {
          guard case .schema = error else { throw error }
          problems.append("\(error)")
        }
      }
    }
    return problems
  }

  private func open(under history: SchemaHistory) throws -> Store {
    var configuration = StoreConfiguration.readOnly
    configuration.editedHistory = .refused
    configuration.checksPurity = true
    do {
      return try Store.open(
        at: path, history: history, configuration: configuration, fileSystem: fileSystem)
    } catch StoreError.barrierPending {
      let stored = try Store.open(
        at: path, configuration: .readOnly, fileSystem: fileSystem)
      defer { try? stored.close() }
      let memory = InMemoryFileSystem()
      _ = try stored.backup(to: path, fileSystem: memory)
      configuration.log.access = .readWrite
      configuration.compaction = .off
      configuration.barriers.byteCountMaximum = .max
      return try Store.open(
        at: path, history: history, configuration: configuration, fileSystem: memory)
    }
  }
}
