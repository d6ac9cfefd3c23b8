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
  /// Applies the records of a batch that were written at `bodyOffset` with the sequences that
  /// follow `sequence`; returns the last one. Cannot fail.
  func apply(
    _ batch: WriteBatch, bodyOffset: UInt64, after sequence: CommitSequence
  ) -> CommitSequence {
    if !batch.dictionaryUses.isEmpty {
      active.descriptor.dictionaryUses.add(batch.dictionaryUses)
    }
    let last = CommitSequence(sequence.rawValue + UInt64(batch.changes.count))
    deadRanges?.willApply(batch, upTo: last)
    var next = sequence.rawValue
    for change in batch.changes {
      next += 1
      let value = IndexValue(
        sequence: CommitSequence(next), schemaVersion: change.schemaVersion,
        offset: UInt32(bodyOffset) + UInt32(change.recordStart),
        length: UInt32(change.recordLength), isTombstone: change.kind == .tombstone)
      apply(IndexKey(change.collection, batch.key(of: change)), value, isCounted: true)
    }
    return CommitSequence(next)
  }
}
