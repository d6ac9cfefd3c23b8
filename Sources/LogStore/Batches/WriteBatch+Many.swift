internal import FileIO

extension WriteBatch {
  /// Gives many keys new payloads, as if each were put in its turn: a later one of the same key
  /// replaces an earlier one.
  ///
  /// From 128 records on that are to be compressed, a thread of the log's own encodes a part of
  /// them meanwhile, where the machine has more than one processor and the log is opened with
  /// background maintenance; the batch is the same to the byte. The bytes are lent until it
  /// returns.
  ///
  /// - Throws: ``LogError/limitExceeded(name:maximum:actual:)``, ``LogError/emptyKey``: then none
  ///   of them is in the batch. The bytes of a commit are limited before compression here.
  public func put(
    _ records: [KeyedPayload], in collection: CollectionIdentifier, schemaVersion: UInt64
  ) throws(LogError) {
    try Self.check(records, in: collection, schemaVersion: schemaVersion)
    try putChecked(records, collection, schemaVersion)
  }

  /// The same for records that were checked.
  func putChecked(
    _ records: [KeyedPayload], _ collection: CollectionIdentifier, _ schemaVersion: UInt64
  ) throws(LogError) {
    try LogLimits.checkCommit(
      recordCount: count + records.count,
      byteCount: records.reduce(byteCount) { $0 + $1.byteCountMaximum })
    guard records.count >= Self.sharedRecordCountMinimum, compresses(collection, schemaVersion),
      let worker
    else {
      for record in records { put(record.key, collection, schemaVersion, record.payload) }
      return
    }
    SharedEncoding(records, collection, schemaVersion, for: self).encode(into: self, with: worker)
  }

  private static let sharedRecordCountMinimum = 2 * SharedEncoding.portionRecordCount

  /// Throws unless each of `records` may be put.
  static func check(
    _ records: [KeyedPayload], in collection: CollectionIdentifier, schemaVersion: UInt64
  ) throws(LogError) {
    try LogLimits.checkSchemaVersion(schemaVersion)
    for record in records {
      try LogLimits.checkRecord(
        keyByteCount: record.key.count, payloadByteCount: record.payload.count)
      expectNoDictionary(record.key, collection)
    }
  }
}
