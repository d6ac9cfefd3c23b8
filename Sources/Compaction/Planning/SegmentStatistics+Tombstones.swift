internal import LogStore

extension SegmentStatistics {
  /// About what its tombstones take: as much each as the other records that are not live, but no
  /// more than a live one, which has a payload too, nor than the longest key.
  var tombstoneByteCount: UInt64 {
    let count = recordCount - min(recordCount, live.recordCount)
    let byteCount = byteCount - min(byteCount, live.byteCount)
    guard tombstoneCount > 0, count > 0 else { return 0 }
    let share = min(1, Double(tombstoneCount) / Double(count))
    let atMost =
      live.recordCount == 0
      ? Double.infinity
      : Double(live.byteCount) / Double(live.recordCount) * Double(tombstoneCount)
    return UInt64(min(Double(byteCount) * share, atMost, Double(tombstoneByteCountMaximum)))
  }

  /// The most that its tombstones can take.
  private var tombstoneByteCountMaximum: UInt64 {
    tombstoneCount.saturatingMultiplied(by: UInt64(LogLimits.keyByteCount) + Self.byteCountBeside)
  }

  /// What frames and sequences take beside each record at most, about.
  private static let byteCountBeside: UInt64 = 32

  /// What is dead beyond what frames and sequences take beside each record, which comes back with
  /// every rewrite: small records are counted, not measured. Where it is known that tombstones are
  /// needed, which come back too, only what they cannot be.
  func largeDeadByteCount(holdsNeededTombstones: Bool) -> UInt64 {
    let beside = recordCount.saturatingMultiplied(by: Self.byteCountBeside)
    let tombstones = holdsNeededTombstones ? tombstoneByteCountMaximum : tombstoneByteCount
    let kept = live.byteCount.saturatingAdded(tombstones).saturatingAdded(beside)
    return byteCount - min(byteCount, kept)
  }

  /// About what its dead records and frames take, the room that rewriting it gives in any case.
  var deadByteCount: UInt64 { byteCount - min(byteCount, live.byteCount + tombstoneByteCount) }
}

extension UInt64 {
  /// The product, or the largest number where there is none.
  fileprivate func saturatingMultiplied(by other: UInt64) -> UInt64 {
    let (product, isEndless) = multipliedReportingOverflow(by: other)
    return isEndless ? .max : product
  }

  /// The sum, or the largest number where there is none.
  fileprivate func saturatingAdded(_ other: UInt64) -> UInt64 {
    let (sum, isEndless) = addingReportingOverflow(other)
    return isEndless ? .max : sum
  }
}
