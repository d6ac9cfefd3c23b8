internal import LogStore
internal import SchemaRegistry

/// Walks the records of a type in key order, each in the current shape.
struct UpgradingCursor {
  private let records: RecordCursor?
  private let reader: UpgradingReader
  private let collection: CollectionIdentifier
  private let type: TypeShape
  private let counter = SkipCounter()

  /// Objects that were passed over because their upgrade failed.
  var skippedCount: UInt64 { counter.count }

  private final class SkipCounter {
    var count: UInt64 = 0
  }

  init(
    _ records: RecordCursor?, reader: UpgradingReader, collection: CollectionIdentifier,
    type: TypeShape
  ) {
    self.type = type
    self.records = records
    self.reader = reader
    self.collection = collection
  }

  /// Moves so that the next record is that of `key`, or the first behind it in the walk's order.
  func seek(to key: Value) throws(StoreError) {
    let keyType = type.keyType
    let bytes = try StoreError.schema { () throws(SchemaError) in
      try KeySelection.encode(key, keyType)
    }
    try StoreError.log { () throws(LogError) in try records?.seek(to: bytes) }
  }

  /// The next record; those that a step drops are passed over. After an error it may go on.
  func next() throws(StoreError) -> (shape: TypeShape, key: Value, payload: [UInt8])? {
    guard let records else { return nil }
    while true {
      let found = try StoreError.log { () throws(LogError) in try records.next() }
      guard let found else { return nil }
      do throws(StoreError) {
        if let current = try reader.read(
          found.record, key: found.key, in: collection, of: type)
        {
          return current
        }
      } catch {
        guard reader.skips(error, type) else { throw error }
        counter.count += 1
      }
    }
  }
}
