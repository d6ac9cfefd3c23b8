internal import BinaryCoding

extension SegmentRewrite {
  /// Gives `body` about so many as `counts` asks for of the records of each collection that are
  /// carried over, one after another, spread evenly over its keys, until it returns false; those
  /// that do not verify are left out. The same for the same inputs.
  ///
  /// Costs a walk over the index of the inputs, and reading the sample; memory is one record.
  package func sample(
    _ counts: [CollectionIdentifier: Int],
    _ body: (RewriteRecord) throws(LogError) -> Bool
  ) throws(LogError) {
    guard let reading else { return }
    let strides = strides(for: counts)
    let cursor = try MergingCursor(
      view: reading.view, overlay: nil, sealed: reading.inputs.map { .footer($0) },
      includesTable: false)
    // Keys of a collection follow each other.
    var collection: UInt32?
    var stride: UInt64?
    var position: UInt64 = 0
    while let current = cursor.current {
      if current.key.collection != collection {
        collection = current.key.collection
        stride = strides[CollectionIdentifier(current.key.collection)]
        position = 0
      }
      if let stride {
        if position % stride == 0, !current.value.isTombstone,
          case .segment(let segment) = current.origin,
          let record = try record(current.key, current.value, in: segment, reading)
        {
          if try !body(record) { return }
        }
        position += 1
      }
      try cursor.advance()
    }
  }

  /// After how many keys of each collection the next one is taken.
  private func strides(for counts: [CollectionIdentifier: Int]) -> [CollectionIdentifier: UInt64] {
    var live: [CollectionIdentifier: UInt64] = [:]
    for (version, totals) in sortedLive {
      live[version.collection, default: 0] += totals.recordCount
    }
    return Dictionary(
      uniqueKeysWithValues: counts.map { collection, count in
        (collection, max(1, live[collection, default: 0] / UInt64(max(1, count))))
      })
  }

  private func record(
    _ key: IndexKey, _ value: IndexValue, in segment: Segment, _ reading: RewriteReading
  ) throws(LogError) -> RewriteRecord? {
    do throws(LogError) {
      guard try reading.view.finds(key, value, in: segment.identifier) else { return nil }
      return try segment.withRecord(at: value, key: key) { (record) throws(LogError) in
        RewriteRecord(record, value, in: segment)
      }
    } catch {
      guard error.damage != nil else { throw error }
      return nil
    }
  }
}
