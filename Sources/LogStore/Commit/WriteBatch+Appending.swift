internal import BinaryCoding

extension WriteBatch {
  /// Gives the records the sequences that follow `sequence`, and finishes their checksums; returns
  /// the frame to append.
  func number(
    after sequence: CommitSequence, seed: UInt64, flags: FrameHeader.Flags
  ) -> SegmentWriter.Frame {
    let records = encodedRecords
    var next = sequence.rawValue
    if let base = records.baseAddress {
      for change in changes {
        next += 1
        RecordEncoder.finishChecksum(
          base + change.recordStart, unfinished: change.unfinishedChecksum,
          sequence: CommitSequence(next), seed: seed)
      }
    }
    return SegmentWriter.Frame(
      body: UnsafeRawBufferPointer(records), firstSequence: CommitSequence(sequence.rawValue + 1),
      recordCount: count, flags: flags)
  }
}

extension ChangeApplier {
  /// What each change of a batch replaces in sealed segments, found before anything is written: a
  /// read that fails then fails the commit and leaves everything as it was. Empty when none
  /// replaces anything there.
  func sealedPrevious(of batch: WriteBatch) throws(LogError) -> [View.Hit?] {
    guard !beneath.segments.isEmpty else { return [] }
    var hits: [View.Hit?] = []
    for (index, change) in batch.changes.enumerated() {
      let hit = try sealedPrevious(of: IndexKey(change.collection, batch.key(of: change)))
      if hits.isEmpty {
        guard hit != nil else { continue }
        hits.reserveCapacity(batch.count)
        hits.append(contentsOf: repeatElement(nil, count: index))
      }
      hits.append(hit)
    }
    return hits
  }

  /// Applies the records of a batch that were written at `bodyOffset` with the sequences that
  /// follow `sequence`; returns the last one. Cannot fail.
  func apply(
    _ batch: WriteBatch, sealedPrevious: [View.Hit?], bodyOffset: UInt64,
    after sequence: CommitSequence
  ) -> CommitSequence {
    if !batch.dictionaryUses.isEmpty {
      active.descriptor.dictionaryUses.add(batch.dictionaryUses)
    }
    var next = sequence.rawValue
    for (index, change) in batch.changes.enumerated() {
      next += 1
      let value = IndexValue(
        sequence: CommitSequence(next), schemaVersion: change.schemaVersion,
        offset: UInt32(bodyOffset) + UInt32(change.recordStart),
        length: UInt32(change.recordLength), isTombstone: change.kind == .tombstone)
      apply(
        IndexKey(change.collection, batch.key(of: change)), value,
        sealedPrevious: sealedPrevious.isEmpty ? nil : sealedPrevious[index], isCounted: true)
    }
    return CommitSequence(next)
  }
}
