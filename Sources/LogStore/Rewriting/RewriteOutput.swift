internal import BinaryCoding
internal import FileIO

/// One output segment of a rewrite while it is written: records by key, in frames of 256 KiB.
///
/// Memory is one frame plus the segment's index.
struct RewriteOutput: ~Copyable {
  let active: CommitPipeline.ActiveSegment
  private var builder: IndexRunBuilder
  private var bodies = ByteWriter(capacity: RewriteOutput.frameByteCount + (64 << 10))
  private var records: [Record] = []

  private struct Record {
    let start: Int
    let length: Int
    let sequence: CommitSequence
    let collection: CollectionIdentifier
    let key: Range<Int>
    let schemaVersion: UInt64
    let kind: RecordKind
  }

  private static let frameByteCount = 256 << 10

  init(_ active: CommitPipeline.ActiveSegment) {
    self.active = active
    builder = IndexRunBuilder(salt: active.segment.salt)
  }

  /// Bytes of the segment so far, with what still waits for its frame.
  var byteCount: UInt64 { active.writer.end + UInt64(bodies.count) }

  /// Adds an encoded record whose checksum is finished.
  mutating func append(
    _ bytes: UnsafeRawBufferPointer, key: [UInt8], collection: CollectionIdentifier,
    schemaVersion: UInt64, kind: RecordKind, sequence: CommitSequence
  ) throws(FileIOError) {
    if !records.isEmpty, bodies.count + bytes.count > Self.frameByteCount { try flush() }
    let start = bodies.count
    bodies.writeBytes(bytes)
    let header: RecordHeader
    do throws(BinaryDecodingError) {
      header = try RecordHeader(decoding: bytes)
    } catch { preconditionFailure("a record that is rewritten must be readable: \(error)") }
    let keyStart = start + header.keyOffset
    records.append(
      Record(
        start: start, length: bytes.count, sequence: sequence, collection: collection,
        key: keyStart..<(keyStart + key.count), schemaVersion: schemaVersion, kind: kind))
  }

  /// Writes the frame that was being collected.
  ///
  /// Each record is preceded by its distance from the smallest sequence of the frame.
  mutating func flush() throws(FileIOError) {
    guard let first = records.first else { return }
    let base = records.reduce(first.sequence) { min($0, $1.sequence) }
    var body = ByteWriter(capacity: bodies.count + records.count * 5)
    var starts: [Int] = []
    starts.reserveCapacity(records.count)
    for record in records {
      body.writeVariableLength(record.sequence.rawValue - base.rawValue)
      starts.append(body.count)
      body.writeBytes(
        UnsafeRawBufferPointer(
          rebasing: bodies.bytes[record.start..<(record.start + record.length)]))
    }
    let bodyOffset = try active.writer.append(
      SegmentWriter.Frame(
        body: body.bytes, firstSequence: base, recordCount: records.count,
        flags: [.lastOfCommit, .explicitSequences]),
      durableSequence: .zero)
    for (record, start) in zip(records, starts) {
      index(record, offset: UInt32(bodyOffset) + UInt32(start))
    }
    records.removeAll(keepingCapacity: true)
    bodies.removeAll()
  }

  private mutating func index(_ record: Record, offset: UInt32) {
    let value = IndexValue(
      sequence: record.sequence, schemaVersion: record.schemaVersion, offset: offset,
      length: UInt32(record.length), isTombstone: record.kind == .tombstone)
    let key = UnsafeRawBufferPointer(rebasing: bodies.bytes[record.key])
    builder.append(IndexKey(record.collection, key), value)
    active.account.countWritten(value)
    if record.kind == .put { active.account.countLive(record.collection, value) }
  }

  /// Writes what is left and the footer; the caller synchronizes the file.
  consuming func finish() throws(FileIOError) {
    try flush()
    let active = active
    let maximum = active.account.descriptor.maximumSequence
    let footer = builder.finish()
    try active.writer.appendFooter(
      footer.bytes, lastSequence: maximum, durableSequence: .zero)
    active.account.descriptor.dataEnd = active.writer.end
    active.account.descriptor.closingHash = active.writer.lastHash
  }
}
