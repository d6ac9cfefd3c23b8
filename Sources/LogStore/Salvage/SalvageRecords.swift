internal import BinaryCoding
internal import FileIO

/// Reads headers and records of a damaged segment one by one, whatever they claim.
///
/// Memory is one record. Where no checksum tells what a frame is, bytes may claim anything at each
/// multiple of eight, so work is limited: what is read, and what is checked in vain, is taken from
/// what going on in the file has earned. All together is a few times the file, whatever the bytes
/// are, and records that lie where they should are read once.
struct SalvageRecords {
  /// A frame of which records are read.
  struct Frame {
    let header: FrameHeader
    let offset: UInt64

    var bodyOffset: UInt64 { offset + UInt64(header.form.byteCount) }
    /// Where the padding begins.
    var end: UInt64 { offset + UInt64(header.length) }
  }

  /// A record that lies where its frame says.
  struct Found {
    /// With the number before it.
    let range: Range<UInt64>
    let offset: UInt64
    let sequence: CommitSequence
    /// Nothing when it does not verify; borrowed until the next is read.
    let record: RecordDecoder.Decoded?
  }

  private let window: FileWindow
  /// For what is larger, so that the other one goes on where it was.
  private let largeWindow: FileWindow
  private let seed: UInt64
  /// Bytes that may still be read or checked; nothing where frames are known by their checksums.
  private var workLeft: Int?

  private static let smallByteCount = 128 << 10
  /// Enough for one of the largest records.
  private static let workMaximum = RecordHeader.recordByteCountMaximum + (1 << 20)
  /// What going on by one byte earns.
  private static let workForByte = 4
  /// Distance from the frame's first sequence, and the record's header.
  private static let headByteCount = 10 + RecordHeader.byteCountMaximum

  var fileByteCount: UInt64 { window.fileByteCount }

  init(_ file: any File, seed: UInt64, isBounded: Bool) throws(FileIOError) {
    window = try FileWindow(file)
    largeWindow = try FileWindow(file, readsAhead: false)
    self.seed = seed
    workLeft = isBounded ? Self.workMaximum : nil
  }

  private mutating func bytes(
    at offset: UInt64, count: Int
  ) throws(FileIOError) -> UnsafeRawBufferPointer {
    let window = count <= Self.smallByteCount ? window : largeWindow
    let before = window.readByteCount
    let bytes = try window.bytes(at: offset, count: count)
    spend(Int(window.readByteCount - before))
    return bytes
  }

  private mutating func spend(_ byteCount: Int) {
    if let left = workLeft { workLeft = min(Self.workMaximum, left - byteCount) }
  }

  /// Notes that the search went on by so many bytes.
  mutating func advance(by byteCount: UInt64) {
    guard let left = workLeft else { return }
    workLeft = min(Self.workMaximum, left + Self.workForByte * Int(byteCount))
  }

  /// The bytes where a frame's header may be.
  mutating func head(at offset: UInt64) throws(FileIOError) -> UnsafeRawBufferPointer {
    try bytes(at: offset, count: FrameHeader.longByteCount)
  }

  /// The bytes of the segment's own header, or those that there are.
  mutating func segmentHeader() throws(FileIOError) -> UnsafeRawBufferPointer {
    try bytes(at: 0, count: SegmentHeader.byteCount)
  }

  /// Whether the first record of what may be a frame verifies.
  mutating func begins(_ frame: Frame) throws(FileIOError) -> Bool {
    guard frame.header.recordCount > 0 else { return false }
    return try next(at: frame.bodyOffset, of: frame, 0)?.record != nil
  }

  /// The record of a frame at `offset`, its `position`th; nothing where none can be there, or the
  /// work that it asks for has not been earned.
  mutating func next(
    at offset: UInt64, of frame: Frame, _ position: UInt64
  ) throws(FileIOError) -> Found? {
    if let left = workLeft, left <= 0 { return nil }
    guard let place = try place(at: offset, of: frame, position) else { return nil }
    if let left = workLeft, left < place.byteCount { return nil }
    return try record(at: place)
  }

  /// Where a record says that it lies.
  private struct Place {
    let start: UInt64
    let offset: UInt64
    let byteCount: Int
    let sequence: CommitSequence
  }

  private mutating func place(
    at offset: UInt64, of frame: Frame, _ position: UInt64
  ) throws(FileIOError) -> Place? {
    guard offset < frame.end else { return nil }
    let head = try bytes(
      at: offset, count: Int(min(UInt64(Self.headByteCount), frame.end - offset)))
    do throws(BinaryDecodingError) {
      var reader = ByteReader(head)
      let step =
        frame.header.flags.contains(.explicitSequences)
        ? try reader.readVariableLength() : position
      let (sum, overflow) = frame.header.firstSequence.rawValue.addingReportingOverflow(step)
      let start = reader.offset
      let header = try RecordHeader(
        decoding: UnsafeRawBufferPointer(rebasing: head[start...]))
      let place = offset + UInt64(start)
      guard !overflow, sum < LogLimits.sequence,
        UInt64(header.recordByteCount) <= frame.end - place
      else { return nil }
      return Place(
        start: offset, offset: place, byteCount: header.recordByteCount,
        sequence: CommitSequence(sum))
    } catch { return nil }
  }

  /// Nothing where the file has ended meanwhile.
  private mutating func record(at place: Place) throws(FileIOError) -> Found? {
    let bytes = try bytes(at: place.offset, count: place.byteCount)
    guard bytes.count == place.byteCount else { return nil }
    var record: RecordDecoder.Decoded?
    do throws(BinaryDecodingError) {
      record = try RecordDecoder.decode(bytes, sequence: place.sequence, seed: seed)
      // What verifies is read again as one of its frame, and others may follow it there.
      spend(-place.byteCount)
    } catch { spend(place.byteCount) }
    return Found(
      range: place.start..<(place.offset + UInt64(place.byteCount)), offset: place.offset,
      sequence: place.sequence, record: record)
  }

  /// Whether the file holds only zeros in `range`, as far as it goes.
  func isZero(_ range: Range<UInt64>) throws(FileIOError) -> Bool {
    var offset = range.lowerBound
    while offset < range.upperBound {
      let bytes = try window.bytes(at: offset, count: 64 << 10)
      if bytes.isEmpty { return true }
      if !bytes.allSatisfy({ $0 == 0 }) { return false }
      offset += UInt64(bytes.count)
    }
    return true
  }
}
