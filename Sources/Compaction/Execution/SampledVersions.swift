internal import LogStore

/// Which records of a rewrite are looked at for samples of some versions: a value that counts them.
///
/// Records of a collection are walked over whatever their version is, so for a version that has few
/// of them more are asked for; not without end, as each is looked up. Of each version no more are
/// taken than a sample needs: others cost their reading alone, no upgrade.
struct SampledVersions {
  /// How many records of each collection are to be looked at.
  private(set) var counts: [CollectionIdentifier: Int] = [:]
  /// Of how many that are looked at one is taken.
  private var strides: [CollectionVersion: UInt64] = [:]
  /// How many were looked at.
  private var met: [CollectionVersion: UInt64] = [:]

  /// The largest part of a collection that is looked at for the sake of one version, in samples.
  private static let sampleCountMaximum: UInt64 = 16
  /// The least that a version must have of what a collection has, for a sample to be worth it:
  /// twice what a dictionary needs, as they may lie unevenly.
  private static let shareMaximum =
    sampleCountMaximum * UInt64(PayloadSample.recordCount)
    / UInt64(2 * Log.dictionarySampleCountMinimum)

  /// For samples of `versions`, where `live` are the records there are.
  init(
    _ versions: Set<CollectionVersion>,
    among live: [(version: CollectionVersion, totals: RecordTotals)]
  ) {
    let all = Self.recordCounts(live)
    let sample = UInt64(PayloadSample.recordCount)
    for (version, totals) in live where versions.contains(version) {
      let share = all[version.collection, default: 0] / max(1, totals.recordCount)
      let count = Int(sample * min(max(share, 1), Self.sampleCountMaximum))
      counts[version.collection] = max(counts[version.collection, default: 0], count)
    }
    for (version, totals) in live where versions.contains(version) {
      let looked = UInt64(counts[version.collection, default: 0])
      let everyOf = max(1, all[version.collection, default: 0] / max(1, looked))
      strides[version] = max(1, totals.recordCount / everyOf / sample)
    }
  }

  /// The versions of which there are enough among `live` for a sample to show them.
  static func findable(
    among live: [(version: CollectionVersion, totals: RecordTotals)]
  ) -> Set<CollectionVersion> {
    let all = recordCounts(live)
    return Set(
      live.filter { version, totals in
        totals.recordCount >= UInt64(Log.dictionarySampleCountMinimum)
          && all[version.collection, default: 0] / totals.recordCount <= shareMaximum
      }
      .map(\.version))
  }

  private static func recordCounts(
    _ live: [(version: CollectionVersion, totals: RecordTotals)]
  ) -> [CollectionIdentifier: UInt64] {
    var all: [CollectionIdentifier: UInt64] = [:]
    for (version, totals) in live { all[version.collection, default: 0] += totals.recordCount }
    return all
  }

  /// Whether a record that is looked at belongs to the sample of its version.
  mutating func takes(_ record: RewriteRecord) -> Bool {
    takes(CollectionVersion(collection: record.collection, schemaVersion: record.schemaVersion))
  }

  /// Whether the next record of that version does.
  mutating func takes(_ version: CollectionVersion) -> Bool {
    guard let stride = strides[version] else { return false }
    let before = met[version, default: 0]
    met[version] = before + 1
    return before % stride == 0
  }
}
