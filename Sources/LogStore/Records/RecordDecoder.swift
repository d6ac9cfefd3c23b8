internal import BinaryCoding

/// Verifies and reads records; bytes that fail are reported as a reason, never returned.
enum RecordDecoder {
  /// A verified record; its bytes are borrowed from where it was read.
  struct Decoded {
    let header: RecordHeader
    let bytes: UnsafeRawBufferPointer

    var key: UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(
        rebasing: bytes[header.keyOffset..<(header.keyOffset + header.keyLength)])
    }

    var storedPayload: UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(rebasing: bytes[(header.keyOffset + header.keyLength)...])
    }
  }

  /// Reads the record that fills `bytes` exactly, and checks it against its checksum.
  @inline(__always)
  static func decode(
    _ bytes: UnsafeRawBufferPointer, sequence: CommitSequence, seed: UInt64
  ) throws(BinaryDecodingError) -> Decoded {
    let header = try RecordHeader(decoding: bytes)
    guard header.recordByteCount == bytes.count else {
      throw .invalidValue(
        offset: 0,
        reason: "the record has \(header.recordByteCount) bytes where \(bytes.count) were expected")
    }
    try verify(bytes, sequence: sequence, seed: seed)
    return Decoded(header: header, bytes: bytes)
  }

  /// Reads the record that an index says lies in `bytes`, and checks that it is the one of `key`.
  @inline(__always)
  static func decode(
    _ bytes: UnsafeRawBufferPointer, _ value: IndexValue, _ key: IndexKey, seed: UInt64
  ) throws(BinaryDecodingError) -> Decoded {
    guard bytes.count > RecordHeader.checksumSize else {
      throw .invalidValue(offset: 0, reason: "the record is too short")
    }
    let record = try decode(bytes, sequence: value.sequence, seed: seed)
    guard record.header.collection.rawValue == key.collection,
      key.hasBytes(record.key)
    else { throw .invalidValue(offset: 0, reason: "another key's record lies here") }
    return record
  }

  /// Throws unless the checksum of the record that fills `bytes` is right.
  @inline(__always)
  static func verify(
    _ bytes: UnsafeRawBufferPointer, sequence: CommitSequence, seed: UInt64
  ) throws(BinaryDecodingError) {
    let stored = UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self))
    let covered = UnsafeRawBufferPointer(rebasing: bytes[RecordHeader.checksumSize...])
    let computed = RecordEncoder.checksum(covered, sequence: sequence, seed: seed)
    guard stored == computed || PlantedBug.recordChecksumIgnored.isPlanted else {
      throw .invalidValue(offset: 0, reason: "the record's checksum does not match")
    }
  }

  /// The payload of a verified, compressed record, decompressed into `scratch`; `dictionary` is the
  /// one that it names, if it names one.
  static func payload(
    of record: Decoded, against dictionary: LentDictionary,
    decompressedInto scratch: inout ByteWriter
  ) throws(BinaryDecodingError) -> UnsafeRawBufferPointer {
    guard
      RecordCompression.decompress(
        record.storedPayload, rawLength: record.header.rawLength, against: dictionary,
        into: &scratch)
    else { throw invalidPayload }
    return scratch.bytes
  }

  private static let invalidPayload = BinaryDecodingError.invalidValue(
    offset: 0, reason: "the compressed payload is invalid")

  /// The payload of a verified record, decompressed; `dictionary` is the one that it names, if it
  /// names one.
  static func payload(
    of record: Decoded, against dictionary: LentDictionary
  ) throws(BinaryDecodingError) -> [UInt8] {
    let stored = record.storedPayload
    if record.header.compression == .none { return [UInt8](stored) }
    guard
      let payload = RecordCompression.decompress(
        stored, rawLength: record.header.rawLength, against: dictionary)
    else { throw invalidPayload }
    return payload
  }
}
