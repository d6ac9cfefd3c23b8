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

  /// So many records are upgraded before it is asked whether to go on.
  private static let sliceRecordCount = 256

  /// Makes the dictionaries that the records of `rewrite` lack; false where `goesOn`, which is
  /// asked now and then, said no.
  ///
  /// A version with so few of these records that a sample would miss it has its turn later.
  mutating func prepare(
    _ rewrite: SegmentRewrite, while goesOn: () -> Bool
  ) throws(LogError) -> Bool {
    let totals = log.liveByVersion
    let counts = Dictionary(
      totals.map { ($0.key.collection, $0.value.recordCount) }, uniquingKeysWith: +)
    var due: Set<CollectionVersion> = []
    let findable = SampledVersions.findable(among: rewrite.sortedLive)
    for (version, met) in rewrite.sortedLive
    where !version.collection.isReserved && findable.contains(version)
      && counts[version.collection, default: 0] >= Log.dictionaryRecordCountMinimum
    {
      let isDue = reviews.meet(
        met.recordCount, of: version, among: counts[version.collection, default: 0],
        mayReview: due.count < Self.versionCountMaximum)
      if isDue { due.insert(version) }
    }
    guard !due.isEmpty else { return true }
    // What was not looked at, was not made for an error, or found no room, is due again at once.
    var again = due
    defer { for version in again { reviews.lookAgain(at: version) } }
    guard let samples = try payloads(rewrite, due, while: goesOn) else { return false }
    var refused: Set<CollectionVersion> = []
    for (position, (version, payloads)) in samples.enumerated() {
      again = refused.union(sources(of: samples[position...].map(\.version), among: due))
      // One takes as long as many slices.
      if position > 0, !goesOn() { return false }
      let count = counts[version.collection, default: 0]
      if try !make(version, payloads, recordCount: count) {
        refused.formUnion(sources(of: [version], among: due))
      }
    }
    again = refused
    return true
  }

  /// Those of `due` of which records will have one of `versions`: what is upgraded has the newest
  /// of its collection.
  private func sources(
    of versions: [CollectionVersion], among due: Set<CollectionVersion>
  ) -> Set<CollectionVersion> {
    due.filter { version in
      let isUpgraded = upgrader.upgrades(version)
      return versions.contains { written in
        isUpgraded ? written.collection == version.collection : written == version
      }
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
      if triesLarger { reviews.triedNothing(for: version) }
      guard error.isDiskFull else { throw error }
      return false
    }
  }

  /// A sample of the payloads that will be written, by the version they will have; nothing where
  /// `goesOn` said no.
  private func payloads(
    _ rewrite: SegmentRewrite, _ due: Set<CollectionVersion>, while goesOn: () -> Bool
  ) throws(LogError) -> [(version: CollectionVersion, payloads: [[UInt8]])]? {
    var found: [CollectionVersion: PayloadSample] = [:]
    let seed = log.nextRandom()
    var sampled = SampledVersions(due, among: rewrite.sortedLive)
    var count = 0
    var isEnded = false
    try rewrite.sample(sampled.counts) { (record) throws(LogError) in
      guard sampled.takes(record) else { return true }
      count += 1
      if count % Self.sliceRecordCount == 0, !goesOn() {
        isEnded = true
        return false
      }
      guard let (version, payload) = try upgraded(record) else { return true }
      found[
        version,
        default: PayloadSample(byteCountMaximum: PayloadSample.totalByteCountMaximum, seed: seed)
      ].offer(payload)
      return true
    }
    if isEnded { return nil }
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
      guard error.damage != nil else { throw error }
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
