internal import BinaryCoding
internal import FileIO

extension CommitPipeline {
  /// Takes the lock for what needs exact totals: like ``enter(_:)``, but what waits to be looked up
  /// is mostly looked up before, so that commits need not wait for it.
  func enterSettling(_ purpose: String) {
    enter(purpose)
    // Without a worker few keys wait.
    guard commitWorker != nil, !isClosed,
      let lookup = replacements.lookUpAhead(
        in: table, beneath: currentIndex(), accounts, watch)
    else { return }
    leave()
    lookup.finish()
    enter(purpose)
  }

  /// Makes the live totals of all segments exact; called under the lock. Throws where an index
  /// cannot be read now.
  func settleReplacements() throws(LogError) {
    if replacements.isEmpty { return }
    if let failure = replacements.settle(
      beneath: currentIndex(), accounts, watch, again: true)
    {
      throw failure
    }
  }

  /// The same where totals may be too high by what an index does not tell now.
  private func trySettlingReplacements() {
    do throws(LogError) { try settleReplacements() } catch {}
  }

  /// Live records by collection and schema version; called under the lock.
  var liveTotals: LiveTotals {
    trySettlingReplacements()
    var result = LiveTotals()
    for account in accounts.values { result.add(account.descriptor.live) }
    return result
  }

  /// How much of its segments but `spared` is live, but for what was not looked up yet, which
  /// counts as live; called under the lock.
  func space(sparing spared: Set<SegmentIdentifier>) -> LogSpace {
    var space = LogSpace()
    for (identifier, account) in accounts.entries where !spared.contains(identifier) {
      space.add(byteCount: byteCount(of: account.descriptor), live: account.descriptor.live.total)
    }
    return space
  }

  /// Up to where its records go.
  private func byteCount(of segment: SegmentDescriptor) -> UInt64 {
    segment.isSealed ? segment.dataEnd : active?.writer.end ?? needsRepair?.end ?? 0
  }

  /// What statistics tell of, copied under the lock; the rest of the work is done without it.
  private struct StatisticsSource {
    /// Each with the bytes up to where its records go.
    let segments: [(descriptor: SegmentDescriptor, byteCount: UInt64)]
    let sealed: [Segment]
    let runs: [MergedRun]
    let shelf: DictionaryShelf
    /// Those that were found there; nothing where none was made or is used.
    let dictionaries: [CompressionDictionary]?
    let lastSequence: CommitSequence
    let durableSequence: CommitSequence
    let segmentByteCountTarget: UInt64
  }

  private func statisticsSource() throws(LogError) -> StatisticsSource {
    enterSettling("taking statistics")
    defer { leave() }
    try settleReplacements()
    let descriptors = accounts.entries.map(\.value.descriptor)
    let shelf = shownDictionaries
    let hasDictionaries =
      !shelf.isEmpty || descriptors.contains { !$0.dictionaryUses.isEmpty }
    return StatisticsSource(
      segments: descriptors.map { ($0, byteCount(of: $0)) }, sealed: sealed, runs: runs,
      shelf: shelf, dictionaries: hasDictionaries ? try shelf.all() : nil,
      lastSequence: lastSequence, durableSequence: durableSequence,
      segmentByteCountTarget: segmentByteCountTarget)
  }

  /// What the log holds, without the sizes of its files; not under the lock.
  func statistics() throws(LogError) -> LogStatistics {
    let source = try statisticsSource()
    let rebuilt = Set(source.sealed.filter(\.hasRebuiltFooter).map(\.identifier))
    let segments = source.segments.map { segment in
      SegmentStatistics(
        segment.descriptor, byteCount: segment.byteCount,
        hasRebuiltIndex: rebuilt.contains(segment.descriptor.identifier))
    }
    let listed = Set(source.segments.map(\.descriptor.identifier))
    let runs = source.runs.map { run in
      RunStatistics(
        identifier: run.descriptor.identifier, byteCount: run.descriptor.byteCount,
        keyCount: run.descriptor.keyCount,
        segmentCount: run.descriptor.segments.count(where: listed.contains),
        isDamaged: run.isDamaged)
    }
    return LogStatistics(
      segments: segments, runs: runs.sorted { $0.identifier < $1.identifier },
      dictionaries: dictionaryStatistics(source), lastSequence: source.lastSequence,
      durableSequence: source.durableSequence, fileByteCount: 0, reserveByteCount: 0,
      segmentByteCountTarget: source.segmentByteCountTarget,
      snapshots: SnapshotStatistics(snapshots))
  }

  /// Adds the sizes of files, each of which has to be opened; not under the lock.
  func addFileSizes(to statistics: inout LogStatistics) throws(LogError) {
    for name in ownership.retired { statistics.snapshots.pinnedByteCount += try size(of: name) }
    statistics.fileByteCount = try fileByteCount(
      active: statistics.segments.first { $0.isActive })
    statistics.reserveByteCount = try size(of: StoreDirectory.reserve)
  }

  private func dictionaryStatistics(_ source: StatisticsSource) -> [DictionaryStatistics] {
    guard let known = source.dictionaries else { return [] }
    var uses = DictionaryUses()
    for segment in source.segments { uses.add(segment.descriptor.dictionaryUses) }
    let lost = Set(uses.uses.entries.map(\.key)).subtracting(known.map(\.identifier.rawValue))
    let found = known.map { dictionary in
      DictionaryStatistics(
        dictionary, isNewest: source.shelf.newest(of: dictionary.version) === dictionary,
        use: uses.uses[dictionary.identifier.rawValue] ?? DictionaryUse())
    }
    let missing = lost.map { number in
      DictionaryStatistics(
        lost: DictionaryIdentifier(number), use: uses.uses[number] ?? DictionaryUse())
    }
    return (found + missing).sorted { $0.identifier < $1.identifier }
  }

  /// What is allocated ahead of the records of the active segment goes when it is sealed, and does
  /// not count.
  private func fileByteCount(active: SegmentStatistics?) throws(LogError) -> UInt64 {
    let growing = active.map { StoreDirectory.segment($0.identifier) }
    do throws(FileIOError) {
      var total: UInt64 = 0
      for text in try directory.list() {
        guard let name = StoreDirectory.file(text) else { continue }
        let byteCount = try openSize(of: name)
        total += name == growing ? min(byteCount, active?.byteCount ?? byteCount) : byteCount
      }
      return total
    } catch { throw .fileIO(error) }
  }

  private func size(of name: FileName) throws(LogError) -> UInt64 {
    do throws(FileIOError) { return try openSize(of: name) } catch { throw .fileIO(error) }
  }

  private func openSize(of name: FileName) throws(FileIOError) -> UInt64 {
    do throws(FileIOError) {
      return try directory.open(name, .read).size()
    } catch {
      // A file that compaction removed meanwhile takes no space; nor does what is no file.
      guard error.reason == .notFound || error.reason == .notPlainFile else { throw error }
      return 0
    }
  }
}
