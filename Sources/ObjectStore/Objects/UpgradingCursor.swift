internal import BinaryCoding
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

  /// What `decode` makes of the next record: a key and a payload in the current shape.
  ///
  /// Records of the current version, which nearly all are, are lent and not copied.
  func next<Object>(
    _ decode: (Value, UnsafeRawBufferPointer) throws(StoreError) -> Object
  ) throws(StoreError) -> Object? {
    guard let records else { return nil }
    while true {
      var stale: (key: [UInt8], record: StoredRecord)?
      let found = try StoreError.log { () throws(LogError) in
        try records.withNext { record -> Result<Object, StoreError>? in
          guard record.schemaVersion == reader.schema.version.rawValue else {
            stale = ([UInt8](record.key), StoredRecord(copying: record))
            return nil
          }
          return Result { () throws(StoreError) in
            try decode(try reader.decodeKey(record.key, type), record.payload)
          }
        }
      }
      guard let found else { return nil }
      if let found { return try found.get() }
      guard let stale, let current = try upgraded(stale.record, key: stale.key) else { continue }
      return try current.payload.withBytes { (payload: UnsafeRawBufferPointer) throws(StoreError) in
        try decode(current.key, payload)
      }
    }
  }

  /// The next record; those that a step drops are passed over. After an error it may go on.
  func next() throws(StoreError) -> (shape: TypeShape, key: Value, payload: [UInt8])? {
    guard let records else { return nil }
    while true {
      let found = try StoreError.log { () throws(LogError) in try records.next() }
      guard let found else { return nil }
      if let current = try upgraded(found.record, key: found.key) { return current }
    }
  }

  /// The record in the current shape; nothing when it is to be passed over.
  private func upgraded(
    _ record: StoredRecord, key: [UInt8]
  ) throws(StoreError) -> (shape: TypeShape, key: Value, payload: [UInt8])? {
    do throws(StoreError) {
      return try reader.read(record, key: key, in: collection, of: type)
    } catch {
      guard reader.skips(error, type) else { throw error }
      counter.count += 1
      return nil
    }
  }
}
