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
  private(set) var end: UInt64
  /// The chain hash of the last frame.
  private(set) var lastHash: UInt64
  private var allocatedEnd: UInt64
  private let scratch: UnsafeMutableRawPointer
  /// The file is extended ahead in steps of this many bytes.
  private let allocationByteCount: UInt64

  private init(
    header: SegmentHeader, encoded: [UInt8], file: any File, allocationByteCount: UInt64
  ) {
    self.allocationByteCount = allocationByteCount
    self.header = header
    self.file = file
    end = UInt64(SegmentHeader.byteCount)
    allocatedEnd = end
    lastHash = encoded.withBytes { FrameHeader.chainHash($0, salt: header.salt) }
    scratch = .allocate(byteCount: FrameHeader.byteCount, alignment: 8)
    scratch.initializeMemory(as: UInt8.self, repeating: 0, count: FrameHeader.byteCount)
  }

  deinit { scratch.deallocate() }

  /// Creates the segment's file with its header; nothing is durable yet, and after an error nothing
  /// is left.
  static func create(
    _ header: SegmentHeader, in directory: any Directory, allocationByteCount: UInt64
  ) throws(FileIOError) -> SegmentWriter {
    let name = StoreDirectory.segment(header.segment)
    let file = try directory.open(name, .createNew)
    let encoded = header.encode()
    do throws(FileIOError) {
      try encoded.withBytes { (bytes: UnsafeRawBufferPointer) throws(FileIOError) in
        try file.write([bytes], at: 0)
      }
    } catch {
      do throws(FileIOError) { try directory.remove(name) } catch {}
      throw error
    }
    return SegmentWriter(
      header: header, encoded: encoded, file: file, allocationByteCount: allocationByteCount)
  }

  /// Appends one frame in one write; returns where its body starts.
  func append(
    body: UnsafeRawBufferPointer, firstSequence: CommitSequence, recordCount: Int,
    flags: FrameHeader.Flags, durableSequence: CommitSequence
  ) throws(FileIOError) -> UInt64 {
    let length = FrameHeader.byteCount + body.count
    let frame = FrameHeader(
      length: UInt32(length), firstSequence: firstSequence, recordCount: UInt32(recordCount),
      flags: flags, durableSequence: durableSequence, previousHash: lastHash,
      bodyChecksum: Checksum.xxh64(body, seed: header.salt))
    frame.encode(to: scratch, salt: header.salt, offset: end)
    let head = UnsafeRawBufferPointer(start: scratch, count: FrameHeader.byteCount)
    let padding = Int(frame.paddedLength) - length
    try reserve(frame.paddedLength)
    let zeros: UInt64 = 0
    try withUnsafeBytes(of: zeros) { (pad: UnsafeRawBufferPointer) throws(FileIOError) in
      let tail = UnsafeRawBufferPointer(rebasing: pad[..<padding])
      try file.write(padding == 0 ? [head, body] : [head, body, tail], at: end)
    }
    let bodyOffset = end + UInt64(FrameHeader.byteCount)
    lastHash = FrameHeader.chainHash(head, salt: header.salt)
    end += frame.paddedLength
    return bodyOffset
  }

  /// Appends the footer and cuts the reserved space behind it; the caller synchronizes the file.
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
      body: footer, firstSequence: lastSequence, recordCount: 0, flags: [.footer],
      durableSequence: durableSequence)
    try file.truncate(to: end)
    allocatedEnd = end
  }

  private func reserve(_ byteCount: UInt64) throws(FileIOError) {
    guard end + byteCount > allocatedEnd else { return }
    let target = end + max(byteCount, allocationByteCount)
    try file.allocate(allocatedEnd..<target)
    allocatedEnd = target
  }
}
