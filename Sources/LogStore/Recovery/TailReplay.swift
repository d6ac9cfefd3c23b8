internal import BinaryCoding
internal import FileIO

/// Reads the frames of a segment that was not sealed and applies their records.
struct TailReplay {
  let segment: Segment
  let applier: ChangeApplier
  /// Records up to here are in the manifest's live totals already.
  let countedFrom: CommitSequence
  var lastSequence: CommitSequence
  var durableSequence: CommitSequence
  var report: RecoveryReport

  /// Applies the valid prefix and returns where it ends.
  mutating func run(file: any File, header: [UInt8], seed: UInt64) throws(LogError) -> UInt64 {
    var scanner: FrameScanner
    do throws(FileIOError) {
      scanner = try header.withBytes { (bytes: UnsafeRawBufferPointer) throws(FileIOError) in
        try FrameScanner(file, header: bytes, salt: segment.salt, limit: nil)
      }
    } catch { throw .fileIO(error) }
    report.tail = .open
    while true {
      let start = scanner.offset
      let step: FrameScanner.Step
      do throws(FileIOError) { step = try scanner.next() } catch { throw .fileIO(error) }
      switch step {
      case .frame(let frame):
        guard follows(frame) else {
          throw segment.damage(at: start, "the frame's sequence does not follow the one before it")
        }
        try apply(frame, seed: seed)
      case .end, .footer:
        if durableSequence > lastSequence {
          throw segment.damage(
            at: start,
            "the records end at \(lastSequence), but were durable up to \(durableSequence)")
        }
        return start
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

  private func follows(_ frame: FrameScanner.Frame) -> Bool {
    // Commits of several frames have segments of their own, which are sealed before they count.
    frame.header.recordCount > 0 && frame.header.flags == [.lastOfCommit]
      && (frame.header.firstSequence.rawValue == lastSequence.rawValue + 1
        || PlantedBug.badFrameSkipped.isPlanted)
  }

  private mutating func judge(_ scanner: FrameScanner, reason: String) throws(LogError) -> UInt64 {
    let verdict: TailVerdict
    do throws(FileIOError) {
      verdict = try TailVerdict.judge(
        scanner, lastSequence: lastSequence, durableSequence: durableSequence, reason: reason)
    } catch { throw .fileIO(error) }
    switch verdict {
    case .torn:
      report.tail = .torn(offset: scanner.offset, reason: reason)
      return scanner.offset
    case .corrupt(let reason):
      throw segment.damage(at: scanner.offset, reason)
    }
  }

  private mutating func apply(_ frame: FrameScanner.Frame, seed: UInt64) throws(LogError) {
    var records = FrameRecords(frame, seed: seed)
    while true {
      let located: FrameRecords.Located?
      do throws(BinaryDecodingError) {
        located = try records.next()
      } catch {
        if PlantedBug.halfCommitApplied.isPlanted { break }
        throw segment.damage(at: frame.offset, "record: \(error)")
      }
      guard let located else { break }
      let key = IndexKey(located.record.header.collection, located.record.key)
      let isCounted =
        located.sequence > countedFrom || PlantedBug.replayCountedTwice.isPlanted
      if PlantedBug.deletionNotReplayed.isPlanted, located.value.isTombstone { continue }
      applier.apply(
        key, located.value,
        sealedPrevious: isCounted ? try applier.sealedPrevious(of: key) : nil,
        isCounted: isCounted)
      report.replayedRecordCount += 1
    }
    report.replayedCommitCount += 1
    lastSequence = frame.lastSequence
    durableSequence = max(durableSequence, frame.header.durableSequence)
  }
}
