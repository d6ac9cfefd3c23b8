internal import BinaryCoding

/// A record where it lies, verified; its payload is not decompressed yet. Valid as long as the
/// snapshot that found it.
@usableFromInline
struct VerifiedRecord {
  private let record: RecordDecoder.Decoded
  private let sequence: CommitSequence
  private let dictionary: LentDictionary

  /// Nothing when the payload cannot have the size that the record says.
  @inline(__always)
  init?(
    _ record: RecordDecoder.Decoded, _ sequence: CommitSequence, _ dictionary: LentDictionary
  ) {
    let header = record.header
    guard
      header.compression == .none
        || RecordCompression.isPossible(header.rawLength, from: record.storedPayload)
    else { return nil }
    self.record = record
    self.sequence = sequence
    self.dictionary = dictionary
  }

  /// Bytes of the payload when it is decompressed.
  @usableFromInline
  var payloadByteCount: Int { record.header.rawLength }

  @usableFromInline
  var isCompressed: Bool { record.header.compression != .none }

  /// A copy, or nothing when the payload is not what its compression writes.
  func copied() -> StoredRecord? {
    do throws(BinaryDecodingError) {
      return StoredRecord(
        schemaVersion: record.header.schemaVersion, sequence: sequence,
        commitTime: record.header.commitTime,
        payload: try RecordDecoder.payload(of: record, against: dictionary))
    } catch { return nil }
  }

  /// The record of `key` with its payload, as it is stored.
  @usableFromInline
  func lent(_ key: UnsafeRawBufferPointer) -> BorrowedRecord { lent(key, record.storedPayload) }

  /// The same with the payload decompressed into `scratch`, which has room for just that; nothing
  /// when it is not what its compression writes.
  @usableFromInline
  func lent(
    _ key: UnsafeRawBufferPointer, decompressedInto scratch: UnsafeMutableRawBufferPointer
  ) -> BorrowedRecord? {
    guard dictionary.decompress(record.storedPayload, to: scratch) else { return nil }
    return lent(key, UnsafeRawBufferPointer(scratch))
  }

  private func lent(
    _ key: UnsafeRawBufferPointer, _ payload: UnsafeRawBufferPointer
  ) -> BorrowedRecord {
    BorrowedRecord(
      key: key, payload: payload, schemaVersion: record.header.schemaVersion, sequence: sequence,
      commitTime: record.header.commitTime)
  }
}
