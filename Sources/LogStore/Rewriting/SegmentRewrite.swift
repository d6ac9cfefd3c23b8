internal import BinaryCoding
internal import FileIO

/// Replaces sealed segments by new ones that hold only what is still needed of them.
///
/// The caller takes the records one by one, in key order, keeps, replaces or drops each, and then
/// publishes. Nothing of the store changes before ``publish()``; a rewrite that is cancelled, or
/// that a crash ends, leaves files that the next writer removes. One rewrite of a store runs at a
/// time; it is used by one thread, while others read and commit.
///
/// Why no record can be lost or come back: outputs keep each record's sequence, and look-ups take
/// the highest sequence of a key. So an output that holds a record which was replaced meanwhile is
/// harmless, and one atomic edit of the manifest exchanges inputs for outputs.
package final class SegmentRewrite {
  private let pipeline: CommitPipeline
  /// What the rewrite reads; let go when it is over, so that it pins nothing.
  private var reading: Reading?
  private let watch: RewriteWatch
  private var output: RewriteOutput?
  private var finished: [CommitPipeline.ActiveSegment] = []
  private var failure: LogError?
  private var isOver: Bool { reading == nil }
  /// Tombstones that were found to hide nothing any more and were left out.
  package private(set) var droppedTombstoneCount: UInt64 = 0

  private struct Reading {
    let view: View
    let inputs: [Segment]
    /// Sealed segments that are not rewritten.
    let others: [Segment]
    let cursor: MergingCursor
  }

  init(
    _ pipeline: CommitPipeline, view: View, inputs: [Segment], watch: RewriteWatch
  ) throws(LogError) {
    self.pipeline = pipeline
    self.watch = watch
    reading = Reading(
      view: view, inputs: inputs,
      others: view.sealed.filter { !watch.inputs.contains($0.identifier) },
      cursor: try MergingCursor(
        view: view, overlay: nil, sealed: inputs.map { .footer($0) }, includesTable: false))
  }

  deinit { cancel() }

  /// The next record that must be carried over, in key order; nothing after the last.
  ///
  /// - Throws: ``LogError/corruption(_:)`` when a record does not verify: then cancel, so that the
  ///   segment that holds it stays.
  package func next() throws(LogError) -> RewriteRecord? {
    do throws(LogError) { return try nextRecord() } catch { throw fail(error) }
  }

  private func nextRecord() throws(LogError) -> RewriteRecord? {
    guard let reading else { return nil }
    let cursor = reading.cursor
    while let current = cursor.current {
      guard case .segment(let segment) = current.origin else {
        preconditionFailure("a rewrite reads segments only")
      }
      let key = [UInt8](current.key.buffer)
      let collection = CollectionIdentifier(current.key.collection)
      let value = current.value
      try cursor.advance()
      if let record = try record(key, collection, value, in: segment, reading) { return record }
    }
    return nil
  }

  private func record(
    _ keyBytes: [UInt8], _ collection: CollectionIdentifier, _ value: IndexValue,
    in segment: Segment, _ reading: Reading
  ) throws(LogError) -> RewriteRecord? {
    try keyBytes.withBytes { (bytes: UnsafeRawBufferPointer) throws(LogError) in
      let key = IndexKey(collection, bytes)
      guard let hit = try reading.view.find(key), hit.value == value,
        hit.segment.identifier == segment.identifier
      else { return nil }
      if value.isTombstone, try !hidesSomething(key, value, reading.others) {
        droppedTombstoneCount += 1
        return nil
      }
      return try segment.withRecord(at: value, key: key) { (record) throws(LogError) in
        RewriteRecord(
          collection: collection, key: keyBytes, kind: record.header.kind,
          schemaVersion: record.header.schemaVersion, sequence: value.sequence,
          commitTime: record.header.commitTime, bytes: [UInt8](record.bytes))
      }
    }
  }

  /// Whether a segment that is not rewritten may hold an older record of the tombstone's key.
  private func hidesSomething(
    _ key: IndexKey, _ value: IndexValue, _ others: [Segment]
  ) throws(LogError) -> Bool {
    if PlantedBug.tombstoneDroppedEarly.isPlanted { return false }
    let hash = RunFilter.hash(CollectionIdentifier(key.collection), key.buffer)
    for segment in others where segment.minimumSequence < value.sequence {
      if try segment.run().mayContain(key, hash: hash) { return true }
    }
    return false
  }

  /// Carries a record over as it is, to the bit.
  package func keep(_ record: RewriteRecord) throws(LogError) {
    try record.bytes.withBytes { (bytes: UnsafeRawBufferPointer) throws(LogError) in
      try append(bytes, of: record, schemaVersion: record.schemaVersion, kind: record.kind)
    }
  }

  /// Carries a record over with a new payload; key, sequence and commit time stay.
  ///
  /// - Throws: ``LogError/limitExceeded(name:maximum:actual:)`` when the payload is too large.
  package func replace(
    _ record: RewriteRecord, schemaVersion: UInt64, payload: [UInt8]
  ) throws(LogError) {
    try write(record, kind: .put, schemaVersion: schemaVersion, payload: payload)
  }

  /// Leaves a tombstone in the place of a record, with the same sequence.
  package func drop(_ record: RewriteRecord) throws(LogError) {
    try write(record, kind: .tombstone, schemaVersion: 0, payload: [])
  }

  private func write(
    _ record: RewriteRecord, kind: RecordKind, schemaVersion: UInt64, payload: [UInt8]
  ) throws(LogError) {
    let batch = WriteBatch(
      compression: pipeline.configuration.compression, commitTime: record.commitTime)
    if kind == .put {
      try batch.put(
        record.key, in: record.collection, schemaVersion: schemaVersion, payload: payload)
    } else {
      try batch.delete(record.key, in: record.collection)
    }
    let bytes = batch.encodedRecords
    guard let base = bytes.baseAddress, let change = batch.changes.first else { return }
    RecordEncoder.finishChecksum(
      base, unfinished: change.unfinishedChecksum, sequence: record.sequence,
      seed: pipeline.store.checksumSeed)
    try append(
      UnsafeRawBufferPointer(bytes), of: record, schemaVersion: schemaVersion, kind: kind)
  }

  private func append(
    _ bytes: UnsafeRawBufferPointer, of record: RewriteRecord, schemaVersion: UInt64,
    kind: RecordKind
  ) throws(LogError) {
    precondition(!isOver, "a rewrite that was published or cancelled takes no more records")
    if let size = output?.byteCount, size + UInt64(bytes.count) > Self.outputByteCountMaximum {
      try finishOutput()
    }
    do throws(LogError) {
      if output == nil { output = RewriteOutput(try pipeline.beginRewriteOutput()) }
    } catch { throw fail(error) }
    do throws(FileIOError) {
      try output?.append(
        bytes, key: record.key, collection: record.collection, schemaVersion: schemaVersion,
        kind: kind, sequence: record.sequence)
    } catch { throw fail(.fileIO(error)) }
  }

  /// Outputs may be larger than the inputs' target when an upgrade makes records grow.
  private static let outputByteCountMaximum: UInt64 = 256 << 20

  private func finishOutput() throws(LogError) {
    guard let current = output.take() else { return }
    // Known before it is finished, so that its file goes when that fails.
    finished.append(current.active)
    do throws(FileIOError) { try current.finish() } catch { throw fail(.fileIO(error)) }
  }

  /// Remembers that a record may be missing from what was written.
  private func fail(_ error: LogError) -> LogError {
    failure = failure ?? error
    return error
  }

  /// Puts the outputs in the inputs' place; durable on return. The inputs' files are removed when
  /// the last snapshot that can read them goes away.
  ///
  /// - Throws: what reading or writing a record threw, if anything did: the outputs lack it then.
  package func publish() throws(LogError) {
    guard let reading else { preconditionFailure("a rewrite is published once") }
    if let failure { throw failure }
    if output == nil, finished.isEmpty {
      // Nothing is left of the inputs; the log must say so all the same.
      output = RewriteOutput(try pipeline.beginRewriteOutput())
    }
    try finishOutput()
    try synchronizeOutputs()
    pipeline.lock.lock("publishing a compaction")
    defer { pipeline.lock.unlock() }
    try pipeline.publishRewrite(
      of: reading.inputs, outputs: finished, superseded: watch.superseded)
    self.reading = nil
    pipeline.watch = nil
  }

  /// Synchronizes what was written before the lock is taken: commits must not wait for it. For a
  /// small output that is not worth a synchronization of its own.
  private func synchronizeOutputs() throws(LogError) {
    if PlantedBug.outputsUnsynchronized.isPlanted { return }
    for output in finished where output.writer.end > 1 << 20 {
      do throws(FileIOError) {
        try output.writer.file.synchronize()
      } catch {
        pipeline.lock.lock("publishing a compaction")
        pipeline.poison = pipeline.poison ?? error
        pipeline.lock.unlock()
        throw fail(.fileIO(error))
      }
    }
  }

  /// Gives up; the store is as it was. Called by itself when the object goes away.
  package func cancel() {
    guard !isOver else { return }
    reading = nil
    if let current = output.take() { finished.append(current.active) }
    pipeline.lock.lock("cancelling a compaction")
    pipeline.watch = nil
    // After a failed synchronization the manifest that lists the outputs may be in force.
    let isPoisoned = pipeline.poison != nil
    pipeline.lock.unlock()
    if !isPoisoned {
      for segment in finished { segment.segment.retire(pipeline.ownership) }
    }
    finished = []
  }
}
