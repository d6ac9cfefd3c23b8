package import BinaryCoding

/// A put that is to be transformed, lent by the rewrite for as long as the transformer is asked.
package struct LentRecord {
  private let decoded: RecordDecoder.Decoded
  /// Where it lies; whoever lends the record keeps it alive.
  private let segment: Unmanaged<Segment>
  private let offset: UInt32

  init(
    _ decoded: RecordDecoder.Decoded, in segment: Unmanaged<Segment>, at offset: UInt32
  ) {
    self.decoded = decoded
    self.segment = segment
    self.offset = offset
  }

  package var collection: CollectionIdentifier { decoded.header.collection }
  package var key: UnsafeRawBufferPointer { decoded.key }
  package var schemaVersion: UInt64 { decoded.header.schemaVersion }
  package var commitTime: CommitTime { decoded.header.commitTime }

  /// The payload, as it lies in the record or decompressed into `scratch`; valid as long as both.
  ///
  /// - Throws: ``LogError/corruption(_:)`` when it verifies but does not decompress, or when its
  ///   dictionary is lost, which the report tells then.
  package func payload(
    decompressedInto scratch: inout ByteWriter
  ) throws(LogError) -> UnsafeRawBufferPointer {
    if decoded.header.compression == .none { return decoded.storedPayload }
    let result = segment._withUnsafeGuaranteedRef { segment in
      Result { () throws(LogError) in
        try segment.payload(of: decoded, at: offset, decompressedInto: &scratch)
      }
    }
    return try result.get()
  }
}
