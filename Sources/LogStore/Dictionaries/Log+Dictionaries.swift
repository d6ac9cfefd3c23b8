internal import FileIO

extension Log {
  /// A sample has this many payloads at least, or says nothing.
  package static let dictionarySampleCountMinimum = 256
  /// A dictionary is made for this many records at least.
  package static let dictionaryRecordCountMinimum: UInt64 = 2048
  private static let dictionaryByteCountMaximum = 32 << 10
  private static let dictionaryByteCountMinimum = 1 << 10

  /// Makes a dictionary for records of `version` when that makes them smaller, and has it used from
  /// then on; durable on return. Only for a compaction, of which one runs at a time.
  ///
  /// `sample` are payloads of them, `recordCount` is how many there are about. Returns whether a
  /// dictionary was made. Costs some 30 ms for a MiB, most of it for the first of a version.
  @discardableResult
  package func makeDictionary(
    for version: CollectionVersion, sample: [[UInt8]], recordCount: UInt64
  ) throws(LogError) -> Bool {
    guard pipeline.configuration.compression != .none, !version.collection.isReserved,
      sample.count >= Self.dictionarySampleCountMinimum,
      recordCount >= Self.dictionaryRecordCountMinimum
    else { return false }
    let training = DictionaryTraining(sample)
    let current = pipeline.dictionaries.newest(of: version)
    if let current, current.compresses {
      let now = training.result(with: current)
      guard now.storedFraction > current.sample.storedFraction * Self.decayMaximum else {
        return false
      }
    }
    let identifier = try pipeline.takeDictionaryIdentifier()
    let sampleByteCount = sample.reduce(0) { $0 + $1.count }
    // With its two copies it takes at most a sixteenth of the records.
    let most = Int(clamping: recordCount) / sample.count * sampleByteCount / 32
    let best = training.best(
      identifier, version,
      byteCount: min(max(most, Self.dictionaryByteCountMinimum), Self.dictionaryByteCountMaximum))
    guard let dictionary = choose(best, current, training) else { return false }
    try pipeline.permitDictionaries()
    try put(dictionary, copy: 0)
    // The other copy lies in another file.
    try sealActiveSegment()
    try put(dictionary, copy: 1)
    // Only now: what is durable may need nothing that is not.
    pipeline.dictionaries.insert(dictionary, copies: 0b11)
    return true
  }

  /// How much worse than at first a dictionary may compress before another is made.
  private static let decayMaximum = 1.1
  /// How small payloads must become to be compressed at all.
  private static let storedFractionMaximum = 0.88
  /// How much smaller another dictionary must make them than what there is.
  private static let improvementMinimum = 0.95
  /// Above it, no payload is tried any more.
  private static let futileFraction = 0.97

  /// The dictionary to use from now on, or nothing when all stays as it is.
  private func choose(
    _ best: CompressionDictionary, _ current: CompressionDictionary?,
    _ training: DictionaryTraining
  ) -> CompressionDictionary? {
    let before = training.result(with: current)
    let isBetter =
      Double(best.sample.storedByteCount) < Double(before.storedByteCount) * Self.improvementMinimum
    if best.sample.storedFraction <= Self.storedFractionMaximum, isBetter { return best }
    guard current == nil, before.storedFraction > Self.futileFraction else { return nil }
    return CompressionDictionary(
      best.identifier, best.version, sample: before, bytes: RecordCompression.noDictionary)
  }

  private func put(_ dictionary: CompressionDictionary, copy: UInt8) throws(LogError) {
    let batch = makeBatch()
    batch.put(dictionary, copy: copy)
    try commit(batch, durability: .full)
  }

  /// Writes the copies of dictionaries again that were found damaged or missing; durable on return.
  package func restoreDictionaries() throws(LogError) {
    guard !pipeline.dictionaries.isEmpty else { return }
    let copies = try pipeline.dictionaries.copies()
    for dictionary in try pipeline.dictionaries.all() {
      let intact = copies[dictionary.identifier]?.intact ?? 0
      for copy in UInt8(0)...1 where intact & (1 << copy) == 0 {
        try put(dictionary, copy: copy)
        pipeline.dictionaries.insert(dictionary, copies: 1 << copy)
      }
    }
  }
}

extension CommitPipeline {
  /// An identifier that no dictionary has had, nor any record names.
  func takeDictionaryIdentifier() throws(LogError) -> DictionaryIdentifier {
    lock.lock("making a dictionary")
    let used = accounts.values.reduce(0) { max($0, $1.descriptor.dictionaryUses.highest) }
    lock.unlock()
    return try dictionaries.takeIdentifier(above: used)
  }

  /// Lets segments that are begun from now on hold records that need dictionaries; the next commit
  /// begins one.
  func permitDictionaries() throws(LogError) {
    lock.lock("making a dictionary")
    defer { lock.unlock() }
    try checkWritable()
    try putInOrder()
    guard !manifest.usesDictionaries else { return }
    manifest.usesDictionaries = true
    if active != nil { mustRotate = true }
  }

  /// A batch is encoded against the dictionaries of the log that made it.
  func checkDictionaries(of batch: WriteBatch) {
    precondition(
      batch.dictionaryUses.isEmpty || batch.dictionaries === dictionaries,
      "a batch must be committed to the log that made it")
  }
}
