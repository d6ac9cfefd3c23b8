internal import FileIO

extension Log {
  /// Begins to rewrite sealed segments; those that do not exist any more are left out.
  ///
  /// What is rewritten is the same with any `threadCount`: threads beside the caller's, which
  /// transform records with `transformer` and compress them with `effort`.
  /// - Throws: ``LogError/rewriteIsRunning`` when another rewrite has not ended.
  package func beginRewrite(
    of identifiers: Set<SegmentIdentifier>, effort: CompressionEffort = .thorough,
    transformer: (any RecordTransformer)? = nil, threadCount: Int = 0
  ) throws(LogError) -> SegmentRewrite {
    let started = try startRewrite(of: identifiers)
    do throws(LogError) {
      return try SegmentRewrite(
        pipeline, view: started.view, inputs: started.inputs, live: started.live,
        areAllLive: started.areAllLive, watch: started.watch, effort: effort,
        transformer: transformer, threadCount: threadCount)
    } catch {
      pipeline.enter("a compaction")
      pipeline.watch = nil
      pipeline.leave()
      throw error
    }
  }

  private func startRewrite(
    of identifiers: Set<SegmentIdentifier>
  ) throws(LogError) -> (
    view: View, inputs: [Segment], live: LiveTotals, areAllLive: Bool, watch: RewriteWatch
  ) {
    try checkRewritable()
    // Where they lie now: what is rewritten is not looked through again.
    try pipeline.dictionaries.load()
    pipeline.enterSettling("a compaction")
    defer { pipeline.leave() }
    try pipeline.checkWritable()
    try pipeline.putInOrder()
    guard pipeline.watch == nil else { throw .rewriteIsRunning }
    // What earlier commits replaced is not noted in the watch, but counted.
    try pipeline.settleReplacements()
    // What was appended and is not published yet is superseded too.
    let view = pipeline.head
    let inputs = view.sealed.filter { identifiers.contains($0.identifier) }
    let watch = RewriteWatch(inputs: Set(inputs.map(\.identifier)))
    pipeline.watch = watch
    var live = LiveTotals()
    var areAllLive = true
    for input in inputs {
      let descriptor = pipeline.accounts[input.identifier]?.descriptor
      if let descriptor { live.add(descriptor.live) }
      // Of each by itself: what one counts too much must not stand for what another lacks.
      areAllLive = areAllLive && descriptor?.live.total.recordCount == input.recordCount
    }
    return (view, inputs, live, areAllLive, watch)
  }

  private func checkRewritable() throws(LogError) {
    pipeline.enter("a compaction")
    defer { pipeline.leave() }
    try pipeline.checkWritable()
    guard pipeline.watch == nil else { throw .rewriteIsRunning }
  }

  /// How many threads a rewrite may have compress beside its own, where nothing else is asked for.
  package static var compressingThreadCount: Int { min(Processors.count - 1, 3) }

  /// A number from the configuration's source.
  package func nextRandom() -> UInt64 { pipeline.configuration.randomSource.next() }

  /// Seals the active segment, so that everything can be rewritten.
  package func sealActiveSegment() throws(LogError) {
    pipeline.enter("sealing a segment")
    defer { pipeline.leave() }
    try pipeline.checkWritable()
    try pipeline.putInOrder()
    if pipeline.active != nil {
      try pipeline.sealWithinReserve()
      pipeline.maintainIndexes()
    }
  }

  /// Whether the log merges its indexes on a thread of its own when nothing is written.
  package var mergesIndexesWhenIdle: Bool { pipeline.configuration.maintenance == .background }

  /// Calls `body`, which rewrites segment after segment. A log that merges its indexes when nothing
  /// is written does so soon afterwards, whether it throws or not; meanwhile only where there are
  /// very many, or where commits seal segments: each merge takes a processor that `body` could
  /// use, and most of what it writes would soon be merged again.
  package func hurrying<Result>(
    _ body: () throws(LogError) -> Result
  ) throws(LogError) -> Result {
    pipeline.maintenance.beginHurry()
    defer {
      pipeline.maintenance.endHurry()
      if mergesIndexesWhenIdle {
        pipeline.enter("merging indexes")
        pipeline.maintainIndexes()
        pipeline.leave()
      }
    }
    return try body()
  }

  /// Returns when files that rewrites have replaced take no room any more, but for those that
  /// somebody reads.
  package func waitForRoom() { pipeline.unmapping.waitUntilDone() }

  /// Looks what is free for a compaction that is about to begin.
  package func noteRoom() {
    pipeline.enter("what a compaction finds free")
    defer { pipeline.leave() }
    pipeline.reserve.noteRoomBefore()
  }

  /// Counts what is free behind a compaction, which used and gave back what nobody counted.
  package func countRoom() {
    waitForRoom()
    pipeline.enter("what a compaction left free")
    defer { pipeline.leave() }
    pipeline.reserve.countFree()
  }

  /// Gives up the reserve, so that a compaction has room on a full disk; whether there was any.
  package func giveUpReserve() -> Bool {
    pipeline.enter("giving up the reserve")
    defer { pipeline.leave() }
    return pipeline.giveUpReserve()
  }

  /// Notes that a compaction found no room to write any of `segments` anew.
  package func note(withoutRoom segments: [SegmentIdentifier]) {
    waitForRoom()
    pipeline.enter("a note of a compaction")
    defer { pipeline.leave() }
    pipeline.note(withoutRoom: segments)
  }

  /// Whether the disk was full, and there was no room for a new reserve since.
  package var isReserveGivenUp: Bool {
    pipeline.enter("a question about the reserve")
    defer { pipeline.leave() }
    return pipeline.reserve.isGivenUp
  }

  /// How often something was refused for want of room.
  package var refusalCount: Int {
    pipeline.enter("a question about room")
    defer { pipeline.leave() }
    return pipeline.reserve.refusalCount
  }

  /// Notes that a compaction of a full disk found nothing that it can take; `refusalCount` is from
  /// before it looked.
  package func noteNothingToCompact(since refusalCount: Int) {
    pipeline.enter("a note of a compaction")
    defer { pipeline.leave() }
    pipeline.noteNothingToCompact(since: refusalCount)
  }

  /// Makes the reserve again that a full disk took, where there is room for it by now.
  package func keepReserveAgain() {
    pipeline.enter("the reserve of a full disk")
    defer { pipeline.leave() }
    pipeline.keepReserveAgain()
  }

  /// Whether puts fail because there is no room for them, be it that there is a reserve yet: then
  /// all that is dead is worth a compaction.
  package var isDiskFull: Bool {
    waitForRoom()
    pipeline.enter("a question about room")
    defer { pipeline.leave() }
    return pipeline.isDiskFull()
  }

  /// The error, with what is free when it tells of a full disk.
  package func diskFull(_ error: LogError) -> LogError {
    pipeline.diskFull(error, needed: nil)
  }
}
