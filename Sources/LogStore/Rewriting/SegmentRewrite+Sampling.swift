internal import BinaryCoding

extension SegmentRewrite {
  /// Gives `body` about `count` of the records that are carried over, one after another, spread
  /// evenly over their keys, those of `collection` alone if one is given; those that do not verify
  /// are left out. The same for the same inputs.
  ///
  /// Costs a walk over the index of the inputs, and reading the sample; memory is one record.
  package func sample(
    _ count: Int, of collection: CollectionIdentifier? = nil,
    _ body: (RewriteRecord) throws(LogError) -> Void
  ) throws(LogError) {
    guard let reading else { return }
    let stride = max(1, keyCount(of: collection, reading) / UInt64(max(1, count)))
    let cursor = try MergingCursor(
      view: reading.view, overlay: nil, sealed: reading.inputs.map { .footer($0) },
      includesTable: false)
    var position: UInt64 = 0
    while let current = cursor.current {
      let found = CollectionIdentifier(current.key.collection)
      if collection.map({ $0 == found }) ?? true {
        if position % stride == 0, !found.isReserved, !current.value.isTombstone,
          case .segment(let segment) = current.origin,
          let record = try record(current.key, current.value, in: segment, reading)
        {
          try body(record)
        }
        position += 1
      }
      try cursor.advance()
    }
  }

  private func keyCount(of collection: CollectionIdentifier?, _ reading: RewriteReading) -> UInt64 {
    guard let collection else { return reading.inputs.reduce(0) { $0 + $1.recordCount } }
    return sortedLive.reduce(0) { count, live in
      live.version.collection == collection ? count + live.totals.recordCount : count
    }
  }

  private func record(
    _ key: IndexKey, _ value: IndexValue, in segment: Segment, _ reading: RewriteReading
  ) throws(LogError) -> RewriteRecord? {
    do throws(LogError) {
      guard try reading.view.finds(key, value, in: segment.identifier) else { return nil }
      return try segment.withRecord(at: value, key: key) { (record) throws(LogError) in
        RewriteRecord(record, value, in: segment)
      }
    } catch .corruption { return nil }
  }
}
