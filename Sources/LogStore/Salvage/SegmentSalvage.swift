internal import BinaryCoding
internal import FileIO

/// Finds every record of a damaged segment that verifies.
///
/// 1. Look for a frame at each multiple of eight. Its header has a checksum over its place; where
///    the segment's salt is lost with its header, a frame counts when its first record verifies.
/// 2. Take each record of a frame by itself, whether the frame's body matches its checksum or not:
///    a record has its own. One that does not verify is stepped over by the length that it claims.
/// 3. Where no frame is, go on eight bytes further. Stop behind the footer.
/// 4. Leave out records whose payload nobody can read any more: they were compressed against a
///    dictionary of which no segment has a copy that verifies.
struct SegmentSalvage {
  private let file: any File
  private let name: FileName
  private let salt: UInt64?
  private let seed: UInt64
  /// Whether frames that end no commit belong to one that was finished.
  private let isComplete: Bool
  /// The dictionaries that there are, where that is known: other records than theirs are taken.
  private let dictionaries: Set<UInt32>?
  /// The dictionaries of which a copy verifies here.
  private(set) var foundDictionaries: Set<UInt32> = []
  /// The newest record of each key that verifies.
  let table = MemoryTable()
  private(set) var recordCount: UInt64 = 0
  private(set) var losses: [SalvageReport.Loss] = []
  private var lossStart: UInt64?

  init(
    _ file: any File, name: FileName, salt: UInt64?, seed: UInt64, isComplete: Bool,
    dictionaries: Set<UInt32>? = nil
  ) {
    self.dictionaries = dictionaries
    self.file = file
    self.name = name
    self.salt = salt
    self.seed = seed
    self.isComplete = isComplete
  }

  mutating func scan() throws(FileIOError) {
    let window = try FileWindow(file)
    let end = min(window.fileByteCount, LogLimits.segmentByteCount)
    var offset = UInt64(SegmentHeader.byteCount)
    if salt == nil {
      lose(0..<min(end, offset), "the segment's header does not verify")
    }
    while offset < end {
      guard let header = try header(at: offset, window, end: end),
        let length = try take(header, at: offset, window)
      else {
        lossStart = lossStart ?? offset
        offset += UInt64(FrameHeader.alignment)
        continue
      }
      endLoss(at: offset)
      if header.flags.contains(.footer) { return }
      offset += length
    }
    if let start = lossStart ?? (offset < end ? offset : nil), try !isZero(start..<end, window) {
      lose(start..<end, "no whole frame follows; it may never have been finished")
    }
  }

  /// The header of a frame that may begin there.
  private func header(
    at offset: UInt64, _ window: FileWindow, end: UInt64
  ) throws(FileIOError) -> FrameHeader? {
    let bytes = try window.bytes(at: offset, count: FrameHeader.longByteCount)
    let header =
      salt.map { FrameHeader(decoding: bytes, salt: $0, offset: offset) }
      ?? FrameHeader(unverified: bytes)
    guard let header, UInt64(header.length) <= end - offset else { return nil }
    return header
  }

  /// Takes the records of a frame; nothing when it turns out to be none.
  private mutating func take(
    _ header: FrameHeader, at offset: UInt64, _ window: FileWindow
  ) throws(FileIOError) -> UInt64? {
    if header.flags.contains(.footer) { return salt == nil ? nil : header.paddedLength }
    let bodyOffset = offset + UInt64(header.form.byteCount)
    let body = try window.bytes(at: bodyOffset, count: header.bodyByteCount)
    // Without the salt nothing else tells a frame from bytes that look like one.
    if salt == nil, !beginsWithRecord(header, body) { return nil }
    guard isComplete || header.flags.contains(.lastOfCommit) else {
      lose(
        offset..<(offset + header.paddedLength),
        "a part of a transaction that was not committed, as far as can be told")
      return header.paddedLength
    }
    var reader = ByteReader(body)
    for position in 0..<UInt64(header.recordCount) {
      do throws(BinaryDecodingError) {
        let start = reader.offset
        let loss = try takeRecord(
          &reader, of: header, body, position: position, bodyOffset: bodyOffset)
        if let reason = loss {
          lose(
            (bodyOffset + UInt64(start))..<(bodyOffset + UInt64(reader.offset)), reason)
        }
      } catch {
        lose(
          (bodyOffset + UInt64(min(reader.offset, body.count)))..<(offset + header.paddedLength),
          "\(UInt64(header.recordCount) - position) records cannot be told apart")
        break
      }
    }
    return header.paddedLength
  }

  /// The next record and its sequence; the reader moves behind it.
  private func nextRecord(
    _ reader: inout ByteReader, of frame: FrameHeader, _ body: UnsafeRawBufferPointer,
    position: UInt64
  ) throws(BinaryDecodingError) -> (
    bytes: UnsafeRawBufferPointer, start: Int, sequence: CommitSequence
  ) {
    let step =
      frame.flags.contains(.explicitSequences) ? try reader.readVariableLength() : position
    let (sum, overflow) = frame.firstSequence.rawValue.addingReportingOverflow(step)
    guard !overflow, sum < LogLimits.sequence else {
      throw .integerOutOfRange(offset: reader.offset)
    }
    let start = reader.offset
    let header = try RecordHeader(decoding: UnsafeRawBufferPointer(rebasing: body[start...]))
    return (try reader.readBytes(header.recordByteCount), start, CommitSequence(sum))
  }

  /// Whether the first record of what may be a frame verifies.
  private func beginsWithRecord(
    _ frame: FrameHeader, _ body: UnsafeRawBufferPointer
  ) -> Bool {
    var reader = ByteReader(body)
    do throws(BinaryDecodingError) {
      let (bytes, _, sequence) = try nextRecord(&reader, of: frame, body, position: 0)
      _ = try RecordDecoder.decode(bytes, sequence: sequence, seed: seed)
      return true
    } catch { return false }
  }

  /// Takes the next record and moves behind it; says why when it is lost.
  private mutating func takeRecord(
    _ reader: inout ByteReader, of frame: FrameHeader, _ body: UnsafeRawBufferPointer,
    position: UInt64, bodyOffset: UInt64
  ) throws(BinaryDecodingError) -> String? {
    let (bytes, start, sequence) = try nextRecord(&reader, of: frame, body, position: position)
    let record: RecordDecoder.Decoded
    do throws(BinaryDecodingError) {
      record = try RecordDecoder.decode(bytes, sequence: sequence, seed: seed)
    } catch { return "a record does not verify" }
    let header = record.header
    if let dictionaries, header.compression == .lz4WithDictionary,
      !dictionaries.contains(header.dictionary)
    {
      return "records were compressed against dictionary \(header.dictionary), of which no copy "
        + "verifies"
    }
    noteDictionary(record)
    recordCount += 1
    let key = IndexKey(header.collection, record.key)
    let value = IndexValue(
      sequence: sequence, schemaVersion: header.schemaVersion,
      offset: UInt32(bodyOffset) + UInt32(start), length: UInt32(bytes.count),
      isTombstone: header.kind == .tombstone)
    if let known = table.find(key), known.sequence >= value.sequence { return nil }
    table.insert(key, value)
    return nil
  }

  private mutating func noteDictionary(_ record: RecordDecoder.Decoded) {
    guard record.header.collection == .catalog, record.header.kind == .put,
      let (identifier, _) = CompressionDictionary.identifier(ofKey: record.key)
    else { return }
    do throws(BinaryDecodingError) {
      let payload = try RecordDecoder.payload(of: record, against: .empty)
      _ = try payload.withBytes { (bytes: UnsafeRawBufferPointer) throws(BinaryDecodingError) in
        try CompressionDictionary.decode(identifier, bytes)
      }
      foundDictionaries.insert(identifier.rawValue)
    } catch {}
  }

  private mutating func endLoss(at offset: UInt64) {
    guard let start = lossStart else { return }
    lossStart = nil
    lose(start..<offset, "no frame verifies here")
  }

  /// Neighbours become one, so that the list stays short where much is damaged.
  private mutating func lose(_ range: Range<UInt64>, _ reason: String) {
    if let last = losses.last, last.range.upperBound == range.lowerBound, last.reason == reason {
      losses.removeLast()
      return lose(last.range.lowerBound..<range.upperBound, reason)
    }
    losses.append(SalvageReport.Loss(file: name.description, range: range, reason: reason))
  }

  private func isZero(
    _ range: Range<UInt64>, _ window: FileWindow
  ) throws(FileIOError) -> Bool {
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
