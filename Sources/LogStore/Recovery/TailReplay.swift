internal import BinaryCoding
internal import FileIO

/// Reads the frames of a segment that was not sealed and applies their records.
struct TailReplay {
  let segment: Segment
  /// Is told of damage, not that of the segment: what was read may be older than what says that it
  /// is durable.
  let observer: (any StoreObserver)?
  let applier: ChangeApplier
  /// Records up to here are in the manifest's live totals already.
  let countedFrom: CommitSequence
  var lastSequence: CommitSequence
  var durableSequence: CommitSequence
  var report: RecoveryReport
  /// Whether the segment is known to belong to a whole large commit.
  let takesParts: Bool

  /// The dictionaries that were found: each table of a shelf stays as long as that.
  var dictionaries: [FoundDictionary] = []

  /// Applies the frames from where the scanner is to where they end, and leaves it there.
  mutating func run(_ scanner: inout FrameScanner, seed: UInt64) throws(LogError) {
    report.tail = .open
    defer {
      segment.dictionaries.insert(dictionaries)
      dictionaries = []
    }
    while true {
      let before = scanner
      let start = scanner.offset
      let step: FrameScanner.Step
      do throws(FileIOError) { step = try scanner.next() } catch { throw .fileIO(error) }
      switch step {
      case .frame(let frame):
        guard frame.follows(lastSequence, asPart: takesParts) else {
          throw damage(at: start, "the frame's sequence does not follow the one before it")
        }
        try apply(frame, seed: seed)
      case .end, .footer:
        if durableSequence > lastSequence {
          throw damage(
            at: start,
            "the records end at \(lastSequence), but were durable up to \(durableSequence)")
        }
        // A footer stands behind the records, not among them.
        scanner = before
        return
      case .damaged(let reason):
        #if PLANTED_BUGS
          if PlantedBug.badFrameSkipped.isPlanted {
            do throws(FileIOError) {
              if try scanner.skipDamage() { continue }
            } catch { throw .fileIO(error) }
          }
        #endif
        return try judge(scanner, reason: reason)
      }
    }
  }

  /// Counts a record that needs a dictionary, and takes in one that is one.
  private mutating func note(_ record: RecordDecoder.Decoded) {
    applier.active.descriptor.dictionaryUses.count(record.header)
    guard record.header.collection == .catalog else { return }
    // One that cannot be read is lost only if the other copy is: that is told when it is needed.
    if let found = try? FoundDictionary(record) { dictionaries.append(found) }
  }

  private mutating func judge(_ scanner: FrameScanner, reason: String) throws(LogError) {
    let verdict: TailVerdict
    do throws(FileIOError) {
      verdict = try TailVerdict.judge(
        scanner, lastSequence: lastSequence, durableSequence: durableSequence, reason: reason)
    } catch { throw .fileIO(error) }
    switch verdict {
    case .torn:
      report.tail = .torn(offset: scanner.offset, reason: reason)
    case .corrupt(let reason):
      throw damage(at: scanner.offset, reason)
    }
  }

  private func damage(at offset: UInt64, _ reason: String) -> LogError {
    let report = CorruptionReport(
      file: segment.name.description, offset: offset, reason: reason)
    observer?.observe(.damaged(report))
    return .corruption(report)
  }

  private mutating func apply(_ frame: FrameScanner.Frame, seed: UInt64) throws(LogError) {
    var records = FrameRecords(frame, seed: seed)
    while true {
      let located: FrameRecords.Located?
      do throws(BinaryDecodingError) {
        located = try records.next()
      } catch {
        if PlantedBug.halfCommitApplied.isPlanted { break }
        throw damage(at: frame.offset, "record: \(error)")
      }
      guard let located else { break }
      note(located.record)
      let key = IndexKey(located.record.header.collection, located.record.key)
      let isCounted =
        located.sequence > countedFrom || PlantedBug.replayCountedTwice.isPlanted
      if PlantedBug.deletionNotReplayed.isPlanted, located.value.isTombstone { continue }
      applier.apply(key, located.value, isCounted: isCounted)
      report.replayedRecordCount += 1
    }
    report.replayedCommitCount += 1
    lastSequence = frame.lastSequence
    durableSequence = max(durableSequence, frame.header.durableSequence)
  }
}
