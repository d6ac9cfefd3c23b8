package import LogStore

extension Compactor {
  /// Makes dictionaries for versions that have records enough and none, so that commits compress
  /// against them before there is anything to compact; durable on return.
  ///
  /// Each costs what ``Log/makeDictionary(for:sample:recordCount:)`` does, once.
  package func makeFirstDictionaries(_ reviews: inout DictionaryReviews) throws(LogError) {
    let lacking = log.liveByVersion.filter { version, totals in
      totals.recordCount >= Log.dictionaryRecordCountMinimum && reviews.isDue(version)
        && log.lacksDictionary(version) && !upgrader.upgrades(version)
    }
    guard !lacking.isEmpty else { return }
    let sealed = try log.statistics().segments.filter { !$0.isActive }
    for version in lacking.keys.sorted() {
      let counted = sealed.map { (segment: $0, count: $0.liveByVersion[version]?.recordCount ?? 0) }
      guard let richest = counted.max(by: { $0.count < $1.count }),
        richest.count >= UInt64(Log.dictionarySampleCountMinimum)
      else { continue }
      let rewrite = try log.beginRewrite(of: [richest.segment.identifier])
      defer { rewrite.cancel() }
      var making = DictionaryMaking(log: log, upgrader: upgrader, reviews: reviews)
      try making.prepare(rewrite)
      reviews = making.reviews
    }
  }
}
