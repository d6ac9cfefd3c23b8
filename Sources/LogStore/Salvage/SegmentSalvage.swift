internal import BinaryCoding
internal import FileIO

/// Finds every record of a damaged segment that verifies.
///
/// 1. Look for a frame at each multiple of eight. Its header has a checksum over its place; where
///    the segment's salt is lost with its header, a frame counts when its first record verifies,
///    and reaches as far as its records do.
/// 2. Take each record of a frame by itself, whether the frame's body matches its checksum or not:
///    a record has its own. One that does not verify is stepped over by the length that it claims.
/// 3. Where no frame is, go on eight bytes further. Stop behind the footer.
/// 4. Leave out records whose payload nobody can read any more: they were compressed against a
///    dictionary of which no segment has a copy that verifies. And leave out parts of a large
///    commit of which others are missing.
struct SegmentSalvage {
  private let victim: SalvageVictim
  private let name: FileName
  private var records: SalvageRecords
  /// The dictionaries that there are, where that is known: other records than theirs are taken.
  private let dictionaries: Set<UInt32>?
  /// The dictionaries of which a copy verifies here.
  private(set) var foundDictionaries: Set<UInt32> = []
  /// The newest record of each key that verifies.
  let table = MemoryTable()
  private(set) var losses: [SalvageReport.Loss] = []
  /// Where the search for records ended.
  private(set) var end: UInt64 = 0
  private var lossStart: UInt64?
  /// The last record of the frames that verify.
  private var lastSequence = CommitSequence.zero
  /// The last record that was durable, as far as is known.
  private var durableSequence: CommitSequence
  /// The sequence at which a part goes on that was left out.
  private var partEnd: UInt64?

  /// Progress is told in steps of this many bytes.
  private static let stepByteCount: UInt64 = 1 << 20

  init(
    _ victim: SalvageVictim, _ file: any File, seed: UInt64, dictionaries: Set<UInt32>?
  ) throws(FileIOError) {
    self.victim = victim
    self.dictionaries = dictionaries
    name = victim.name
    durableSequence = victim.durableSequence
    records = try SalvageRecords(file, seed: seed, isBounded: victim.salt == nil)
  }

  /// Reads the segment; `progress` is told how far it is.
  mutating func scan(_ progress: (UInt64) -> Void) throws(FileIOError) {
    end = min(records.fileByteCount, LogLimits.segmentByteCount)
    var offset = UInt64(SegmentHeader.byteCount)
    var toldOffset: UInt64 = 0
    if let header = try header() {
      lastSequence = CommitSequence(max(1, header.firstSequence.rawValue) - 1)
    } else if victim.salt == nil || victim.isOpen {
      lose(0..<min(end, offset), "the segment's header does not verify")
      // Which records it should have nothing else tells.
      durableSequence = .zero
    }
    while offset < end {
      if offset - toldOffset >= Self.stepByteCount {
        progress(offset)
        toldOffset = offset
      }
      guard let frame = try frame(at: offset), let length = try take(frame) else {
        lossStart = lossStart ?? offset
        offset += UInt64(FrameHeader.alignment)
        records.advance(by: UInt64(FrameHeader.alignment))
        continue
      }
      endLoss(at: offset)
      note(frame.header)
      if frame.header.flags.contains(.footer) {
        end = offset
        return
      }
      offset += length
      records.advance(by: length)
    }
    try loseRest(from: lossStart ?? offset)
  }

  /// The segment's own header, where it verifies.
  private mutating func header() throws(FileIOError) -> SegmentHeader? {
    let bytes = try records.segmentHeader()
    do throws(LogError) {
      let header = try SegmentHeader.decode(bytes, file: name.description)
      return header.salt == victim.salt ? header : nil
    } catch { return nil }
  }

  /// Takes over what the header of a frame that verifies says of sequences; those of compaction are
  /// of long ago.
  private mutating func note(_ header: FrameHeader) {
    guard victim.isOpen, victim.salt != nil, header.recordCount > 0,
      !header.flags.contains(.explicitSequences), !header.flags.contains(.footer)
    else { return }
    // Not what cannot be, whatever the bytes say.
    let first = min(header.firstSequence.rawValue, LogLimits.sequence)
    lastSequence = max(lastSequence, CommitSequence(first + UInt64(header.recordCount) - 1))
    durableSequence = max(durableSequence, header.durableSequence)
  }

  /// What lies behind the last frame, where there is no footer.
  private mutating func loseRest(from start: UInt64) throws(FileIOError) {
    let rest = start..<max(start, end)
    let isEmpty = try records.isZero(rest)
    if start < victim.dataEnd {
      lose(
        start..<max(end, victim.dataEnd),
        isEmpty ? "nothing is there but zeros, if anything" : Self.noFrame)
    } else if !victim.isOpen {
      // Behind its records a segment has what is made from them.
      return
    } else if lastSequence < durableSequence {
      lose(rest, "the records end at \(lastSequence), but were durable up to \(durableSequence)")
    } else if !isEmpty {
      lose(rest, "no whole frame follows; it may never have been finished")
    }
  }

  private static let noFrame = "no frame verifies here"

  /// A frame that may begin there.
  private mutating func frame(at offset: UInt64) throws(FileIOError) -> SalvageRecords.Frame? {
    let bytes = try records.head(at: offset)
    let header =
      victim.salt.map { FrameHeader(decoding: bytes, salt: $0, offset: offset) }
      ?? FrameHeader(unverified: bytes)
    guard let header, UInt64(header.length) <= end - offset else { return nil }
    return SalvageRecords.Frame(header: header, offset: offset)
  }

  /// Takes the records of a frame, and says how long it is; nothing when it turns out to be none.
  private mutating func take(_ frame: SalvageRecords.Frame) throws(FileIOError) -> UInt64? {
    let header = frame.header
    if header.flags.contains(.footer) { return victim.salt == nil ? nil : header.paddedLength }
    // Without the salt nothing else tells a frame from bytes that look like one.
    if victim.salt == nil, !(try records.begins(frame)) { return nil }
    let isCommitted = isCommitted(header)
    if !isCommitted, victim.salt != nil {
      lose(frame.offset..<(frame.offset + header.paddedLength), Self.uncommitted)
      return header.paddedLength
    }
    var offset = frame.bodyOffset
    var verifiedEnd = offset
    var unsure: [(range: Range<UInt64>, reason: String)] = []
    for position in 0..<UInt64(header.recordCount) {
      guard let found = try records.next(at: offset, of: frame, position) else {
        unsure.append(
          (
            offset..<(frame.offset + header.paddedLength),
            "\(UInt64(header.recordCount) - position) records cannot be told apart"
          ))
        break
      }
      offset = found.range.upperBound
      guard let record = found.record else {
        unsure.append((found.range, "a record does not verify"))
        continue
      }
      for loss in unsure { lose(loss.range, loss.reason) }
      unsure = []
      verifiedEnd = offset
      if !isCommitted {
        lose(found.range, Self.uncommitted)
      } else if let reason = take(record, found) {
        lose(found.range, reason)
      }
    }
    // Nor does anything but its records say how long it is.
    if victim.salt == nil { return FrameHeader.padded(verifiedEnd - frame.offset) }
    for loss in unsure { lose(loss.range, loss.reason) }
    return header.paddedLength
  }

  private static let uncommitted =
    "a part of a transaction that was not committed, as far as can be told"

  /// Whether a frame belongs to a commit that was finished, as far as can be told.
  private mutating func isCommitted(_ header: FrameHeader) -> Bool {
    switch victim.commits {
    case .whole: return true
    case .torn: return false
    case .unknown(let ends):
      // Frames of compaction hold what was committed long ago.
      if header.flags.contains(.explicitSequences) { return true }
      let first = header.firstSequence.rawValue
      let goesOn = first == partEnd || ends.contains(first)
      let isPart = !header.flags.contains(.lastOfCommit)
      if isPart { partEnd = first + UInt64(header.recordCount) }
      return !isPart && !goesOn
    }
  }

  /// Takes a record that verifies; says why where it is lost all the same.
  private mutating func take(
    _ record: RecordDecoder.Decoded, _ found: SalvageRecords.Found
  ) -> String? {
    let header = record.header
    if let dictionaries, header.compression == .lz4WithDictionary,
      !dictionaries.contains(header.dictionary)
    {
      return "records were compressed against dictionary \(header.dictionary), of which no copy "
        + "verifies; in place of these, older states of their objects may have been saved"
    }
    noteDictionary(record)
    let key = IndexKey(header.collection, record.key)
    let value = IndexValue(
      sequence: found.sequence, schemaVersion: header.schemaVersion, offset: UInt32(found.offset),
      length: UInt32(record.bytes.count), isTombstone: header.kind == .tombstone)
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
    lose(start..<offset, Self.noFrame)
  }

  /// Neighbours become one, so that the list stays short where much is damaged.
  private mutating func lose(_ range: Range<UInt64>, _ reason: String) {
    if let last = losses.last, last.range.upperBound == range.lowerBound, last.reason == reason {
      losses.removeLast()
      return lose(last.range.lowerBound..<range.upperBound, reason)
    }
    losses.append(SalvageReport.Loss(file: name.description, range: range, reason: reason))
  }
}
