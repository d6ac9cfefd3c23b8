internal import BinaryCoding
internal import FileIO

/// The index at the end of a sealed segment: a frame flagged as footer whose body is an index run.
///
/// It is derived: a damaged or missing one is rebuilt from the segment's records.
enum SegmentFooter {
  /// Opens the footer that starts at `dataEnd`.
  static func open(
    file: any File, mapping: MappedBytes?, dataEnd: UInt64, salt: UInt64
  ) throws(RunDamage) -> IndexRun {
    let fileByteCount: UInt64
    if let mapping {
      fileByteCount = UInt64(mapping.bytes.count)
    } else {
      do throws(FileIOError) { fileByteCount = try file.size() } catch { throw .fileIO(error) }
    }
    let start = dataEnd + UInt64(FrameHeader.longByteCount)
    guard start <= fileByteCount,
      let header = try header(file, mapping, at: dataEnd, salt: salt),
      header.flags.contains(.footer), header.paddedLength <= fileByteCount - dataEnd
    else { throw .damaged("there is no footer at offset \(dataEnd)") }
    if let mapping {
      let source = RunPageSource(
        memory: mapping, start: Int(start), byteCount: header.bodyByteCount)
      return try IndexRun(source, salt: salt)
    }
    let source = RunPageSource(file: file, start: start, byteCount: header.bodyByteCount)
    return try IndexRun(source, salt: salt)
  }

  private static func header(
    _ file: any File, _ mapping: MappedBytes?, at offset: UInt64, salt: UInt64
  ) throws(RunDamage) -> FrameHeader? {
    if let mapping {
      defer { withExtendedLifetime(mapping) {} }
      let end = Int(offset) + FrameHeader.longByteCount
      return FrameHeader(
        decoding: UnsafeRawBufferPointer(rebasing: mapping.bytes[Int(offset)..<end]), salt: salt,
        offset: offset)
    }
    do throws(FileIOError) {
      return try FrameHeader.read(from: file, at: offset, salt: salt)
    } catch { throw .fileIO(error) }
  }

  /// The same index made from the records; memory is the index's own size.
  static func rebuild(
    _ segment: Segment, file: any File, seed: UInt64
  ) throws(LogError) -> IndexRun {
    let table = MemoryTable()
    try scan(segment, file: file, seed: seed) { (located) throws(LogError) in
      let key = IndexKey(located.record.header.collection, located.record.key)
      if let known = table.find(key), known.sequence > located.sequence { return }
      table.insert(key, located.value)
    }
    let run = encode(table.publish(), salt: segment.salt)
    let bytes = MappedRunBytes.copy(of: run.bytes)
    do throws(RunDamage) {
      return try IndexRun(
        RunPageSource(memory: bytes, start: 0, byteCount: bytes.bytes.count), salt: segment.salt)
    } catch { preconditionFailure("a run that was just built must be readable: \(error)") }
  }

  /// The run of all keys of a table.
  static func encode(_ table: PublishedTable, salt: UInt64) -> ByteWriter {
    var builder = IndexRunBuilder(salt: salt, keyCount: table.count)
    var cursor = table.cursor(from: nil)
    while let window = cursor.window {
      builder.append(window)
      cursor.advanceWindow()
    }
    return builder.finish()
  }

  /// Hands every record of a sealed segment to `body`; anything that does not verify is corruption.
  static func scan(
    _ segment: Segment, file: any File, seed: UInt64,
    _ body: (FrameRecords.Located) throws(LogError) -> Void
  ) throws(LogError) {
    let (header, headerBytes) = try segment.checkedHeader(of: file)
    var scanner: FrameScanner
    do throws(FileIOError) {
      scanner = try headerBytes.withBytes { (bytes: UnsafeRawBufferPointer) throws(FileIOError) in
        try FrameScanner(file, of: header, bytes, limit: segment.dataEnd)
      }
    } catch { throw .fileIO(error) }
    while true {
      let step: FrameScanner.Step
      do throws(FileIOError) { step = try scanner.next() } catch { throw .fileIO(error) }
      switch step {
      case .frame(let frame):
        try records(of: frame, in: segment, seed: seed, body)
      case .damaged(let reason):
        throw segment.damage(at: scanner.offset, reason)
      case .end, .footer:
        guard scanner.offset == segment.dataEnd else {
          throw segment.damage(at: scanner.offset, "the records end too early")
        }
        return
      }
    }
  }

  private static func records(
    of frame: FrameScanner.Frame, in segment: Segment, seed: UInt64,
    _ body: (FrameRecords.Located) throws(LogError) -> Void
  ) throws(LogError) {
    var records = FrameRecords(frame, seed: seed)
    while true {
      let located: FrameRecords.Located?
      do throws(BinaryDecodingError) {
        located = try records.next()
      } catch { throw segment.damage(at: frame.offset, "record: \(error)") }
      guard let located else { return }
      try body(located)
    }
  }
}
