internal import BinaryCoding

/// Writes records; the checksum is finished when the record's sequence is known.
enum RecordEncoder {
  /// Appends a record to `writer` and returns where it starts.
  ///
  /// `payload` is what is stored, already compressed when `compression` says so, against
  /// `dictionary` where that is one. The checksum field holds the unfinished checksum until
  /// ``finishChecksum(_:unfinished:sequence:seed:)``.
  static func encode(
    kind: RecordKind, compression: RecordCompressionKind, dictionary: UInt32 = 0,
    collection: CollectionIdentifier, schemaVersion: UInt64, commitTime: CommitTime,
    key: UnsafeRawBufferPointer, rawLength: Int, payload: UnsafeRawBufferPointer,
    to writer: inout ByteWriter
  ) -> Int {
    precondition((1...LogLimits.keyByteCount).contains(key.count), "key length was not checked")
    let start = writer.count
    writer.reserve(RecordHeader.byteCountMaximum + key.count + payload.count)
    writer.writeInteger(UInt32(0))
    writer.writeByte(kind.rawValue | compression.rawValue << 4)
    writer.writeVariableLength(UInt64(collection.rawValue))
    writer.writeVariableLength(schemaVersion)
    writer.writeVariableLength(UInt64(commitTime.secondsSince2025))
    writer.writeVariableLength(UInt64(key.count))
    writer.writeVariableLength(UInt64(rawLength))
    if compression != .none { writer.writeVariableLength(UInt64(payload.count)) }
    if compression == .lz4WithDictionary { writer.writeVariableLength(UInt64(dictionary)) }
    writer.writeBytes(key)
    writer.writeBytes(payload)
    let covered = UnsafeRawBufferPointer(
      rebasing: writer.bytes[(start + RecordHeader.checksumSize)...])
    let unfinished = Checksum.crc32c(covered)
    writer.mutableBytes.storeBytes(
      of: unfinished.littleEndian, toByteOffset: start, as: UInt32.self)
    return start
  }

  /// The checksum that encoding left in the record, to be finished.
  static func unfinishedChecksum(_ record: UnsafeRawBufferPointer) -> UInt32 {
    UInt32(littleEndian: record.loadUnaligned(as: UInt32.self))
  }

  /// Completes the checksum of the record at the start of `record` with its sequence and store.
  ///
  /// `unfinished` is kept apart, so that a batch whose commit failed can be numbered again.
  static func finishChecksum(
    _ record: UnsafeMutableRawPointer, unfinished: UInt32, sequence: CommitSequence, seed: UInt64
  ) {
    let finished = bind(unfinished, sequence: sequence, seed: seed)
    record.storeBytes(of: finished.littleEndian, as: UInt32.self)
  }

  /// The checksum of a record whose bytes behind the checksum are `covered`.
  static func checksum(
    _ covered: UnsafeRawBufferPointer, sequence: CommitSequence, seed: UInt64
  ) -> UInt32 {
    Checksum.crc32c(covered, boundTo: boundNumber(sequence), seed)
  }

  /// The same from the checksum over its bytes.
  private static func bind(_ unfinished: UInt32, sequence: CommitSequence, seed: UInt64) -> UInt32 {
    Checksum.crc32c(
      of: seed, continuing: Checksum.crc32c(of: boundNumber(sequence), continuing: unfinished))
  }

  private static func boundNumber(_ sequence: CommitSequence) -> UInt64 {
    PlantedBug.recordUnboundToSequence.isPlanted ? 0 : sequence.rawValue
  }
}
