package import LogStore

/// Makes the first dictionary of each version, so that commits compress against it before there is
/// anything to compact: a value that remembers what it looked at.
package struct FirstDictionaries: Sendable {
  /// How many records a version had when it was looked at.
  private var looked: [CollectionVersion: UInt64] = [:]

  private static let sampleRecordCount = 4096
  private static let sampleByteCountMaximum = 1 << 20

  /// Nothing was looked at yet.
  package init() {}

  /// Looks at one version that has records enough and no dictionary, and makes it one where that
  /// makes records smaller; durable on return. False when there is no such version.
  ///
  /// A version that got none is looked at again when it has twice as many records. The sample is
  /// of the sealed segment that holds most of them, but none of `unreadable`; versions that are to
  /// be upgraded are left out. What does not verify, or a full disk, costs the dictionary and
  /// nothing else. Reads some 4096 records, and costs what
  /// ``Log/makeDictionary(for:sample:recordCount:)`` does.
  package mutating func makeOne(
    in log: Log, upgrader: any RecordUpgrader, sparing unreadable: Set<SegmentIdentifier>
  ) throws(LogError) -> Bool {
    guard !log.isReserveGivenUp, let due = due(in: log, upgrader) else { return false }
    looked[due.version] = due.recordCount
    do throws(LogError) {
      guard let richest = try segment(richestIn: due.version, of: log, sparing: unreadable) else {
        return true
      }
      let sample = try payloads(of: due.version, in: richest, log)
      try log.makeDictionary(for: due.version, sample: sample, recordCount: due.recordCount)
    } catch {
      if case .corruption = error { return true }
      guard error.isDiskFull else { throw error }
    }
    return true
  }

  private func segment(
    richestIn version: CollectionVersion, of log: Log, sparing unreadable: Set<SegmentIdentifier>
  ) throws(LogError) -> SegmentIdentifier? {
    let counted = try log.statistics().segments
      .filter { !$0.isActive && !unreadable.contains($0.identifier) }
      .map { (segment: $0, count: $0.liveByVersion[version]?.recordCount ?? 0) }
    guard let richest = counted.max(by: { $0.count < $1.count }),
      richest.count >= UInt64(Log.dictionarySampleCountMinimum)
    else { return nil }
    return richest.segment.identifier
  }

  private func due(
    in log: Log, _ upgrader: any RecordUpgrader
  ) -> (version: CollectionVersion, recordCount: UInt64)? {
    let live = log.liveByVersion.filter { version, totals in
      totals.recordCount >= max(Log.dictionaryRecordCountMinimum, 2 * (looked[version] ?? 0))
        && !upgrader.upgrades(version) && log.lacksDictionary(version)
    }
    return live.min { $0.key < $1.key }.map { ($0.key, $0.value.recordCount) }
  }

  private func payloads(
    of version: CollectionVersion, in segment: SegmentIdentifier, _ log: Log
  ) throws(LogError) -> [[UInt8]] {
    let rewrite = try log.beginRewrite(of: [segment])
    defer { rewrite.cancel() }
    var sample = PayloadSample(
      byteCountMaximum: Self.sampleByteCountMaximum, seed: log.nextRandom())
    try rewrite.sample(Self.sampleRecordCount, of: version.collection) {
      (record) throws(LogError) in
      guard record.schemaVersion == version.schemaVersion else { return }
      do throws(LogError) { sample.offer(try record.payload()) } catch {
        guard case .corruption = error else { throw error }
      }
    }
    return sample.payloads
  }
}
