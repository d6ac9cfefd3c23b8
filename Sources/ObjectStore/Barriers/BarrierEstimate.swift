/// What the barriers that a store has not passed would cost, from statistics alone.
public struct BarrierEstimate: Sendable, Hashable {
  /// The barriers, in the order in which they run.
  public let operationIDs: [String]
  /// Live records of the types that they touch.
  public let recordCount: UInt64
  /// Bytes of those records, as stored.
  public let byteCount: UInt64
}

/// How far the barriers of an opening have come.
public struct BarrierProgress: Sendable, Hashable {
  /// The barrier that runs.
  public let operationID: String
  /// Records brought along so far, of this and the barriers before it: never more than estimated,
  /// as a record that several barriers read counts a part each time.
  public let recordCount: UInt64
  /// What was estimated for all of them.
  public let estimate: BarrierEstimate
}
