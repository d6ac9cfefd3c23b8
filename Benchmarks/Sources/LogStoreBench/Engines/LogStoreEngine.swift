import ObjectStore

/// LogStore's bytes; with automatic compression it is configured as when an application configures
/// nothing.
final class LogStoreEngine: Engine {
  private let log: Log
  private let durability: Durability
  static let collection = CollectionIdentifier(1)

  init(_ settings: EngineSettings, compression: LogConfiguration.Compression) throws {
    var configuration = LogConfiguration()
    configuration.compression = compression
    log = try Log.open(at: settings.path, configuration: configuration)
    durability = settings.promise == .powerLoss ? .full : .process
  }

  var version: String { "LogStore of this repository" }

  func put(_ record: RecordBytes) throws {
    try log.put(
      record.key, in: Self.collection, schemaVersion: 0, payload: record.value,
      durability: durability)
  }

  func putBatch(_ records: [RecordBytes], inKeyOrder: Bool) throws {
    let batch = log.makeBatch()
    try batch.put(
      records.map { KeyedPayload(key: $0.key, payload: $0.value) }, in: Self.collection,
      schemaVersion: 0)
    try log.commit(batch, durability: durability)
  }

  func makeReader() -> any EngineReader { LogStoreReader(log) }

  func compact() throws { try Compactor(log).run() }

  func close() throws { try log.close() }
}
