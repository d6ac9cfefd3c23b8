import ObjectStore

/// LogStore's objects, each a key and a value, in a store as applications open it: it compacts
/// itself while it is used.
final class StoreEngine: Engine {
  private let store: Store
  private let durability: Durability

  init(_ settings: EngineSettings) throws {
    store = try Store.open(
      at: settings.path, models: [KeyedValue.self], history: KeyedValue.history)
    durability = settings.promise == .powerLoss ? .full : .process
  }

  var version: String { "objects of this repository's LogStore" }

  func put(_ record: RecordBytes) throws {
    try store.write(durability: durability) { try $0.put(KeyedValue(record)) }
  }

  func putBatch(_ records: [RecordBytes], inKeyOrder: Bool) throws {
    try store.write(durability: durability) { transaction in
      try transaction.put(contentsOf: records.lazy.map { KeyedValue($0) })
    }
  }

  func makeReader() -> any EngineReader { StoreReader(store) }

  func compact() throws { try store.compact() }

  func close() throws { try store.close() }
}
