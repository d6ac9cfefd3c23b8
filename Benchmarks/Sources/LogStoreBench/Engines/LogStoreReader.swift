import ObjectStore

/// Reads one snapshot of a log.
final class LogStoreReader: EngineReader {
  private let log: Log
  private var snapshot: Snapshot

  init(_ log: Log) {
    self.log = log
    snapshot = log.snapshot()
  }

  func refresh() { snapshot = log.snapshot() }

  func read(
    _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
  ) throws -> Bool {
    guard let record = try snapshot.record(for: key, in: LogStoreEngine.collection) else {
      return false
    }
    record.payload.withUnsafeBytes(body)
    return true
  }

  func scan(
    from start: UnsafeRawBufferPointer?, limit: Int,
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void
  ) throws -> Int {
    let cursor = try snapshot.records(
      in: LogStoreEngine.collection, from: start.map { [UInt8]($0) })
    var count = 0
    while count < limit, let (key, record) = try cursor.next() {
      key.withUnsafeBytes { key in record.payload.withUnsafeBytes { body(key, $0) } }
      count += 1
    }
    return count
  }
}
