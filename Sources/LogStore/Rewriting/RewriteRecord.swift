internal import BinaryCoding

/// A record that a rewrite must carry over: the newest of its key, by the store's indexes or its
/// totals, or a tombstone still needed.
package struct RewriteRecord: Sendable {
  package let collection: CollectionIdentifier
  package let key: [UInt8]
  package let schemaVersion: UInt64
  package let sequence: CommitSequence
  package let commitTime: CommitTime
  /// The record's bytes as they lie in its segment, verified.
  let bytes: [UInt8]
  /// Where they lie.
  let segment: Segment
  let offset: UInt32

  init(
    _ record: RecordDecoder.Decoded, _ value: IndexValue, in segment: Segment
  ) {
    collection = record.header.collection
    key = [UInt8](record.key)
    schemaVersion = record.header.schemaVersion
    sequence = value.sequence
    commitTime = record.header.commitTime
    bytes = [UInt8](record.bytes)
    self.segment = segment
    offset = value.offset
  }

  /// The payload, decompressed.
  ///
  /// - Throws: ``LogError/corruption(_:)`` when it verifies but does not decompress, or when its
  ///   dictionary is lost, which the report tells then.
  package func payload() throws(LogError) -> [UInt8] {
    try withDecoded { (record) throws(LogError) in try segment.payload(of: record, at: offset) }
  }

  /// Calls `body` with the record.
  func withDecoded<Result>(
    _ body: (RecordDecoder.Decoded) throws(LogError) -> Result
  ) throws(LogError) -> Result {
    try bytes.withBytes { (bytes: UnsafeRawBufferPointer) throws(LogError) in
      let header: RecordHeader
      do throws(BinaryDecodingError) {
        header = try RecordHeader(decoding: bytes)
      } catch { preconditionFailure("a record that was verified must be readable: \(error)") }
      return try body(RecordDecoder.Decoded(header: header, bytes: bytes))
    }
  }
}
