internal import BinaryCoding
internal import FileIO

extension Log {
  /// A sample has this many payloads at least, or says nothing.
  package static let dictionarySampleCountMinimum = 256
  /// A dictionary is made for this many records at least.
  package static let dictionaryRecordCountMinimum: UInt64 = 2048
  private static let dictionaryByteCountMaximum = 56 << 10
  private static let dictionaryByteCountMinimum = 1 << 10

  /// Makes a dictionary for records of `version` when that makes them smaller, and has it used from
  /// then on; durable on return. Only for a compaction, of which one runs at a time.
  ///
  /// It is used when both copies are durable. After an error, what there is of it is completed by
  /// the next call, or the next compaction.
  ///
  /// `sample` are payloads of them, `recordCount` is how many there are about. Another is made
  /// when the newest compresses less well than it did or, with `triesLarger`, when it was made
  /// while there were so few records that one may be half as large again now, and that pays for
  /// itself; a version that has none yet gets that of the version before, unless another is
  /// much better. Returns whether a dictionary was made. Costs some 30 ms for a MiB, most of it for
  /// the first of a version, and some 50 for a larger one.
  @discardableResult
  package func makeDictionary(
    for version: CollectionVersion, sample: [[UInt8]], recordCount: UInt64,
    triesLarger: Bool = false
  ) throws(LogError) -> Bool {
    do throws(LogError) {
      return try make(version, sample, recordCount: recordCount, triesLarger: triesLarger)
    } catch {
      // Where all numbers were given, what is compacted goes on with what there is.
      guard case .limitExceeded = error else { throw error }
      return false
    }
  }

  private func make(
    _ version: CollectionVersion, _ sample: [[UInt8]], recordCount: UInt64, triesLarger: Bool
  ) throws(LogError) -> Bool {
    guard pipeline.configuration.compression != .none, !version.collection.isReserved,
      sample.count >= Self.dictionarySampleCountMinimum,
      recordCount >= Self.dictionaryRecordCountMinimum
    else { return false }
    try restoreDictionaries { $0.version == version }
    let training = DictionaryTraining(sample)
    let current = pipeline.dictionaries.newest(of: version)
    let byteCount = Self.byteCount(for: sample, recordCount: recordCount)
    let inherited = try inherited(
      by: version, training, sample, recordCount: recordCount, byteCount: byteCount)
    if let inherited, inherited.isAsGood { return try use(inherited.dictionary) }
    let before = inherited?.dictionary.sample ?? training.result(with: current)
    var isOutgrown = false
    if let current, current.compresses {
      let hasDecayed =
        before.storedFraction > current.sample.storedFraction * Self.decayMaximum
      isOutgrown =
        triesLarger
        && Self.isMuchLarger(min(byteCount, training.byteCount), than: current.bytes.count)
      guard hasDecayed || isOutgrown else { return false }
    }
    let best = training.best(
      try pipeline.takeDictionaryIdentifier(), version, byteCount: byteCount)
    var chosen = choose(best, current, before)
    if chosen == nil, isOutgrown, let current {
      let pays =
        best.sample.storedByteCount <= before.storedByteCount
        && Self.paysForItself(best, after: current, training, recordCount: recordCount)
      chosen = pays ? best : nil
    }
    if chosen == nil, before.storedFraction <= Self.storedFractionMaximum {
      chosen = inherited?.dictionary
    }
    return if let chosen { try use(chosen) } else { false }
  }

  private func use(_ dictionary: CompressionDictionary) throws(LogError) -> Bool {
    try pipeline.permitDictionaries()
    for copy in UInt8(0)...1 { try putApart(dictionary, copy: copy) }
    return true
  }

  /// The dictionary of the version before, for `version` that has none, where it makes what a step
  /// made of its records smaller than no dictionary does; and whether it does that so well that no
  /// other one is tried.
  ///
  /// Records keep the matches that they have when they are upgraded (``MatchReuse``). That is why
  /// it may be as large as one for all records of the collection, which are to be of `version` some
  /// day, while only a few are by now.
  private func inherited(
    by version: CollectionVersion, _ training: DictionaryTraining, _ sample: [[UInt8]],
    recordCount: UInt64, byteCount: Int
  ) throws(LogError) -> (dictionary: CompressionDictionary, isAsGood: Bool)? {
    guard let old = pipeline.dictionaries.newest(before: version), old.compresses else {
      return nil
    }
    let allCount = liveByVersion.reduce(0 as UInt64) {
      $1.key.collection == version.collection ? $0 + $1.value.recordCount : $0
    }
    let most = Self.byteCount(for: sample, recordCount: max(recordCount, allCount))
    guard !Self.isMuchLarger(min(byteCount, training.byteCount), than: old.bytes.count),
      !Self.isMuchLarger(old.bytes.count, than: most)
    else { return nil }
    let result = training.result(with: old)
    guard Self.isBetter(result, than: training.result(with: nil)) else { return nil }
    // Where it saves little, another one may save much, however little it did before.
    let isAsGood =
      result.storedFraction
      <= min(
        old.sample.storedFraction * Self.inheritedDecayMaximum, Self.inheritedFractionMaximum)
    // With the old sample, so that a little worse with each version is not always a little worse.
    return (
      CompressionDictionary(
        try pipeline.takeDictionaryIdentifier(), version, sample: isAsGood ? old.sample : result,
        bytes: old.bytes), isAsGood
    )
  }

  /// How many bytes a dictionary for so many records may have: with its two copies it takes at most
  /// a sixteenth of them.
  private static func byteCount(for sample: [[UInt8]], recordCount: UInt64) -> Int {
    let sampleByteCount = sample.reduce(0) { $0 + $1.count }
    // What a manifest counts may be any number.
    let (most, isBeyond) = (Int(clamping: recordCount) / sample.count)
      .multipliedReportingOverflow(by: sampleByteCount)
    if isBeyond { return dictionaryByteCountMaximum }
    return min(max(most / 32, dictionaryByteCountMinimum), dictionaryByteCountMaximum)
  }

  /// Whether a dictionary could be made for records of `version`, which have none.
  package func lacksDictionary(_ version: CollectionVersion) -> Bool {
    pipeline.configuration.compression != .none && pipeline.configuration.access == .readWrite
      && !version.collection.isReserved && pipeline.dictionaries.newest(of: version) == nil
  }

  /// How much worse than at first a dictionary may compress before another is made.
  private static let decayMaximum = 1.1
  /// The same where the next version has it without any other being tried.
  private static let inheritedDecayMaximum = 1.05
  /// How small it must make payloads for that.
  private static let inheritedFractionMaximum = 0.5
  /// How small payloads must become to be compressed at all.
  private static let storedFractionMaximum = 0.88
  /// How much smaller another dictionary must make them than what there is.
  private static let improvementMinimum = 0.95
  /// Above it, no payload is tried any more.
  private static let futileFraction = 0.97

  /// The dictionary to use from now on, or nothing when all stays as it is.
  private func choose(
    _ best: CompressionDictionary, _ current: CompressionDictionary?,
    _ before: CompressionDictionary.Sample
  ) -> CompressionDictionary? {
    if best.sample.storedFraction <= Self.storedFractionMaximum,
      Self.isBetter(best.sample, than: before)
    {
      return best
    }
    guard current == nil, before.storedFraction > Self.futileFraction else { return nil }
    return CompressionDictionary(
      best.identifier, best.version, sample: before, bytes: LentDictionary.empty.bytes)
  }

  /// Whether what gives `result` is better than what gives `other`, by enough to be used instead.
  private static func isBetter(
    _ result: CompressionDictionary.Sample, than other: CompressionDictionary.Sample
  ) -> Bool {
    Double(result.storedByteCount) < Double(other.storedByteCount) * improvementMinimum
  }

  /// Whether a dictionary of `byteCount` bytes is half as large again as one of `other`, at least.
  private static func isMuchLarger(_ byteCount: Int, than other: Int) -> Bool {
    byteCount / 3 >= other / 2
  }

  /// How many times what its two copies take the records must gain by a larger dictionary.
  private static let growthGainMinimum = 2.0

  /// Whether `best` is much larger than `current`, and the records gain enough by it with the
  /// search that rewrites use.
  private static func paysForItself(
    _ best: CompressionDictionary, after current: CompressionDictionary,
    _ training: DictionaryTraining, recordCount: UInt64
  ) -> Bool {
    guard isMuchLarger(best.bytes.count, than: current.bytes.count) else { return false }
    let gained =
      Double(training.result(with: current, .thorough).storedByteCount)
      - Double(training.result(with: best, .thorough).storedByteCount)
    let gainedByAll = gained / Double(max(training.judgedCount, 1)) * Double(recordCount)
    return gainedByAll > growthGainMinimum * Double(2 * best.bytes.count)
  }

  /// Writes a copy to a file that holds nothing yet, durably: not to that of the other one.
  private func putApart(_ dictionary: CompressionDictionary, copy: UInt8) throws(LogError) {
    try sealActiveSegment()
    let batch = makeBatch()
    batch.put(dictionary, copy: copy)
    try commit(batch, durability: .full)
    pipeline.dictionaries.insert(dictionary, copies: 1 << copy)
  }

  /// Writes the copies of dictionaries again that were found damaged or missing; durable on return.
  ///
  /// Those of a dictionary that a rewrite takes out of use, and that is needed again, are written
  /// whatever is known of them: it leaves them out when it is published.
  package func restoreDictionaries() throws(LogError) {
    try restoreDictionaries { _ in true }
  }

  /// Sealed segments with copies of dictionaries that nothing needs and little else, to be
  /// rewritten together: what they hold takes at most `byteCountMaximum` bytes.
  package func segmentsOfUnusedDictionaries(
    byteCountMaximum: UInt64, sparing spared: Set<SegmentIdentifier>
  ) throws(LogError) -> [SegmentIdentifier] {
    guard !pipeline.dictionaries.isEmpty else { return [] }
    let all = try pipeline.dictionaries.all()
    // The last one stays in any case.
    if all.count < 2 { return [] }
    let needed = Set(try pipeline.neededDictionaries().map(\.identifier))
    let view = pipeline.view
    var found: Set<SegmentIdentifier> = []
    for dictionary in all.dropLast() where !needed.contains(dictionary.identifier) {
      for copy in UInt8(0)...1 {
        let key = CompressionDictionary.key(dictionary.identifier, copy: copy)
        let hit = try key.withBytes { (key: UnsafeRawBufferPointer) throws(LogError) in
          try view.find(IndexKey(.catalog, key))
        }
        if let hit, hit.segment.dataEnd != nil { found.insert(hit.segment.identifier) }
      }
    }
    found.subtract(spared)
    if found.isEmpty { return [] }
    var left = byteCountMaximum
    return try statisticsWithoutFiles().segments
      .filter { found.contains($0.identifier) && !$0.isActive }
      .sorted { $0.live.byteCount < $1.live.byteCount }
      .prefix { segment in
        guard segment.live.byteCount <= left else { return false }
        left -= segment.live.byteCount
        return true
      }
      .map(\.identifier)
  }

  private func restoreDictionaries(
    where isMeant: (CompressionDictionary) -> Bool
  ) throws(LogError) {
    guard !pipeline.dictionaries.isEmpty else { return }
    if try pipeline.dictionaries.areWhole() { return }
    let copies = try pipeline.dictionaries.copies()
    for dictionary in try pipeline.neededDictionaries() where isMeant(dictionary) {
      let retirement = pipeline.dictionaries.retirement(of: dictionary.identifier)
      let intact = retirement == nil ? copies[dictionary.identifier]?.intact ?? 0 : 0
      for copy in UInt8(0)...1 where intact & (1 << copy) == 0 {
        try putApart(dictionary, copy: copy)
      }
      if let retirement { pipeline.dictionaries.revive(dictionary, after: retirement) }
    }
  }
}

extension CommitPipeline {
  /// An identifier that no dictionary has had, nor any record names.
  func takeDictionaryIdentifier() throws(LogError) -> DictionaryIdentifier {
    enter("making a dictionary")
    let used = accounts.values.reduce(0) { max($0, $1.descriptor.dictionaryUses.highest) }
    leave()
    return try dictionaries.takeIdentifier(above: used)
  }

  /// Lets segments that are begun from now on hold records that need dictionaries; the next commit
  /// that has such records begins one.
  func permitDictionaries() throws(LogError) {
    enter("making a dictionary")
    defer { leave() }
    try checkWritable()
    try putInOrder()
    manifest.usesDictionaries = true
  }

  /// A batch is encoded against the dictionaries of the log that made it.
  func checkDictionaries(of batch: WriteBatch) {
    guard batch.dictionaryUses.isEmpty || batch.dictionaries === dictionaries else {
      fatalError("a batch must be committed to the log that made it")
    }
  }

  // MARK: Leaving out

  /// Those that records need, or may need soon: the last of each version that has live records, or
  /// is above all versions that its collection has: an upgrade that was given up goes on some time.
  func neededDictionaries() throws(LogError) -> [CompressionDictionary] {
    let all = try dictionaries.all()
    enter("a question about dictionaries")
    defer { leave() }
    return needed(of: all)
  }

  private func needed(of all: [CompressionDictionary]) -> [CompressionDictionary] {
    var used: Set<UInt32> = []
    for account in accounts.values {
      used.formUnion(account.descriptor.dictionaryUses.uses.entries.lazy.map(\.key))
    }
    let live = liveTotals.versions
    let newest = Dictionary(
      live.entries.lazy.filter { $0.value.recordCount > 0 }
        .map { ($0.key.collection, $0.key.schemaVersion) }, uniquingKeysWith: max)
    let last = Dictionary(all.map { ($0.version, $0) }, uniquingKeysWith: { $1 })
    return all.filter { dictionary in
      let version = dictionary.version
      if used.contains(dictionary.identifier.rawValue) { return true }
      guard last[version] === dictionary, let highest = newest[version.collection] else {
        return false
      }
      return version.schemaVersion > highest || (live[version]?.recordCount ?? 0) > 0
    }
  }

  /// Takes a dictionary out of use if no record of any segment needs it; whether it is out of use.
  ///
  /// Called without the lock, by a compaction that is about to leave out a copy.
  func retireDictionary(_ identifier: DictionaryIdentifier) throws(LogError) -> Bool {
    let all = try dictionaries.all()
    enter("leaving out a dictionary")
    defer { leave() }
    guard all.contains(where: { $0.identifier == identifier }) else { return false }
    if needed(of: all).contains(where: { $0.identifier == identifier }) { return false }
    return dictionaries.retire(identifier)
  }

  /// Writes dictionaries again that were taken out of use after `batch` was encoded against them.
  /// Called under the lock.
  private func reviveDictionaries(of batch: WriteBatch) throws(LogError) {
    let retired = dictionaries.retired(among: batch.dictionaryUses)
    if !retired.isEmpty { try expectReserve() }
    for dictionary in retired {
      for copy in UInt8(0)...1 {
        // Each in a file of its own. What follows in the log is durable only when they are.
        try putInOrder()
        if active != nil { try rotate(beginNext: false) }
        let record = WriteBatch(
          compression: .none, commitTime: batch.commitTime, dictionaries: dictionaries)
        record.put(dictionary, copy: copy)
        let request = CommitRequest(record, durability: .process)
        try write([request]) {}
        if let error = request.failure { throw error }
      }
      dictionaries.revive(dictionary)
    }
  }

  /// The same for a request of a group; false when that failed, which is then its result. The
  /// reserve of a full disk is for others.
  func reviveDictionaries(of request: CommitRequest) -> Bool {
    do throws(LogError) {
      try reviveDictionaries(of: request.batch)
      return true
    } catch {
      if error.isDiskFull { noteRefused(UInt64(request.batch.byteCount)) }
      request.fail(diskFull(error, needed: nil))
      return false
    }
  }
}
