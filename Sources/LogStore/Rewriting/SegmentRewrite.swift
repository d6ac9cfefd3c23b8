internal import BinaryCoding
internal import FileIO

/// Replaces sealed segments by new ones that hold only what is still needed of them.
///
/// The caller has the records carried over, in key order, and then publishes. A transformer may
/// replace or drop some of them. Nothing of the store changes before ``publish()``; a rewrite that
/// is cancelled, or that a crash ends, leaves files that the next writer removes, or the one
/// after it: see ``CommitPipeline/sweep()``. One rewrite of a store runs at a time; it is used by
/// one thread, while others read and commit.
///
/// Why no record can be lost or come back: outputs keep each record's sequence, and look-ups take
/// the highest sequence of a key. So an output that holds a record which was replaced meanwhile is
/// harmless, and one atomic edit of the manifest exchanges inputs for outputs.
package final class SegmentRewrite {
  // What is unchecked is changed for each record, by one thread, and what runs meanwhile of others,
  // a file system, does not know the rewrite.
  let pipeline: CommitPipeline
  /// What the rewrite reads; let go when it is over, so that it pins nothing.
  private(set) var reading: RewriteReading?
  let watch: RewriteWatch
  @exclusivity(unchecked) private var output: RewriteOutput?
  private(set) var finished: [ActiveSegment] = []
  /// The bytes of those.
  @exclusivity(unchecked) private var finishedByteCount: UInt64 = 0
  private let effort: CompressionEffort
  private let transformer: (any RecordTransformer)?
  private let recompressor: Recompressor
  private let queue: RewriteQueue
  /// An output is ended here. Like a segment of commits it may reach beyond the target by half;
  /// from the last one that is expected on they may be a quarter larger, so that a little that is
  /// left over gets no segment of its own.
  package let outputByteCountMaximum: UInt64
  /// How many outputs the inputs will make, as far as they stay as large as they are.
  private let expectedOutputCount: Int
  /// Whether the current output holds first copies of dictionaries.
  @exclusivity(unchecked) private var hasFirstCopies = false
  /// Bytes of the outputs so far: what the rewrite takes of the disk beside its inputs. With other
  /// threads, what these still compress comes later.
  package var outputByteCount: UInt64 {
    finishedByteCount + (output?.byteCount ?? 0)
  }
  /// Whether records came back for the outputs since this was set to false.
  @exclusivity(unchecked) private var hasWritten = false
  /// Whether records of the last version are transformed.
  @exclusivity(unchecked) private var known: (version: CollectionVersion, isTransformed: Bool)?
  /// Live records of the inputs, as they were when the rewrite began.
  private let liveTotals: LiveTotals
  private var failure: LogError?
  private var isOver: Bool { reading == nil }
  /// What became of the tombstones.
  @exclusivity(unchecked) package private(set) var tombstones = TombstoneTally()
  /// The segments that were written, when it is published.
  package var outputs: [SegmentIdentifier] { finished.map(\.segment.identifier) }
  /// What ``carryOver(atMost:byteCount:outputByteCount:)`` carried over.
  @exclusivity(unchecked) package private(set) var carriedCount: UInt64 = 0
  /// The bytes that those have in the inputs.
  @exclusivity(unchecked) package private(set) var carriedByteCount: UInt64 = 0
  /// Of these, the puts that are not of reserved collections and were not to be transformed.
  @exclusivity(unchecked) package private(set) var keptCount: UInt64 = 0
  /// What became of those that were to be transformed; whole when the rewrite is published.
  @exclusivity(unchecked) package private(set) var tally = RewriteTally()
  /// Live records of the inputs, as they were when the rewrite began; ascending by version.
  package var sortedLive: [(version: CollectionVersion, totals: RecordTotals)] { liveTotals.sorted }
  /// Copies of dictionaries that nothing needs and that were left out, as bits.
  private var leftOutCopies: [DictionaryIdentifier: UInt8] = [:]
  /// Whether any were left out.
  package var leavesOutDictionaries: Bool { !leftOutCopies.isEmpty }
  /// How many of the segments that were to be rewritten there are, until it is over.
  package var inputCount: Int { reading?.inputs.count ?? 0 }
  /// Dictionaries that records need and that are lost; these records were carried over as they are.
  package var damages: [CorruptionReport] { recompressor.damages }

  init(
    _ pipeline: CommitPipeline, view: View, inputs: [Segment], live: LiveTotals,
    areAllLive: Bool, watch: RewriteWatch, effort: CompressionEffort,
    transformer: (any RecordTransformer)?, threadCount: Int
  ) throws(LogError) {
    self.pipeline = pipeline
    liveTotals = live
    self.watch = watch
    self.effort = effort
    self.transformer = transformer
    let (dictionaries, compression) = (pipeline.dictionaries, pipeline.configuration.compression)
    recompressor = Recompressor(DictionaryChoice(dictionaries, compression), effort: effort)
    let target = pipeline.outputByteCountTarget()
    outputByteCountMaximum = target + target / 2
    expectedOutputCount = Self.outputCount(
      live.sorted.reduce(0) { $0 + $1.totals.byteCount }, outputByteCountMaximum)
    queue = RewriteQueue(
      of: inputs, threadCount: threadCount, transformer: transformer,
      seed: pipeline.store.checksumSeed,
      outputByteCountMaximum: outputByteCountMaximum
    ) { RecordCompressor(dictionaries, compression, effort) }
    // Who is in a hurry believes the totals.
    reading = try RewriteReading(
      view, inputs: inputs, areAllLive: areAllLive && effort == .quick)
  }

  deinit { cancel() }

  /// The next record that must be carried over, in key order; nothing after the last.
  ///
  /// - Throws: ``LogError/corruption(_:)`` when a record does not verify: then cancel, so that the
  ///   segment that holds it stays.
  package func next() throws(LogError) -> RewriteRecord? {
    guard let reading else { return nil }
    do throws(LogError) {
      while let found = try reading.walk.next() {
        guard try isNeeded(found, reading) else { continue }
        let segment = found.segment.takeUnretainedValue()
        return try segment.withRecord(at: found.value, key: found.key) { record in
          RewriteRecord(record, found.value, in: segment)
        }
      }
      return nil
    } catch { throw fail(error) }
  }

  /// Carries over the next records: transformed, or compressed anew, or as they are; until it has
  /// looked at `count` keys or carried `byteCount` bytes over, or the outputs have more than
  /// `outputByteCount`. Returns whether there may be more.
  ///
  /// - Throws: ``LogError/corruption(_:)`` as ``next()`` does, or what the transformer threw, of
  ///   these records or earlier ones.
  package func carryOver(
    atMost count: UInt64 = .max, byteCount: UInt64 = .max, outputByteCount limit: UInt64 = .max
  ) throws(LogError) -> Bool {
    guard let reading else { return false }
    let (byteCountEnd, isAbove) = carriedByteCount.addingReportingOverflow(byteCount)
    for _ in 0..<count {
      hasWritten = false
      do throws(LogError) {
        guard let found = try reading.walk.next() else { return false }
        if try isNeeded(found, reading) { try carryOver(found) }
      } catch { throw fail(error) }
      if !isAbove, carriedByteCount >= byteCountEnd { break }
      if hasWritten, outputByteCount > limit { break }
    }
    return true
  }

  /// Whether the record must be carried over.
  private func isNeeded(
    _ found: RewriteWalk.FoundRecord, _ reading: RewriteReading
  ) throws(LogError) -> Bool {
    guard found.isLive else { return false }
    guard found.value.isTombstone else { return try !leavesOut(found.key, found.value, reading) }
    guard let other = try other(hiddenBy: found.key, found.value, reading) else {
      tombstones.noteDropped()
      return false
    }
    tombstones.noteKept(hiding: other.identifier)
    return true
  }

  /// Carries a record over, which lies in a segment that the reading keeps.
  private func carryOver(_ found: RewriteWalk.FoundRecord) throws(LogError) {
    if let record = try found.segment.lentRecord(at: found.value, key: found.key) {
      return try carryOver(record, found)
    }
    let segment = found.segment.takeUnretainedValue()
    try segment.withRecord(at: found.value, key: found.key) { (record) throws(LogError) in
      try carryOver(record, found)
    }
  }

  private func carryOver(
    _ record: RecordDecoder.Decoded, _ found: RewriteWalk.FoundRecord
  ) throws(LogError) {
    let (header, value) = (record.header, found.value)
    carriedCount += 1
    carriedByteCount += UInt64(value.length)
    if header.kind == .put {
      let version = CollectionVersion(
        collection: header.collection, schemaVersion: header.schemaVersion)
      if known?.version != version {
        known = (version, transformer?.transforms(version) ?? false)
        if known?.isTransformed == true { queue.forgetGrowth() }
      }
      if known?.isTransformed == true {
        queue.filling.add(record, value.sequence, in: found.segment, at: value.offset)
        return try sendOn()
      }
      if !header.collection.isReserved { keptCount += 1 }
    }
    try keep(record, value.sequence, in: found.segment, at: value.offset)
  }

  /// Whether the key is that of a copy of a dictionary which nothing needs. One that hides an older
  /// record of its key stays: no tombstone could take its place, as walks of the catalog pass over
  /// them.
  ///
  /// That nothing needs it is read from the store's segments, and the outputs are none of them yet.
  /// It holds because the catalog, which has the lowest number, is walked before all records that
  /// are compressed, and what is left out is out of use from then on. Should an index show a copy
  /// later, it stays.
  private func leavesOut(
    _ key: IndexKey, _ value: IndexValue, _ reading: RewriteReading
  ) throws(LogError) -> Bool {
    guard key.collection == CollectionIdentifier.catalog.rawValue,
      known.map({ $0.version.collection == .catalog }) ?? true,
      let (identifier, copy) = CompressionDictionary.identifier(ofKey: key.buffer),
      try other(hiddenBy: key, value, reading) == nil, try pipeline.retireDictionary(identifier)
    else { return false }
    leftOutCopies[identifier, default: 0] |= 1 << copy
    return true
  }

  /// A segment that is not rewritten and holds an older record of the key, or may hold one.
  private func other(
    hiddenBy key: IndexKey, _ value: IndexValue, _ reading: RewriteReading
  ) throws(LogError) -> Segment? {
    if PlantedBug.tombstoneDroppedEarly.isPlanted { return nil }
    return try reading.other(holding: key, before: value.sequence)
  }

  /// Carries a record over as it is, to the bit.
  package func keep(_ record: RewriteRecord) throws(LogError) {
    try record.withDecoded { (decoded) throws(LogError) in
      queue.filling.add(decoded.bytes, decoded.header, record.sequence)
    }
    try sendOn()
  }

  /// Carries a record over, compressed against the newest dictionary of its version where that
  /// helps, or else as it is.
  ///
  /// With no other on its way, what stays as it is goes to the output as it lies in the input.
  private func keep(
    _ record: RecordDecoder.Decoded, _ sequence: CommitSequence,
    in segment: Unmanaged<Segment>, at offset: UInt32
  ) throws(LogError) {
    if let smaller = try recompressor.smaller(
      record, in: segment.takeUnretainedValue(), at: offset)
    {
      queue.filling.add(record, payload: smaller.payload, smaller.dictionary, sequence)
    } else if queue.isEmpty {
      precondition(!isOver, Self.isOverReason)
      hasWritten = true
      return try append(record.bytes, record.header, sequence: sequence)
    } else {
      queue.filling.add(record.bytes, record.header, sequence)
    }
    try sendOn()
  }

  /// Hands over what was collected, and writes what is ready.
  private func sendOn() throws(LogError) {
    precondition(!isOver, Self.isOverReason)
    guard queue.filling.isFull else { return }
    queue.send()
    try write(all: false)
  }

  private static let isOverReason =
    "a rewrite that was published or cancelled takes no more records"

  private func write(all: Bool) throws(LogError) {
    while let portion = queue.next(afterAll: all) {
      hasWritten = true
      do throws(LogError) {
        try portion.empty(tally: &tally) { (record, header, sequence) throws(LogError) in
          try append(record, header, sequence: sequence)
        }
      } catch { throw fail(error) }
      queue.giveBack(portion)
    }
  }

  private func append(
    _ bytes: UnsafeRawBufferPointer, _ header: RecordHeader, sequence: CommitSequence
  ) throws(LogError) {
    if let size = output?.byteCount, let index = output?.indexByteCount,
      size + UInt64(bytes.count) > outputByteCountEnd
        || index > pipeline.configuration.indexByteCountMaximum
    {
      try finishOutput()
    }
    try separateCopies(bytes, header)
    do throws(LogError) {
      if output == nil { output = try pipeline.beginRewriteOutput(effort) }
    } catch { throw fail(error) }
    do throws(FileIOError) {
      try output?.append(bytes, header, sequence: sequence)
    } catch { throw fail(.fileIO(error)) }
  }

  private static func outputCount(_ byteCount: UInt64, _ maximum: UInt64) -> Int {
    let maximum = max(1, maximum)
    let full = byteCount - min(byteCount, maximum / 4)
    return Int(clamping: max(1, full / maximum + (full % maximum == 0 ? 0 : 1)))
  }

  /// Where the current output is ended.
  private var outputByteCountEnd: UInt64 {
    let isLast = finished.count + 1 >= expectedOutputCount
    return isLast ? outputByteCountMaximum + outputByteCountMaximum / 4 : outputByteCountMaximum
  }

  /// The two copies of a dictionary must not lie in one file. All first ones come before all second
  /// ones, so another output is begun between them.
  private func separateCopies(
    _ bytes: UnsafeRawBufferPointer, _ header: RecordHeader
  ) throws(LogError) {
    guard header.collection == .catalog, !pipeline.dictionaries.isEmpty else { return }
    let key = UnsafeRawBufferPointer(
      rebasing: bytes[header.keyOffset..<(header.keyOffset + header.keyLength)])
    guard let copy = CompressionDictionary.identifier(ofKey: key)?.copy else { return }
    if copy == 1, hasFirstCopies { try finishOutput() }
    hasFirstCopies = copy == 0
  }

  private func finishOutput() throws(LogError) {
    guard let current = output.take() else { return }
    // Known before it is finished, so that its file goes when that fails.
    let active = current.active
    finished.append(active)
    do throws(FileIOError) { try current.finish() } catch { throw fail(.fileIO(error)) }
    finishedByteCount += active.writer.end
  }

  /// Remembers that a record may be missing from what was written.
  func fail(_ error: LogError) -> LogError {
    failure = failure ?? error
    return error
  }

  /// Puts the outputs in the inputs' place; durable on return. The inputs' files are removed when
  /// the last snapshot that can read them goes away.
  ///
  /// - Throws: what reading or writing a record threw, if anything did: the outputs lack it then.
  package func publish() throws(LogError) {
    let mappings = queue.usesThreads ? reading?.mappings ?? [] : []
    try exchange()
    pipeline.unmapping.release(mappings)
  }

  private func exchange() throws(LogError) {
    guard let reading else { preconditionFailure("a rewrite is published once") }
    if let failure { throw failure }
    queue.send(isLast: true)
    try write(all: true)
    if output == nil, finished.isEmpty {
      // Nothing is left of the inputs; the log must say so all the same.
      output = try pipeline.beginRewriteOutput(effort)
    }
    try finishOutput()
    try synchronizeAhead()
    reading.forgetPages()
    let segments = pipeline.segments(of: finished)
    try enterSettled(segments)
    defer { pipeline.leave() }
    do throws(LogError) {
      try pipeline.publishRewrite(
        of: reading.inputs, outputs: finished, segments, superseded: watch.superseded)
    } catch {
      // What was taken out of the totals must not be taken out again.
      throw fail(error)
    }
    for (identifier, copies) in leftOutCopies {
      pipeline.dictionaries.removeCopies(copies, of: identifier)
    }
    self.reading = nil
    queue.letGo()
    pipeline.watch = nil
  }

  /// Gives up; the store is as it was. Called by itself when the object goes away.
  package func cancel() {
    guard !isOver else { return }
    reading?.forgetPages()
    reading = nil
    queue.letGo()
    if let current = output.take() { finished.append(current.active) }
    pipeline.enter("cancelling a compaction")
    pipeline.watch = nil
    if PlantedBug.cancellationTakenForFailure.isPlanted {
      pipeline.poison = FileIOError(.ioError, operation: "rewrite", path: pipeline.directory.path)
    }
    // After a failed synchronization the manifest that lists the outputs may be in force.
    let isPoisoned = pipeline.poison != nil
    pipeline.leave()
    if !isPoisoned {
      for segment in finished { segment.segment.retire(pipeline.ownership) }
    }
    finished = []
  }
}
