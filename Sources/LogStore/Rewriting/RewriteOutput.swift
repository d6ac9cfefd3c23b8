internal import BinaryCoding
internal import FileIO

/// One output segment of a rewrite while it is written: records by key, in frames of 256 KiB.
///
/// Memory is two frames plus the segment's index.
struct RewriteOutput: ~Copyable {
  let active: ActiveSegment
  private let unmapping: Unmapping?
  private var builder: IndexRunBuilder
  private var pending = ByteWriter(capacity: RewriteOutput.frameByteCount + (64 << 10))
  private var body = ByteWriter(capacity: RewriteOutput.frameByteCount + (64 << 10))
  private var records: [Record] = []
  /// Live records of the last version that were not counted yet.
  private var uncounted: (version: CollectionVersion, totals: RecordTotals)?

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

  /// No frame is written to the segment before `unmapping` is done.
  init(_ active: ActiveSegment, waitingForRoom unmapping: Unmapping? = nil) {
    self.active = active
    self.unmapping = unmapping
    builder = IndexRunBuilder(salt: active.segment.salt)
  }

  /// Bytes of the segment so far, with what still waits for its frame.
  var byteCount: UInt64 { active.writer.end + UInt64(pending.count) }

  /// Bytes of the segment's index so far, without the keys that wait for their frame.
  var indexByteCount: Int { builder.byteCount }

  /// Adds an encoded record whose checksum is finished; `header` is its header.
  mutating func append(
    _ bytes: UnsafeRawBufferPointer, _ header: RecordHeader, sequence: CommitSequence
  ) throws(FileIOError) {
    if let last = records.last {
      // What describes the data and its copies lie in different frames: one header hides one only.
      let isApart = header.collection >= .catalogCopies && header.collection != last.collection
      if isApart || pending.count + bytes.count > Self.frameByteCount { try flush() }
    }
    let start = pending.count
    pending.writeBytes(bytes)
    let keyStart = start + header.keyOffset
    records.append(
      Record(
        start: start, length: bytes.count, sequence: sequence, collection: header.collection,
        key: keyStart..<(keyStart + header.keyLength), schemaVersion: header.schemaVersion,
        kind: header.kind))
    active.account.descriptor.dictionaryUses.count(header)
  }

  /// Writes the frame that was being collected.
  ///
  /// Each record is preceded by its distance from the smallest sequence of the frame.
  mutating func flush() throws(FileIOError) {
    unmapping?.waitUntilDone()
    guard let first = records.first else { return }
    let base = records.reduce(first.sequence) { min($0, $1.sequence) }
    // The body's start is known before it is written: the frame goes to the segment's end.
    let bodyOffset = active.writer.end + UInt64(FrameHeader.longByteCount)
    body.removeAll()
    for record in records {
      body.writeVariableLength(record.sequence.rawValue - base.rawValue)
      index(record, offset: UInt32(bodyOffset) + UInt32(body.count))
      body.writeBytes(
        UnsafeRawBufferPointer(
          rebasing: pending.bytes[record.start..<(record.start + record.length)]))
    }
    let written = try active.writer.append(
      SegmentWriter.Frame(
        body: body.bytes, firstSequence: base, recordCount: records.count,
        flags: [.lastOfCommit, .explicitSequences]),
      durableSequence: .zero)
    precondition(written == bodyOffset, "a frame must be written to the end of its segment")
    active.writer.startWritingPages()
    records.removeAll(keepingCapacity: true)
    pending.removeAll()
  }

  private mutating func index(_ record: Record, offset: UInt32) {
    let value = IndexValue(
      sequence: record.sequence, schemaVersion: record.schemaVersion, offset: offset,
      length: UInt32(record.length), isTombstone: record.kind == .tombstone)
    let key = UnsafeRawBufferPointer(rebasing: pending.bytes[record.key])
    builder.append(IndexKey(record.collection, key), value)
    active.account.countWritten(value)
    if record.kind == .put { countLive(record) }
  }

  /// Records of one version mostly follow each other, and are entered together.
  private mutating func countLive(_ record: Record) {
    let version = CollectionVersion(
      collection: record.collection, schemaVersion: record.schemaVersion)
    if uncounted?.version != version {
      enterLive()
      uncounted = (version, RecordTotals())
    }
    uncounted?.totals.add(byteCount: UInt64(record.length))
  }

  private mutating func enterLive() {
    guard let counted = uncounted.take() else { return }
    active.account.descriptor.live.add(counted.version, counted.totals)
  }

  /// Writes what is left and the footer; the caller synchronizes the file.
  consuming func finish() throws(FileIOError) {
    try flush()
    enterLive()
    let active = active
    let maximum = active.account.descriptor.maximumSequence
    let heads = builder.heads
    let footer = builder.finish()
    try active.writer.appendFooter(
      footer.bytes, lastSequence: maximum, durableSequence: .zero)
    active.account.measuredIndexByteCount = UInt64(footer.count)
    active.account.descriptor.dataEnd = active.writer.end
    active.account.descriptor.closingHash = active.writer.lastHash
    active.account.descriptor.heads = heads
  }
}
