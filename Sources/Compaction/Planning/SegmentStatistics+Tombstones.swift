internal import LogStore

extension SegmentStatistics {
  /// About what its tombstones take: as much each as the other records that are not live.
  var tombstoneByteCount: UInt64 {
    let count = recordCount - min(recordCount, live.recordCount)
    let byteCount = byteCount - min(byteCount, live.byteCount)
    guard count > tombstoneCount else { return tombstoneCount == 0 ? 0 : byteCount }
    return UInt64(Double(byteCount) * Double(tombstoneCount) / Double(count))
  }
}
