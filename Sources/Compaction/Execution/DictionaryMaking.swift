internal import BinaryCoding
internal import LogStore
internal import SchemaRegistry

/// Makes dictionaries for the records that a compaction is about to write.
///
/// ``DictionaryReviews`` tells when.
struct DictionaryMaking {
  private let log: Log
  private let upgrader: any RecordUpgrader
  private(set) var reviews: DictionaryReviews

  /// Versions whose samples are in memory together; the others have their turn in later steps.
  private static let versionCountMaximum = 16

  init(log: Log, upgrader: any RecordUpgrader, reviews: DictionaryReviews) {
    self.log = log
    self.upgrader = upgrader
    self.reviews = reviews
  }

  /// Makes the dictionaries that the records of `rewrite` lack.
  mutating func prepare(_ rewrite: SegmentRewrite) throws(LogError) {
    let totals = log.liveByVersion
    let counts = Dictionary(
      totals.map { ($0.key.collection, $0.value.recordCount) }, uniquingKeysWith: +)
    var due: Set<CollectionVersion> = []
    for (version, met) in rewrite.sortedLive
    where !version.collection.isReserved
      && met.recordCount >= UInt64(Log.dictionarySampleCountMinimum)
      && counts[version.collection, default: 0] >= Log.dictionaryRecordCountMinimum
    {
      let isDue = reviews.meet(
        met.recordCount, of: version, among: counts[version.collection, default: 0],
        mayReview: due.count < Self.versionCountMaximum)
      if isDue { due.insert(version) }
    }
    guard !due.isEmpty else { return }
    var seen: [CollectionVersion: Int] = [:]
    var hasRoom = true
    for (version, payloads) in try payloads(rewrite, due, &seen) {
      let count = counts[version.collection, default: 0]
      if try !make(version, payloads, recordCount: count) { hasRoom = false }
    }
    for version in due
    where !hasRoom || seen[version, default: 0] < Log.dictionarySampleCountMinimum {
      reviews.lookAgain(at: version)
    }
  }

  /// On a full disk there is no room for dictionaries either: records are copied all the same.
  /// Returns whether there was.
  private mutating func make(
    _ version: CollectionVersion, _ payloads: [[UInt8]], recordCount: UInt64
  ) throws(LogError) -> Bool {
    let triesLarger =
      payloads.count >= Log.dictionarySampleCountMinimum
      && reviews.triesLarger(version, among: recordCount)
    do throws(LogError) {
      try log.makeDictionary(
        for: version, sample: payloads, recordCount: recordCount, triesLarger: triesLarger)
      return true
    } catch {
      guard error.isDiskFull else { throw error }
      if triesLarger { reviews.triedNothing(for: version) }
      return false
    }
  }

  /// A sample of the payloads that will be written, by the version they will have; `seen` counts
  /// them by the version they have.
  private func payloads(
    _ rewrite: SegmentRewrite, _ due: Set<CollectionVersion>,
    _ seen: inout [CollectionVersion: Int]
  ) throws(LogError) -> [(version: CollectionVersion, payloads: [[UInt8]])] {
    var found: [CollectionVersion: PayloadSample] = [:]
    let seed = log.nextRandom()
    let counts = PayloadSample.recordCounts(of: due, among: rewrite.sortedLive)
    try rewrite.sample(counts) { (record) throws(LogError) in
      let before = CollectionVersion(
        collection: record.collection, schemaVersion: record.schemaVersion)
      guard due.contains(before) else { return }
      // One whose upgrade fails is seen: to look at it again at once would tell no more.
      seen[before, default: 0] += 1
      guard let (version, payload) = try upgraded(record) else { return }
      found[
        version,
        default: PayloadSample(byteCountMaximum: PayloadSample.totalByteCountMaximum, seed: seed)
      ].offer(payload)
    }
    return found.sorted { $0.key < $1.key }.map { (version: $0.key, payloads: $0.value.payloads) }
  }

  private func upgraded(
    _ record: RewriteRecord
  ) throws(LogError) -> (version: CollectionVersion, payload: [UInt8])? {
    let version = CollectionVersion(
      collection: record.collection, schemaVersion: record.schemaVersion)
    let payload: [UInt8]
    do throws(LogError) { payload = try record.payload() } catch {
      // What is damaged is told when it is carried over.
      guard case .corruption = error else { throw error }
      return nil
    }
    guard upgrader.upgrades(version) else { return (version, payload) }
    var upgraded = ByteWriter(capacity: payload.count + 64)
    let outcome = record.key.withBytes { (key: UnsafeRawBufferPointer) in
      payload.withBytes { (payload: UnsafeRawBufferPointer) in
        let stale = StaleRecord(
          collection: record.collection, key: key, schemaVersion: record.schemaVersion,
          commitTime: record.commitTime, payload: payload)
        return upgrader.upgrade(stale, to: &upgraded)
      }
    }
    guard case .upgraded(let schemaVersion) = outcome else { return nil }
    return (
      CollectionVersion(collection: record.collection, schemaVersion: schemaVersion),
      upgraded.array()
    )
  }
}
