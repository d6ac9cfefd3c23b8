package import LogStore

/// Makes the first dictionary of each version, so that commits compress against it before there is
/// anything to compact: a value that remembers what it looked at.
package struct FirstDictionaries: Sendable {
  /// How many records a version had when it was looked at.
  private var looked: [CollectionVersion: UInt64] = [:]

  /// Nothing was looked at yet.
  package init() {}

  /// Looks at one version that has records enough and no dictionary, and makes it one where that
  /// makes records smaller; durable on return. False when there is no such version.
  ///
  /// A version that got none is looked at again when it has twice as many records. The sample is
  /// of the sealed segment that holds most of them, but none of `unreadable`; versions that are to
  /// be upgraded are left out. What does not verify, or a full disk, costs the dictionary; sealing
  /// a segment for it may take the reserve, as any seal may. Walks over the index of a segment,
  /// reads some 4096 records, and costs what ``Log/makeDictionary(for:sample:recordCount:)`` does.
  package mutating func makeOne(
    in log: Log, upgrader: any RecordUpgrader, sparing unreadable: Set<SegmentIdentifier>
  ) throws(LogError) -> Bool {
    let lacking = lacking(in: log, upgrader)
    guard !lacking.isEmpty, !log.isReserveGivenUp else { return false }
    let segments = try log.statisticsWithoutFiles().segments.filter {
      !$0.isActive && !unreadable.contains($0.identifier)
    }
    for (version, recordCount) in lacking {
      guard let richest = Self.richest(of: segments, in: version) else { continue }
      looked[version] = recordCount
      do throws(LogError) {
        let sample = try payloads(of: version, in: richest, log)
        try log.makeDictionary(for: version, sample: sample, recordCount: recordCount)
      } catch {
        if error.damage != nil { return true }
        guard error.isDiskFull else { throw error }
      }
      return true
    }
    return false
  }

  /// The versions without a dictionary that are to be looked at, ascending.
  private func lacking(
    in log: Log, _ upgrader: any RecordUpgrader
  ) -> [(version: CollectionVersion, recordCount: UInt64)] {
    log.liveByVersion
      .filter { version, totals in
        totals.recordCount >= max(Log.dictionaryRecordCountMinimum, 2 * (looked[version] ?? 0))
          && !upgrader.upgrades(version) && log.lacksDictionary(version)
      }
      .map { (version: $0.key, recordCount: $0.value.recordCount) }
      .sorted { $0.version < $1.version }
  }

  /// The segment with most live records of a version; nothing when these are too few for a sample.
  private static func richest(
    of segments: [SegmentStatistics], in version: CollectionVersion
  ) -> SegmentStatistics? {
    func count(_ segment: SegmentStatistics) -> UInt64 {
      segment.live(of: version).recordCount
    }
    guard let richest = segments.max(by: { count($0) < count($1) }),
      count(richest) >= UInt64(Log.dictionarySampleCountMinimum)
    else { return nil }
    return richest
  }

  private func payloads(
    of version: CollectionVersion, in segment: SegmentStatistics, _ log: Log
  ) throws(LogError) -> [[UInt8]] {
    let rewrite = try log.beginRewrite(of: [segment.identifier])
    defer { rewrite.cancel() }
    var sample = PayloadSample(
      byteCountMaximum: PayloadSample.totalByteCountMaximum, seed: log.nextRandom())
    var sampled = SampledVersions([version], among: rewrite.sortedLive)
    try rewrite.sample(sampled.counts) { (record) throws(LogError) in
      guard sampled.takes(record) else { return true }
      do throws(LogError) { sample.offer(try record.payload()) } catch {
        guard error.damage != nil else { throw error }
      }
      return true
    }
    return sample.payloads
  }
}
