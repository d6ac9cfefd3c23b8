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
    guard records.count >= Self.sharedRecordCountMinimum else {
      for record in records { put(record.key, collection, schemaVersion, record.payload) }
      return
    }
    // Decided once, so that the bytes do not depend on who encodes what.
    let compressing = compressing(collection, schemaVersion)
    let encoding = SharedEncoding(records, collection, schemaVersion, compressing, for: self)
    encoding.encode(into: self, with: compressing.tries == .all ? worker : nil)
    note(encoding.outcome, of: collection)
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
