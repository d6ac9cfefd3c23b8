internal import BinaryCoding
internal import FileIO

/// Walks the frames of a segment front to back; recovery, compaction, `verify` and the rebuilding
/// of footers all use it.
///
/// It never looks past a frame that does not verify: it yields a prefix of what was written.
struct FrameScanner {
  /// A frame whose header and body verify; `body` is valid until the scanner moves.
  struct Frame {
    let offset: UInt64
    let header: FrameHeader
    let body: UnsafeRawBufferPointer
    /// The chain hash that the next frame must name.
    let hash: UInt64

    /// Where the frame's body starts in the file.
    var bodyOffset: UInt64 { offset + UInt64(header.form.byteCount) }
    /// Where the next frame starts.
    var end: UInt64 { offset + header.paddedLength }
    /// The sequence of the commit's last record, for frames in order of sequence.
    var lastSequence: CommitSequence {
      CommitSequence(header.firstSequence.rawValue + UInt64(header.recordCount) - 1)
    }

    /// Whether this can be the commit after the one that ended with `sequence`, or a part of a
    /// large one. That may end with a part without records: earlier versions wrote such.
    func follows(_ sequence: CommitSequence, asPart: Bool = false) -> Bool {
      (header.recordCount > 0 || (asPart && header.flags == [.lastOfCommit]))
        && (header.firstSequence.rawValue == sequence.rawValue + 1
          || PlantedBug.badFrameSkipped.isPlanted)
        && (header.flags == [.lastOfCommit] || (asPart && header.flags == []))
        // There are numbers for a commit after it, or bytes tell of what nobody wrote.
        && lastSequence.rawValue < LogLimits.sequence
    }
  }

  /// Where a frame starts, and what its header says.
  struct LastFrame {
    let offset: UInt64
    let header: FrameHeader
  }

  /// What the scanner found at its offset.
  enum Step {
    case frame(Frame)
    /// The footer's frame: the records end here.
    case footer(Frame)
    /// The file, or its written part, ends here.
    case end
    /// Bytes that are not a whole, verifying frame.
    case damaged(reason: String)
  }

  let window: FileWindow
  private let segment: SegmentHeader
  private(set) var offset: UInt64
  private(set) var hash: UInt64
  /// The frame before that, once one was read.
  private(set) var last: LastFrame?
  private let limit: UInt64

  /// Starts after the segment's header, which has `bytes`; `limit` is where the records end, where
  /// that is known.
  init(
    _ file: any File, of segment: SegmentHeader, _ bytes: UnsafeRawBufferPointer, limit: UInt64?
  ) throws(FileIOError) {
    window = try FileWindow(file)
    self.segment = segment
    offset = UInt64(SegmentHeader.byteCount)
    hash = FrameHeader.chainHash(ofSegment: bytes, salt: segment.salt)
    self.limit = min(
      limit ?? window.fileByteCount, window.fileByteCount, LogLimits.segmentByteCount)
  }

  /// Goes on behind a frame that was read before, with what was written to the file since.
  init(_ file: any File, after tail: RecoveredTail) throws(FileIOError) {
    window = try FileWindow(file)
    segment = tail.header
    offset = tail.end
    hash = tail.hash
    last = tail.last
    limit = min(window.fileByteCount, LogLimits.segmentByteCount)
  }

  /// Whether the frame that was read last is there still: a writer cuts off what an append left
  /// that failed, and whole frames may be among it.
  func hasLast() throws(FileIOError) -> Bool {
    guard offset <= window.fileByteCount else { return false }
    guard let last else { return true }
    let bytes = try window.bytes(at: last.offset, count: FrameHeader.longByteCount)
    return header(bytes, at: last.offset) == last.header
  }

  /// Reads the frame at the current offset and moves behind it; stays where it is otherwise.
  mutating func next() throws(FileIOError) -> Step {
    guard offset < limit else { return .end }
    let head = try window.bytes(at: offset, count: FrameHeader.longByteCount)
    if head.count >= 4, head.loadUnaligned(as: UInt32.self) == 0 {
      return try isZero(from: offset)
        ? .end : .damaged(reason: "zero bytes where a frame should start")
    }
    guard let header = header(head, at: offset) else {
      return .damaged(reason: "the frame's header does not verify")
    }
    guard header.follows(hash) else {
      return .damaged(reason: "the frame does not follow the one before it")
    }
    guard header.paddedLength <= limit - offset || header.flags.contains(.footer) else {
      return .damaged(reason: "the frame ends beyond the end of the data")
    }
    return try readFrame(header)
  }

  /// The header that `bytes` are at `offset`, if they verify as one that this segment may have.
  func header(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) -> FrameHeader? {
    guard let header = FrameHeader(decoding: bytes, salt: segment.salt, offset: offset),
      header.form == .long || segment.mayHaveShortFrames
    else { return nil }
    return header
  }

  /// Whether a frame's header verifies at any place from `distance` bytes behind the scanner's
  /// offset on for which `isWanted` holds, whatever lies between.
  func hasHeader(
    behind distance: UInt64 = 0, where isWanted: (FrameHeader) -> Bool
  ) throws(FileIOError) -> Bool {
    var place = offset + distance
    // Behind that no frame can lie, whatever the file's size is.
    let end = min(window.fileByteCount, LogLimits.segmentByteCount)
    while place < end {
      let bytes = try window.bytes(at: place, count: FrameHeader.longByteCount)
      if let header = header(bytes, at: place), isWanted(header) { return true }
      place += UInt64(FrameHeader.alignment)
    }
    return false
  }

  #if PLANTED_BUGS
    /// Moves to the next frame whose header verifies, as ``PlantedBug/badFrameSkipped`` does.
    mutating func skipDamage() throws(FileIOError) -> Bool {
      var place = offset + UInt64(FrameHeader.alignment)
      while place < limit {
        let bytes = try window.bytes(at: place, count: FrameHeader.longByteCount)
        if let header = header(bytes, at: place) {
          offset = place
          hash = header.previousHash
          return true
        }
        place += UInt64(FrameHeader.alignment)
      }
      return false
    }
  #endif

  private mutating func readFrame(_ header: FrameHeader) throws(FileIOError) -> Step {
    let bytes = try window.bytes(at: offset, count: Int(header.paddedLength))
    guard bytes.count == Int(header.paddedLength) else {
      return .damaged(reason: "the file ends inside the frame")
    }
    let head = UnsafeRawBufferPointer(rebasing: bytes[..<header.form.byteCount])
    let body = UnsafeRawBufferPointer(
      rebasing: bytes[header.form.byteCount..<Int(header.length)])
    let frame = Frame(
      offset: offset, header: header, body: body,
      hash: header.chainHash(head, body, salt: segment.salt))
    guard isWhole(frame) || PlantedBug.halfCommitApplied.isPlanted else {
      return .damaged(reason: "the frame's body does not match its checksum")
    }
    guard bytes[Int(header.length)...].allSatisfy({ $0 == 0 }) else {
      return .damaged(reason: "the frame's padding is not zero")
    }
    offset = frame.end
    hash = frame.hash
    last = LastFrame(offset: frame.offset, header: header)
    return header.flags.contains(.footer) ? .footer(frame) : .frame(frame)
  }

  /// Whether a frame's body is what was written: by the header's checksum, or those of the records.
  private func isWhole(_ frame: Frame) -> Bool {
    switch frame.header.form {
    case .long:
      return Checksum.xxh64(frame.body, seed: segment.salt) == frame.header.bodyChecksum
    case .short:
      var records = FrameRecords(frame, seed: segment.store.checksumSeed)
      do throws(BinaryDecodingError) {
        while try records.next() != nil {}
        return true
      } catch { return false }
    }
  }

  /// Whether the file holds only zeros from `start` on: space that was reserved and never written.
  func isZero(from start: UInt64) throws(FileIOError) -> Bool {
    var position = start
    while position < limit {
      let bytes = try window.bytes(at: position, count: 64 << 10)
      if bytes.isEmpty { return true }
      if !bytes.allSatisfy({ $0 == 0 }) { return false }
      position += UInt64(bytes.count)
    }
    return true
  }
}
