internal import BinaryCoding
internal import LogStore
public import SchemaRegistry

/// Walks the records of a type in key order, each in the current shape.
@usableFromInline
struct UpgradingCursor {
  private let records: RecordCursor?
  private let reader: UpgradingReader
  private let collection: CollectionIdentifier
  private let type: TypeShape
  private let keyType: FieldType
  private let counter = SkipCounter()

  /// Objects that were passed over because their upgrade failed, or their model cannot hold them.
  var skippedCount: UInt64 { counter.count }

  /// Whether another thread reads records ahead now; for tests.
  var isReadAhead: Bool { records?.isReadAhead ?? false }

  private final class SkipCounter {
    var count: UInt64 = 0
  }

  init(
    _ records: RecordCursor?, reader: UpgradingReader, collection: CollectionIdentifier,
    type: TypeShape
  ) {
    self.type = type
    keyType = type.keyType
    self.records = records
    self.reader = reader
    self.collection = collection
  }

  /// Moves so that the next record is that of `key`, or the first behind it in the walk's order.
  func seek(to key: Value) throws(StoreError) {
    let bytes = try StoreError.lookUp(in: type) { () throws(SchemaError) in
      try KeySelection.encode(key, keyType)
    }
    try StoreError.log { () throws(LogError) in try records?.seek(to: bytes) }
  }

  /// Lends `decode` the next record: its key, and a payload in the current shape. Returns whether
  /// there was one.
  ///
  /// Records of the current version, which nearly all are, are not copied.
  @usableFromInline
  func next(
    _ decode: (Value, UnsafeRawBufferPointer) throws(StoreError) -> Void
  ) throws(StoreError) -> Bool {
    guard let records else { return false }
    while true {
      var stale: (key: [UInt8], record: StoredRecord)?
      var failure: StoreError?
      let isFound = try StoreError.log { () throws(LogError) in
        try records.withNext { record -> Void in
          guard record.schemaVersion == reader.schema.version.rawValue else {
            stale = ([UInt8](record.key), StoredRecord(copying: record))
            return
          }
          do throws(StoreError) {
            try decode(try decodeKey(record.key), record.payload)
          } catch { failure = error }
        } != nil
      }
      if let failure {
        try skip(failure)
        continue
      }
      guard isFound, let stale else { return isFound }
      guard let current = try upgraded(stale.record, key: stale.key) else { continue }
      do throws(StoreError) {
        try current.payload.withBytes { (payload: UnsafeRawBufferPointer) throws(StoreError) in
          try decode(current.key, payload)
        }
        return true
      } catch { try skip(error) }
    }
  }

  /// Passes over an object where its type's policy says so; else throws what is wrong with it.
  private func skip(_ failure: StoreError) throws(StoreError) {
    guard reader.skips(failure, type) else { throw failure }
    counter.count += 1
  }

  private func decodeKey(_ key: UnsafeRawBufferPointer) throws(StoreError) -> Value {
    do throws(SchemaError) { return try KeyCoding.decode(key, as: keyType) } catch {
      throw .schema(error)
    }
  }

  /// The key of the next record, which is not read, whatever an upgrade makes of it.
  func nextKey() throws(StoreError) -> Value? {
    guard let records else { return nil }
    let key = try StoreError.log { () throws(LogError) in try records.nextKey() }
    guard let key else { return nil }
    return try reader.decodeKey(key, type)
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
      try skip(error)
      return nil
    }
  }
}
