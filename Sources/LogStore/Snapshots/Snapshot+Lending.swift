public import BinaryCoding

extension Snapshot {
  /// Calls `body` with the newest record of `key` and returns what it returns; nothing, without
  /// calling it, when the key is absent or deleted.
  ///
  /// The same as ``record(for:in:)``, without memory of its own for the payload: that is lent where
  /// it lies in its file, or decompressed onto the stack when it has a kilobyte at most. While
  /// `body` runs, other threads read and commit as ever.
  ///
  /// - Throws: what ``record(for:in:)`` throws.
  @inlinable
  public func withRecord<Result>(
    for key: UnsafeRawBufferPointer, in collection: CollectionIdentifier,
    _ body: (BorrowedRecord) -> Result
  ) throws(LogError) -> Result? {
    // What is lent lies in files that the snapshot keeps.
    defer { withExtendedLifetime(self) {} }
    switch try lookUp(key, in: collection) {
    case .absent: return nil
    case .found(let found):
      if !found.isCompressed { return body(found.lent(key)) }
      let result = withUnsafeTemporaryAllocation(
        byteCount: found.payloadByteCount, alignment: 8
      ) { scratch -> Result? in
        found.lent(key, decompressedInto: scratch).map(body)
      }
      if let result { return result }
    case .unknown: break
    }
    guard let record = try recordWithErrors(for: key, in: collection) else { return nil }
    return record.payload.withUnsafeBytes { body(BorrowedRecord(record, key: key, payload: $0)) }
  }

  /// The same for a key in an array.
  @inlinable
  public func withRecord<Result>(
    for key: [UInt8], in collection: CollectionIdentifier, _ body: (BorrowedRecord) -> Result
  ) throws(LogError) -> Result? {
    try key.withBytes { (key: UnsafeRawBufferPointer) throws(LogError) -> Result? in
      try withRecord(for: key, in: collection, body)
    }
  }
}

extension BorrowedRecord {
  /// Lends a record that was copied.
  @usableFromInline
  init(_ record: StoredRecord, key: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer) {
    self.init(
      key: key, payload: payload, schemaVersion: record.schemaVersion, sequence: record.sequence,
      commitTime: record.commitTime)
  }
}
