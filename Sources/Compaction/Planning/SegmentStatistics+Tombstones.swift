internal import LogStore

extension SegmentStatistics {
  /// About what its tombstones take: as much each as the other records that are not live, but no
  /// more than a live one, which has a payload too.
  var tombstoneByteCount: UInt64 {
    let count = recordCount - min(recordCount, live.recordCount)
    let byteCount = byteCount - min(byteCount, live.byteCount)
    guard tombstoneCount > 0, count > 0 else { return 0 }
    let share = min(1, Double(tombstoneCount) / Double(count))
    let atMost =
      live.recordCount == 0
      ? Double.infinity
      : Double(live.byteCount) / Double(live.recordCount) * Double(tombstoneCount)
    return UInt64(min(Double(byteCount) * share, atMost))
  }

  /// What is dead beyond what frames and sequences take beside each record, which comes back with
  /// every rewrite: small records are counted, not measured.
  var largeDeadByteCount: UInt64 {
    let (beside, isEndless) = recordCount.multipliedReportingOverflow(by: 32)
    return isEndless ? 0 : deadByteCount - min(deadByteCount, beside)
  }

  /// About what its dead records and frames take, the room that rewriting it gives in any case.
  var deadByteCount: UInt64 { byteCount - min(byteCount, live.byteCount + tombstoneByteCount) }
}
