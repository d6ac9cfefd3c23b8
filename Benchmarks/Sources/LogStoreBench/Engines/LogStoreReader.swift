import ObjectStore

/// Reads one snapshot of a log.
final class LogStoreReader: EngineReader {
  private let log: Log
  private var snapshot: Snapshot

  init(_ log: Log) {
    self.log = log
    snapshot = log.snapshot()
  }

  func refresh() { snapshot = log.snapshot(renewing: snapshot) }

  func takeSnapshot() { snapshot = log.snapshot() }

  func read(
    _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
  ) throws -> Bool {
    try snapshot.withRecord(for: key, in: LogStoreEngine.collection) { body($0.payload) } != nil
  }

  func scan(
    from start: UnsafeRawBufferPointer?, limit: Int,
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void
  ) throws -> Int {
    let keys = start.map { KeyRange(from: .including([UInt8]($0))) } ?? .all
    let cursor = try snapshot.records(in: LogStoreEngine.collection, keys: keys)
    var count = 0
    while count < limit,
      try cursor.withNext({ record in body(record.key, record.payload) }) != nil
    {
      count += 1
    }
    return count
  }
}
