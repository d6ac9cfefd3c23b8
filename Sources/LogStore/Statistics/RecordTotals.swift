/// A number of records and the bytes they take in their segments.
public struct RecordTotals: Hashable, Sendable {
  /// The number of records.
  public private(set) var recordCount: UInt64
  /// Their bytes in segments, headers included.
  public private(set) var byteCount: UInt64

  public init(recordCount: UInt64 = 0, byteCount: UInt64 = 0) {
    self.recordCount = recordCount
    self.byteCount = byteCount
  }

  mutating func add(byteCount: UInt64) {
    recordCount &+= 1
    self.byteCount &+= byteCount
  }

  mutating func remove(byteCount: UInt64) {
    remove(RecordTotals(recordCount: 1, byteCount: byteCount))
  }

  mutating func remove(_ other: RecordTotals) {
    recordCount -= min(recordCount, other.recordCount)
    byteCount -= min(byteCount, other.byteCount)
  }

  /// Adds what `other` counts.
  public mutating func add(_ other: RecordTotals) {
    recordCount &+= other.recordCount
    byteCount &+= other.byteCount
  }
}
