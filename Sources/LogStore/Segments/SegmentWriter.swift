internal import BinaryCoding
internal import FileIO

/// Appends frames to one segment; used by one thread at a time.
///
/// After a failed append the end is where it was: what lies beyond is not trusted and never
/// appended to.
final class SegmentWriter {
  let header: SegmentHeader
  let file: any File
  /// Where the next frame starts.
  @exclusivity(unchecked) private(set) var end: UInt64
  /// False after a write that failed: then something else may lie behind the end.
  @exclusivity(unchecked) private(set) var isTailTrusted = true
  /// The chain hash of the last frame.
  @exclusivity(unchecked) private(set) var lastHash: UInt64
  @exclusivity(unchecked) private var allocatedEnd: UInt64
  /// Where no more could be reserved ahead.
  @exclusivity(unchecked) private var failedLeadEnd: UInt64?
  /// How far the system was told to begin writing to the disk.
  @exclusivity(unchecked) private var startedEnd: UInt64 = 0
  /// It is told in steps of this many bytes.
  private static let startedByteCount: UInt64 = 256 << 10
  /// Whether little is reserved ahead, as on a full disk.
  @exclusivity(unchecked) var savesRoom = false
  /// Whether a footer lies behind the end.
  @exclusivity(unchecked) private var hasFooter = false
  /// Eight bytes of padding.
  private let zeros: UnsafeMutableRawPointer
  /// Frames that are written as one piece, or the headers of larger ones; used again for the next.
  @exclusivity(unchecked) private var gathered = ByteWriter()
  /// Copying this much costs less than handing the system its parts.
  private static let gatheredByteCountMaximum = 16 << 10
  /// The file is extended ahead in steps of this many bytes.
  private let allocationByteCount: UInt64

  private init(_ header: SegmentHeader, _ file: any File, allocationByteCount: UInt64) {
    self.allocationByteCount = allocationByteCount
    self.header = header
    self.file = file
    end = UInt64(SegmentHeader.byteCount)
    allocatedEnd = end
    lastHash = header.encode().withBytes { FrameHeader.chainHash(ofSegment: $0, salt: header.salt) }
    zeros = .allocate(byteCount: FrameHeader.alignment, alignment: 8)
    zeros.initializeMemory(as: UInt8.self, repeating: 0, count: FrameHeader.alignment)
  }

  deinit { zeros.deallocate() }

  /// Creates the segment's file with its header; nothing is durable yet, and after an error nothing
  /// is left.
  static func create(
    _ header: SegmentHeader, in directory: any Directory, allocationByteCount: UInt64
  ) throws(FileIOError) -> SegmentWriter {
    let made = try createEmpty(header, in: directory, allocationByteCount: allocationByteCount)
    do throws(FileIOError) { try made.writeHeader() } catch {
      do throws(FileIOError) {
        try directory.remove(StoreDirectory.segment(header.segment))
      } catch {}
      throw error
    }
    return made
  }

  /// Creates the segment's file, for which ``writeHeader()`` is called before all else.
  static func createEmpty(
    _ header: SegmentHeader, in directory: any Directory, allocationByteCount: UInt64
  ) throws(FileIOError) -> SegmentWriter {
    let file = try directory.open(StoreDirectory.segment(header.segment), .createNew)
    return SegmentWriter(header, file, allocationByteCount: allocationByteCount)
  }

  /// Writes the header; it is not durable yet.
  func writeHeader() throws(FileIOError) {
    try header.encode().withBytes { (bytes: UnsafeRawBufferPointer) throws(FileIOError) in
      try file.write([bytes], at: 0)
    }
  }

  /// A frame to append: records that are encoded and numbered.
  struct Frame {
    let body: UnsafeRawBufferPointer
    let firstSequence: CommitSequence
    let recordCount: Int
    let flags: FrameHeader.Flags
    var form = FrameHeader.Form.long

    var byteCount: Int { form.byteCount + body.count }
    /// With the padding behind it.
    var paddedByteCount: UInt64 { FrameHeader.padded(UInt64(byteCount)) }
  }

  /// The shortest form that a commit's frame can have in this segment.
  func form(of frame: Frame, durableSequence: CommitSequence) -> FrameHeader.Form {
    let isShort =
      header.mayHaveShortFrames && frame.flags == [.lastOfCommit]
      && ShortFrameHeader.fits(
        bodyByteCount: frame.body.count, recordCount: frame.recordCount,
        firstSequence: frame.firstSequence, durableSequence: durableSequence)
    return isShort ? .short : .long
  }

  /// How the file is extended ahead of the records.
  enum Extension {
    /// By reserving blocks: costs one call.
    case reserving
    /// By writing zeros: synchronizing blocks that were written before needs no change of the file
    /// system's own records, which makes each small durable commit that follows cheaper.
    case zeroing
  }

  /// Appends frames in one write; returns where the first starts. Each takes its padded bytes.
  func append(
    _ frames: [Frame], durableSequence: CommitSequence, extending: Extension = .reserving
  ) throws(FileIOError) -> UInt64 {
    let byteCount = frames.reduce(0) { $0 + Int($1.paddedByteCount) }
    let isGathered = byteCount <= Self.gatheredByteCountMaximum
    gathered.removeAll()
    // All at once, so that nothing moves any more.
    gathered.reserve(isGathered ? byteCount : FrameHeader.longByteCount * frames.count)
    var offset = end
    var hash = lastHash
    var parts: [UnsafeRawBufferPointer] = []
    if !isGathered { parts.reserveCapacity(3 * frames.count) }
    for frame in frames {
      let header = header(of: frame, durableSequence: durableSequence, previousHash: hash)
      let headBytes = encode(header, at: offset)
      hash = header.chainHash(headBytes, frame.body, salt: self.header.salt)
      let padding = Int(frame.paddedByteCount) - frame.byteCount
      if isGathered {
        gathered.writeBytes(frame.body)
        gathered.writeZeros(padding)
      } else {
        parts.append(headBytes)
        parts.append(frame.body)
        if padding > 0 { parts.append(UnsafeRawBufferPointer(start: zeros, count: padding)) }
      }
      offset += frame.paddedByteCount
    }
    try extend(by: offset - end, extending)
    isTailTrusted = PlantedBug.appendedBehindTornWrite.isPlanted
    defer { if PlantedBug.appendedBehindTornWrite.isPlanted { end = offset } }
    if isGathered {
      try file.write(gathered.bytes, at: end)
    } else {
      try file.write(parts, at: end)
    }
    isTailTrusted = true
    let start = end
    end = offset
    lastHash = hash
    return start
  }

  /// Lets what is not to be synchronized now begin to go to the disk, so that the seal has less to
  /// wait for; but for the last step and what is behind it. Appends may still go through a mapping
  /// of these, and when the system writes a mapped page, each processor that runs the program is
  /// interrupted.
  func startWriting() {
    let step = Self.startedByteCount
    guard end >= startedEnd + 2 * step else { return }
    startWriting(to: (end / step - 1) * step)
  }

  /// Lets all whole pages begin to go to the disk: for files that nobody maps as they grow.
  func startWritingPages() { startWriting(to: end & ~4095) }

  /// Lets all begin to go to the disk: for what is synchronized after other work.
  func startWritingAll() { startWriting(to: end) }

  private func startWriting(to end: UInt64) {
    // A footer that is appended again, as the manifest could not be written, lies there already.
    guard startedEnd < end else { return }
    file.startWriting(startedEnd..<end)
    startedEnd = end
  }

  private func header(
    of frame: Frame, durableSequence: CommitSequence, previousHash: UInt64
  ) -> FrameHeader {
    precondition(
      frame.form == .long || header.mayHaveShortFrames,
      "older readers take a short header for damage where no flag refuses them")
    return FrameHeader(
      frame.form, length: UInt32(frame.byteCount), firstSequence: frame.firstSequence,
      recordCount: UInt32(frame.recordCount), flags: frame.flags,
      durableSequence: durableSequence, previousHash: previousHash,
      bodyChecksum: frame.form == .long ? Checksum.xxh64(frame.body, seed: header.salt) : 0)
  }

  /// The bytes of a header, valid until the next append.
  private func encode(_ header: FrameHeader, at offset: UInt64) -> UnsafeRawBufferPointer {
    let position = gathered.count
    gathered.writeZeros(header.form.byteCount)
    let bytes = UnsafeMutableRawBufferPointer(rebasing: gathered.mutableBytes[position...])
    guard let target = bytes.baseAddress else {
      preconditionFailure("room for a header was made before")
    }
    header.encode(to: target, salt: self.header.salt, offset: offset)
    return UnsafeRawBufferPointer(bytes)
  }

  /// Appends one frame; returns where its body starts.
  func append(_ frame: Frame, durableSequence: CommitSequence) throws(FileIOError) -> UInt64 {
    try append([frame], durableSequence: durableSequence) + UInt64(frame.form.byteCount)
  }

  /// Appends the footer, cuts the reserved space behind it, and lets all begin to go to the disk;
  /// the caller synchronizes the file.
  ///
  /// The end stays at the start of the footer: that is where the records end.
  func appendFooter(
    _ footer: UnsafeRawBufferPointer, lastSequence: CommitSequence,
    durableSequence: CommitSequence
  ) throws(FileIOError) {
    let dataEnd = end
    let dataHash = lastHash
    defer {
      end = dataEnd
      lastHash = dataHash
    }
    _ = try append(
      Frame(body: footer, firstSequence: lastSequence, recordCount: 0, flags: [.footer]),
      durableSequence: durableSequence)
    hasFooter = true
    try file.truncate(to: end)
    allocatedEnd = end
    startWriting(to: end)
  }

  /// Cuts off the footer of a segment that could not be sealed, so that frames may follow.
  func removeFooter() throws(FileIOError) {
    guard hasFooter else { return }
    try file.truncate(to: end)
    hasFooter = false
    allocatedEnd = end
    startedEnd = min(startedEnd, end)
  }

  /// Larger files are extended to multiples of it, at which windows for appends end, too.
  private static let allocationUnit: UInt64 = 256 << 10
  /// Fewer bytes are not reserved ahead.
  private static let allocationByteCountMinimum: UInt64 = 64 << 10
  /// A small commit waits until so many zeros are on the disk.
  private static let zeroedByteCountMaximum: UInt64 = 1 << 20

  /// Extends the file ahead; after a failure, all that lies behind the end are zeros.
  private func extend(by byteCount: UInt64, _ way: Extension) throws(FileIOError) {
    // Where appends go through windows, the next one is made ready before they reach it.
    let leads =
      way == .reserving && !savesRoom && allocationByteCount >= Self.allocationUnit
      && failedLeadEnd != allocatedEnd
    let lead = leads ? Self.allocationUnit / 2 : 0
    guard end + byteCount + lead > allocatedEnd else { return }
    let step =
      savesRoom
      ? min(allocationByteCount, Self.allocationByteCountMinimum)
      : way == .zeroing
        ? min(allocationByteCount, Self.zeroedByteCountMaximum) : allocationByteCount
    do throws(FileIOError) {
      try extend(by: byteCount, inStepsOf: step, way)
    } catch {
      guard error.reason == .noSpace else { throw error }
      // What was ahead only is tried again where it is needed.
      defer { failedLeadEnd = allocatedEnd }
      if end + byteCount <= allocatedEnd { return }
      // On a disk that is nearly full there may be room for less.
      if step > Self.allocationByteCountMinimum,
        (try? extend(by: byteCount, inStepsOf: Self.allocationByteCountMinimum, way)) != nil
      {
        return
      }
      guard byteCount < allocationByteCount else { throw error }
      try extend(to: end + byteCount, .reserving)
    }
  }

  private func extend(
    by byteCount: UInt64, inStepsOf step: UInt64, _ way: Extension
  ) throws(FileIOError) {
    let unit = step < Self.allocationUnit ? 1 : Self.allocationUnit
    try extend(to: (end + max(byteCount, step) + unit - 1) / unit * unit, way)
  }

  private func extend(to target: UInt64, _ way: Extension) throws(FileIOError) {
    // Where a write failed, more may be reserved than the steps of now would.
    guard target > allocatedEnd else { return }
    do throws(FileIOError) {
      switch way {
      case .reserving: try file.allocate(allocatedEnd..<target)
      case .zeroing: try writeZeros(allocatedEnd..<target)
      }
    } catch {
      // A part of it may have been given, and would be missed on a full disk.
      do throws(FileIOError) { try file.truncate(to: allocatedEnd) } catch {}
      throw error
    }
    allocatedEnd = target
  }

  private func writeZeros(_ range: Range<UInt64>) throws(FileIOError) {
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 8)
    piece.initializeMemory(as: UInt8.self, repeating: 0)
    defer { piece.deallocate() }
    var parts: [UnsafeRawBufferPointer] = []
    var left = Int(range.upperBound - range.lowerBound)
    while left > 0 {
      parts.append(UnsafeRawBufferPointer(rebasing: piece[..<min(left, piece.count)]))
      left -= piece.count
    }
    try file.write(parts, at: range.lowerBound)
  }
}
