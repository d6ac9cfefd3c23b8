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
  /// A type of which all objects are dropped has a line, too, and a store of which no object is
  /// read: these prove nothing. With `models` it is opened as the app opens it, and their objects
  /// are read as such, so that values show which only a model refuses; other objects are read
  /// without one. Cost: that of opening the store and reading all objects. One thread.
  ///
  /// Where the history has barriers that the store has not passed, they run on a copy in memory;
  /// which objects there were is asked before.
  /// - Throws: what keeps the store from being opened: a history that lost versions, or was edited,
  ///   or does not reach the models, and a barrier that fails; and what is no object's fault.
  public func problems(
    under history: SchemaHistory, models: [any StorableObject.Type] = []
  ) throws -> [String] {
    let (store, totalsBefore) = try open(under: history, models)
    defer { try? store.close() }
    let (snapshot, totals) = (store.snapshot(), try totalsBefore ?? store.statistics().types)
    var problems: [String] = []
    var readCount = 0
    for type in store.schema.types {
      let (before, known) = (readCount, problems.count)
      let typeModels = models.filter { $0.typeName == type.name }
      for model in typeModels { readCount += try Self.read(model, of: snapshot, &problems) }
      if typeModels.isEmpty {
        readCount += try Self.read(snapshot.objects(ofType: type.name), &problems)
      }
      guard readCount == before, problems.count == known else { continue }
      let storedCount = totals.filter { $0.identity == type.identity }
        .reduce(0) { $0 + $1.totals.recordCount }
      guard storedCount > 0 else { continue }
      problems.append(
        "\(type.name): steps drop all of its \(storedCount) objects, which proves nothing; keep "
          + "one in the store that later versions keep")
    }
    if readCount == 0, problems.isEmpty {
      problems.append(
        "no object was read of the store at \(path), which proves nothing; write some of every "
          + "type with MigrationFixture")
    }
    return problems
  }

  private static func read<Model: StorableObject>(
    _ model: Model.Type, of snapshot: StoreSnapshot, _ problems: inout [String]
  ) throws(StoreError) -> Int {
    try read(snapshot.objects(model), &problems)
  }

  /// Reads all objects, and gives their number.
  private static func read(
    _ cursor: some StoreCursor, _ problems: inout [String]
  ) throws(StoreError) -> Int {
    var count = 0
    while true {
      do throws(StoreError) {
        guard try cursor.next() != nil else { return count }
        count += 1
      } catch {
        guard case .schema = error else { throw error }
        problems.append("\(error)")
      }
    }
  }

  /// Opens it; where barriers run, with what it held before them, as they remove what is dropped.
  private func open(
    under history: SchemaHistory, _ models: [any StorableObject.Type]
  ) throws -> (store: Store, totalsBefore: [StoreStatistics.TypeTotals]?) {
    var configuration = StoreConfiguration.readOnly
    configuration.editedHistory = .refused
    configuration.checksPurity = true
    do {
      let store = try Store.open(
        at: path, models: models, history: history, configuration: configuration,
        fileSystem: fileSystem)
      return (store, nil)
    } catch StoreError.barrierPending {
      let stored = try Store.open(
        at: path, configuration: .readOnly, fileSystem: fileSystem)
      defer { try? stored.close() }
      let totals = try stored.statistics().types
      let memory = InMemoryFileSystem()
      _ = try stored.backup(to: path, fileSystem: memory)
      configuration.log.access = .readWrite
      configuration.compaction = .off
      configuration.barriers.byteCountMaximum = .max
      let store = try Store.open(
        at: path, models: models, history: history, configuration: configuration,
        fileSystem: memory)
      return (store, totals)
    }
  }
}
