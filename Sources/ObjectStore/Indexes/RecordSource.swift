internal import LogStore

/// What records are read from: a snapshot, or a transaction with its own changes.
protocol RecordSource {
  func record(
    for key: [UInt8], in collection: CollectionIdentifier
  ) throws(LogError) -> StoredRecord?
  func records(
    in collection: CollectionIdentifier, keys: KeyRange, order: KeyOrder
  ) throws(LogError) -> RecordCursor
}

extension Snapshot: RecordSource {}
extension Transaction: RecordSource {}
extension TransactionSnapshot: RecordSource {}
