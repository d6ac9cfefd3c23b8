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
        watch: started.watch, effort: effort, transformer: transformer,
        threadCount: threadCount)
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
    view: View, inputs: [Segment], live: LiveTotals, watch: RewriteWatch
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
    for input in inputs {
      if let account = pipeline.accounts[input.identifier] { live.add(account.descriptor.live) }
    }
    return (view, inputs, live, watch)
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

  /// Has the log merge its indexes as soon as nothing is written for a while; false where it has no
  /// thread for that.
  package func mergeIndexesSoon() -> Bool {
    guard pipeline.configuration.maintenance == .background else { return false }
    pipeline.enter("merging indexes")
    defer { pipeline.leave() }
    pipeline.maintainIndexes()
    return true
  }

  /// Gives up the reserve, so that a compaction has room on a full disk; whether there was any.
  package func giveUpReserve() -> Bool {
    pipeline.enter("giving up the reserve")
    defer { pipeline.leave() }
    return pipeline.reserve.giveUp()
  }

  /// Whether the disk was full, and there was no room for a new reserve since.
  package var isReserveGivenUp: Bool {
    pipeline.enter("a question about the reserve")
    defer { pipeline.leave() }
    return pipeline.reserve.isGivenUp
  }

  /// The error, with what is free when it tells of a full disk.
  package func diskFull(_ error: LogError) -> LogError {
    pipeline.diskFull(error, needed: nil)
  }
}
