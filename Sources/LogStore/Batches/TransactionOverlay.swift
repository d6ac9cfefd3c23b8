internal import BinaryCoding

/// The changes of a transaction, ordered by key, so that it reads what it wrote.
final class TransactionOverlay {
  let batch: WriteBatch
  let table = MemoryTable()
  private var indexedCount = 0

  init(_ batch: WriteBatch) { self.batch = batch }

  /// The change of `key`, if there is one.
  func find(_ key: IndexKey) -> IndexValue? {
    index()
    return table.find(key)
  }

  /// The changes as of now, in key order; whoever walks them keeps them.
  func publish() -> PublishedTable {
    index()
    return table.publish()
  }

  /// The encoded record of a change, borrowed from the batch until that changes.
  func encodedRecord(at value: IndexValue) -> UnsafeRawBufferPointer {
    batch.record(startingAt: Int(value.offset), length: Int(value.length))
  }

  /// The record of a change.
  func record(at value: IndexValue) -> StoredRecord {
    let bytes = encodedRecord(at: value)
    do throws(BinaryDecodingError) {
      let header = try RecordHeader(decoding: bytes)
      let record = RecordDecoder.Decoded(header: header, bytes: bytes)
      return StoredRecord(
        schemaVersion: header.schemaVersion, sequence: value.sequence,
        commitTime: header.commitTime,
        payload: try RecordDecoder.payload(of: record, against: batch.dictionary(of: header)))
    } catch { preconditionFailure("a record of the same transaction must be readable: \(error)") }
  }

  /// Brings the table up to the batch; changes are indexed when they are first asked for, so that a
  /// transaction that only writes pays nothing.
  private func index() {
    while indexedCount < batch.changes.count {
      let change = batch.changes[indexedCount]
      indexedCount += 1
      table.insert(
        IndexKey(change.collection, batch.key(of: change)),
        IndexValue(
          sequence: CommitSequence(UInt64(indexedCount)), schemaVersion: change.schemaVersion,
          offset: UInt32(change.recordStart), length: UInt32(change.recordLength),
          isTombstone: change.kind == .tombstone))
    }
  }
}
