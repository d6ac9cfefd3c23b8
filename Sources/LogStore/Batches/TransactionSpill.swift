internal import BinaryCoding
internal import FileIO

/// The part of a large transaction that is on disk already, in segments that no manifest lists yet.
///
/// They are user segments in the chain behind the last one; one atomic edit of the manifest adds
/// them all. Until then nothing of the log has changed: giving up removes files. Those that a
/// crash leaves lie at or above the manifest's mark: the next writer raises that, and the one after
/// it removes them. Memory is the index of one segment, whatever the transaction's size.
/// Used under the writer's lock, from the first spill to the end of the transaction.
final class TransactionSpill {
  private let pipeline: CommitPipeline
  private let base: View
  /// Copies, so that giving up leaves the log's own as they were.
  private(set) var accounts: SegmentTable<SegmentAccount>
  private(set) var sealed: [Segment] = [] {
    didSet {
      beneath = SealedIndex(View.ordered(sealed + base.sealed), runs: base.beneath.runs)
    }
  }
  private var beneath: SealedIndex
  private(set) var lastSequence: CommitSequence
  /// Bytes of the records so far.
  private(set) var recordByteCount = 0
  /// What the transaction made dead in segments that are being rewritten.
  let watch: RewriteWatch?
  private var active: ActiveSegment?
  private var table = MemoryTable()
  /// The last segment and its closing hash, for the one that follows.
  private(set) var chainEnd: (segment: UInt32, hash: UInt64)
  private var failure: LogError?
  /// What the transaction reads beneath the changes that are still in memory.
  private(set) var view: View

  /// Seals what other commits wrote, so that the transaction's segments follow it.
  init(_ pipeline: CommitPipeline) throws(LogError) {
    self.pipeline = pipeline
    do throws(LogError) {
      // Whatever it does takes much, and compaction needs what the reserve left.
      try pipeline.expectReserve()
      if pipeline.active != nil { try pipeline.rotate(beginNext: false) }
    } catch {
      if error.isDiskFull {
        pipeline.noteRefused(UInt64(pipeline.configuration.transactionByteCountInMemory))
      }
      throw pipeline.diskFull(error, needed: nil)
    }
    base = pipeline.head
    view = base
    beneath = base.beneath
    accounts = pipeline.accounts.mapValues { $0.copy() }
    lastSequence = pipeline.lastSequence
    chainEnd = (pipeline.manifest.lastUserSegment, pipeline.manifest.lastUserHash)
    watch = pipeline.watch?.makeApart()
  }

  /// Writes the changes of `batch`; with `isLast` the transaction ends with them.
  ///
  /// After an error the transaction can only be given up.
  func write(_ batch: WriteBatch, isLast: Bool) throws(LogError) {
    if let failure { throw failure }
    do throws(LogError) {
      try append(batch, isLast: isLast)
      if isLast { try sealActive() }
    } catch {
      if error.isDiskFull { noteRefused(batch) }
      let error = pipeline.diskFull(error, needed: UInt64(batch.byteCount))
      failure = error
      throw error
    }
  }

  /// What its segments take so far, with their indexes.
  var writtenByteCount: UInt64 {
    sealed.reduce(active?.writer.end ?? 0) { sum, segment in
      guard let account = accounts[segment.identifier] else { return sum }
      return sum + account.descriptor.dataEnd + account.indexByteCount
    }
  }

  /// The room for what was written comes back, and is too little.
  private func noteRefused(_ batch: WriteBatch) {
    pipeline.noteRefused(writtenByteCount + UInt64(batch.byteCount + batch.keyByteCount))
  }

  private func append(_ batch: WriteBatch, isLast: Bool) throws(LogError) {
    try LogLimits.checkSequence(after: lastSequence, recordCount: batch.count)
    let active = try activeSegment(for: batch)
    let applier = ChangeApplier(
      table: table, active: active.account, beneath: view.beneath, accounts: accounts,
      watch: watch, replacements: PendingReplacements())
    let frame = batch.number(
      after: lastSequence, seed: pipeline.store.checksumSeed, flags: isLast ? [.lastOfCommit] : [])
    let bodyOffset: UInt64
    do throws(FileIOError) {
      bodyOffset = try active.writer.append(frame, durableSequence: pipeline.durableSequence)
    } catch { throw .fileIO(error) }
    recordByteCount += batch.byteCount
    lastSequence = applier.apply(batch, bodyOffset: bodyOffset, after: lastSequence)
    // What an index says that nothing can be read of is given up, as by small commits in the end.
    if let failure = applier.settleReplacements(), failure.damage == nil { throw failure }
    updateView()
  }

  private func updateView() {
    view = View(
      table: table.publish(), active: active?.segment, beneath: beneath,
      lastSequence: lastSequence)
  }

  /// A segment is sealed here; the last frame goes beyond, but not beyond what a segment may have.
  private var byteCountMaximum: UInt64 {
    min(pipeline.configuration.segmentByteCountMaximum, LogLimits.segmentByteCount / 2)
  }

  /// The segment that is written to, which has room: a frame may reach beyond the largest size.
  private func activeSegment(for batch: WriteBatch) throws(LogError) -> ActiveSegment {
    if let active {
      let index = table.indexByteCount(
        addingRecords: batch.count, byteCount: batch.byteCount)
      let isFull =
        table.count > 0 && index > pipeline.configuration.indexByteCountMaximum
        || active.writer.end >= byteCountMaximum
      if !isFull { return active }
      try sealActive()
    }
    try LogLimits.checkNextSegment(
      segmentCount: pipeline.manifest.segments.count + sealed.count)
    var header = SegmentHeader(
      store: pipeline.store, segment: try pipeline.takeIdentifier(), stream: .user,
      salt: pipeline.configuration.randomSource.next(), predecessor: chainEnd.segment,
      predecessorHash: chainEnd.hash,
      firstSequence: CommitSequence(lastSequence.rawValue + 1))
    header.readerMinimum = FormatVersion.withPartsOfCommits
    let begun = try pipeline.begin(header)
    accounts[header.segment] = begun.account
    active = begun
    return begun
  }

  private func sealActive() throws(LogError) {
    guard let current = active else { return }
    let keys = table.publish()
    let footer = SegmentFooter.encode(keys, salt: current.segment.salt)
    try LogLimits.checkFooter(byteCount: footer.count)
    do throws(FileIOError) {
      try current.writer.appendFooter(
        footer.bytes, lastSequence: lastSequence, durableSequence: pipeline.durableSequence)
    } catch { throw .fileIO(error) }
    pipeline.activity.footerByteCount.add(footer.count)
    try pipeline.synchronize(unlisted: current.writer.file)
    current.account.descriptor.dataEnd = current.writer.end
    current.account.descriptor.closingHash = current.writer.lastHash
    current.account.descriptor.heads = keys.heads
    chainEnd = (current.segment.identifier.rawValue, current.writer.lastHash)
    sealed.append(
      Segment(
        current.account.descriptor, store: pipeline.store, directory: pipeline.directory,
        readMode: pipeline.configuration.readMode, dictionaries: pipeline.dictionaries,
        observer: pipeline.configuration.observer))
    current.account.measuredIndexByteCount = UInt64(footer.count)
    active = nil
    table = MemoryTable()
    updateView()
  }

  /// Removes what was written; not after a failed synchronization, which may have put it in force.
  func cancel() {
    guard pipeline.poison == nil else { return }
    active?.segment.retire(pipeline.ownership)
    for segment in sealed { segment.retire(pipeline.ownership) }
  }
}
