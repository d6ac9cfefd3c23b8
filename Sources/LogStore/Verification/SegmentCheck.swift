internal import BinaryCoding
internal import FileIO

/// Checks one segment: header, chain, frames, records, padding, footer, size, and the manifest's
/// counts.
struct SegmentCheck {
  private let segment: Segment
  private let descriptor: SegmentDescriptor
  private let manifest: Manifest
  private let file: any File
  private let table = MemoryTable()
  private(set) var recordCount: UInt64 = 0
  private(set) var rebuildable: [CorruptionReport] = []
  private(set) var notes: [String] = []
  private var tombstoneCount: UInt64 = 0
  /// The sequences of its records, which need not ascend.
  private var lowest = CommitSequence(UInt64.max)
  private var highest = CommitSequence.zero
  private var uses = DictionaryUses()
  private var lastSequence = CommitSequence.zero
  private var durableSequence: CommitSequence
  private var formatVersion: UInt16 = 0
  private var holdsParts = false

  init(
    _ segment: Segment, descriptor: SegmentDescriptor, manifest: Manifest
  ) throws(LogError) {
    self.segment = segment
    self.descriptor = descriptor
    self.manifest = manifest
    durableSequence = manifest.durableSequence
    file = try segment.openFile()
  }

  mutating func run() throws(LogError) {
    let (header, headerBytes) = try segment.checkedHeader(of: file)
    formatVersion = header.formatVersion
    guard manifest.usesShortFrames || !header.mayHaveShortFrames else {
      throw segment.damage(at: 20, "it has short frames, of which the manifest knows nothing")
    }
    try checkPredecessor(header)
    holdsParts = header.holdsParts
    if header.stream == .user {
      lastSequence = CommitSequence(header.firstSequence.rawValue - 1)
    }
    var scanner: FrameScanner
    do throws(FileIOError) {
      scanner = try headerBytes.withBytes {
        (bytes: UnsafeRawBufferPointer) throws(FileIOError) in
        try FrameScanner(
          file, of: header, bytes, limit: descriptor.isSealed ? descriptor.dataEnd : nil)
      }
    } catch { throw .fileIO(error) }
    while true {
      let offset = scanner.offset
      let step: FrameScanner.Step
      do throws(FileIOError) { step = try scanner.next() } catch {
        guard error.tellsOfDamage else { throw .fileIO(error) }
        throw .corruption(CorruptionReport(unreadable: error, at: offset))
      }
      switch step {
      case .frame(let frame): try check(frame)
      case .damaged(let reason):
        guard !descriptor.isSealed else { throw segment.damage(at: offset, reason) }
        return try judge(scanner, reason)
      case .end, .footer:
        return try checkEnd(offset, hash: scanner.hash)
      }
    }
  }

  /// A user segment names the one it follows, and that one's last frame, where it is still there.
  private func checkPredecessor(_ header: SegmentHeader) throws(LogError) {
    let predecessor = manifest.segments.first {
      $0.identifier.rawValue == header.predecessor && $0.isSealed
    }
    guard let predecessor, header.stream == .user else { return }
    guard predecessor.closingHash == header.predecessorHash else {
      throw segment.damage(at: 56, "it does not follow the segment that it names")
    }
  }

  private mutating func check(_ frame: FrameScanner.Frame) throws(LogError) {
    if segment.stream == .user {
      guard frame.follows(lastSequence, asPart: holdsParts) else {
        throw segment.damage(
          at: frame.offset, "the frame's sequence does not follow the one before it")
      }
      lastSequence = frame.lastSequence
      durableSequence = max(durableSequence, frame.header.durableSequence)
    }
    var records = FrameRecords(frame, seed: manifest.store.checksumSeed)
    while true {
      let located: FrameRecords.Located?
      do throws(BinaryDecodingError) {
        located = try records.next()
      } catch { throw segment.damage(at: frame.offset, "record: \(error)") }
      guard let located else { return }
      _ = try segment.payload(of: located.record, at: located.value.offset)
      uses.count(located.record.header)
      recordCount += 1
      if located.value.isTombstone { tombstoneCount += 1 }
      lowest = min(lowest, located.sequence)
      highest = max(highest, located.sequence)
      let key = IndexKey(located.record.header.collection, located.record.key)
      if let known = table.find(key), known.sequence > located.sequence { continue }
      table.insert(key, located.value)
    }
  }

  /// The tail of a segment that was not sealed.
  private mutating func judge(_ scanner: FrameScanner, _ reason: String) throws(LogError) {
    let verdict: TailVerdict
    do throws(FileIOError) {
      verdict = try TailVerdict.judge(
        scanner, lastSequence: lastSequence, durableSequence: durableSequence, reason: reason)
    } catch { throw .fileIO(error) }
    switch verdict {
    case .torn:
      notes.append(
        "\(segment.name) ends in an incomplete commit at offset \(scanner.offset): \(reason)")
    case .corrupt(let reason):
      throw segment.damage(at: scanner.offset, reason)
    }
  }

  private mutating func checkEnd(_ offset: UInt64, hash: UInt64) throws(LogError) {
    guard descriptor.isSealed else {
      guard durableSequence <= lastSequence else {
        throw segment.damage(at: offset, "records up to \(durableSequence) were durable")
      }
      notes.append("\(segment.name) was not closed; its records were read to the end")
      return
    }
    guard offset == descriptor.dataEnd, hash == descriptor.closingHash else {
      throw segment.damage(at: offset, "the records do not end as the manifest says")
    }
    guard recordCount == descriptor.recordCount, tombstoneCount == descriptor.tombstoneCount else {
      throw segment.damage(
        at: offset, "\(recordCount) records where the manifest has \(descriptor.recordCount)")
    }
    // They are bounds: what a crash took from the tail may have been counted before.
    guard
      recordCount == 0
        || descriptor.minimumSequence <= lowest && highest <= descriptor.maximumSequence
    else { throw segment.damage(at: offset, Segment.strayRecords) }
    guard uses == descriptor.dictionaryUses else {
      throw segment.damage(
        at: offset, "its records need other dictionaries than the manifest says")
    }
    if let heads = descriptor.heads, heads != table.publish().heads {
      throw segment.damage(at: offset, Segment.misplacedKeys)
    }
    if let reason = try footerDamage() {
      rebuildable.append(
        CorruptionReport(
          file: segment.name.description, offset: descriptor.dataEnd, reason: reason))
    }
  }

  /// What is wrong with the footer: its frame, what follows it, or a key that differs from the
  /// records.
  private func footerDamage() throws(LogError) -> String? {
    do throws(LogError) {
      if let reason = try segment.endDamage(
        in: file, as: descriptor, of: manifest, formatVersion: formatVersion)
      {
        return reason
      }
      return try keyDifference()
    } catch {
      guard let cause = error.unreadable else { throw error }
      return "the footer cannot be read: \(cause.reason.sentence)"
    }
  }

  private func keyDifference() throws(LogError) -> String? {
    do throws(RunDamage) {
      let run = try SegmentFooter.open(
        file: file, mapping: nil, dataEnd: descriptor.dataEnd, salt: segment.salt)
      for page in 0..<run.directory.pageCount { try run.checkLine(ofPage: page) }
      let cursor = try RunCursor(run, from: nil)
      let published = table.publish()
      var expected = published.cursor(from: nil)
      while let known = expected.current {
        guard let found = cursor.current, IndexKey.compare(found.key, known.key) == 0,
          found.value == known.value
        else { return "a key of the footer differs from the records" }
        let hash = RunFilter.hash(CollectionIdentifier(known.key.collection), known.key.buffer)
        guard try run.find(known.key, hash: hash) == known.value else {
          return "a key cannot be found in the footer"
        }
        expected.advance()
        try cursor.advance()
      }
      return cursor.current == nil ? nil : "the footer has keys that the records do not have"
    } catch {
      switch error {
      case .fileIO(let cause): throw .fileIO(cause)
      case .damaged(let reason): return reason
      }
    }
  }
}
