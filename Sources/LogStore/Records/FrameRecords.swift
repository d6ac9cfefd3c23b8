internal import BinaryCoding

/// The records of a verified frame, in order; each is verified as it is reached.
struct FrameRecords {
  /// One record and where it lies.
  struct Located {
    let record: RecordDecoder.Decoded
    let sequence: CommitSequence
    /// Offset of the record in its segment.
    let offset: UInt64

    /// What an index holds for the record.
    var value: IndexValue {
      IndexValue(
        sequence: sequence, schemaVersion: record.header.schemaVersion, offset: UInt32(offset),
        length: UInt32(record.bytes.count), isTombstone: record.header.kind == .tombstone)
    }
  }

  private let frame: FrameScanner.Frame
  private let seed: UInt64
  private var reader: ByteReader
  private var position: UInt64 = 0

  init(_ frame: FrameScanner.Frame, seed: UInt64) {
    self.frame = frame
    self.seed = seed
    reader = ByteReader(frame.body)
  }

  /// The next record; nothing after the last. The frame must hold exactly as many as it says.
  mutating func next() throws(BinaryDecodingError) -> Located? {
    guard position < UInt64(frame.header.recordCount) else {
      try reader.expectEnd()
      return nil
    }
    var sequence = frame.header.firstSequence.rawValue
    if frame.header.flags.contains(.explicitSequences) {
      let (sum, overflow) = sequence.addingReportingOverflow(try reader.readVariableLength())
      guard !overflow else { throw .integerOutOfRange(offset: reader.offset) }
      sequence = sum
    } else {
      sequence += position
    }
    let start = reader.offset
    let rest = UnsafeRawBufferPointer(rebasing: frame.body[start...])
    let header = try RecordHeader(decoding: rest)
    let bytes = try reader.readBytes(header.recordByteCount)
    let record = try RecordDecoder.decode(bytes, sequence: CommitSequence(sequence), seed: seed)
    position += 1
    return Located(
      record: record, sequence: CommitSequence(sequence),
      offset: frame.bodyOffset + UInt64(start))
  }
}
