internal import BinaryCoding

/// What a batch keeps its records in, and where each of them lies.
final class BatchMemory {
  var records: ByteWriter
  var changes: [WriteBatch.Change] = []

  init(capacity: Int) { records = ByteWriter(capacity: capacity) }

  /// Forgets the contents and keeps the memory.
  func removeAll() {
    records.removeAll()
    changes.removeAll(keepingCapacity: true)
  }
}
