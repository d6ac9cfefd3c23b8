internal import BinaryCoding

/// A record that a rewrite must carry over: the newest of its key, or a tombstone still needed.
package struct RewriteRecord: Sendable {
  package let collection: CollectionIdentifier
  package let key: [UInt8]
  package let kind: RecordKind
  package let schemaVersion: UInt64
  package let sequence: CommitSequence
  package let commitTime: CommitTime
  /// The record's bytes as they lie in its segment, verified.
  let bytes: [UInt8]
  /// How many bytes it has in its segment.
  package var byteCount: Int { bytes.count }

  /// The payload, decompressed.
  ///
  /// - Throws: ``LogError/corruption(_:)`` when it verifies but does not decompress.
  package func payload() throws(LogError) -> [UInt8] {
    do throws(BinaryDecodingError) {
      return try bytes.withBytes { (bytes: UnsafeRawBufferPointer) throws(BinaryDecodingError) in
        try RecordDecoder.payload(
          of: RecordDecoder.Decoded(header: RecordHeader(decoding: bytes), bytes: bytes))
      }
    } catch {
      throw .corruption(
        CorruptionReport(file: "a rewritten segment", offset: 0, reason: "\(error)"))
    }
  }
}
