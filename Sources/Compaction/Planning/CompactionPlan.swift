public import LogStore

/// Which segments are rewritten, in which order; a value that can be printed,
/// serialised and tested.
public struct CompactionPlan: Sendable, Equatable, Codable {
  /// Segments that are rewritten together and replaced in one atomic edit.
  public struct Step: Sendable, Equatable, Codable {
    /// The segments to rewrite.
    public let inputs: [SegmentIdentifier]
    /// Bytes of the inputs that are read.
    public let inputByteCount: UInt64
    /// Live bytes that are written again, before upgrades change their size.
    public let liveByteCount: UInt64
    /// Live records that are copied or upgraded.
    public let liveRecordCount: UInt64
    /// Live records of a schema version that has newer ones.
    public let staleRecordCount: UInt64
    /// Tombstones of the inputs; those that are needed still are copied.
    public let tombstoneCount: UInt64
    /// About what these take.
    public let tombstoneByteCount: UInt64
  }

  /// Carried out one after the other; each leaves a correct store.
  public let steps: [Step]

  /// A plan of these steps.
  public init(steps: [Step]) { self.steps = steps }

  /// Whether there is nothing to do.
  public var isEmpty: Bool { steps.isEmpty }
  /// All segments that are rewritten.
  public var segmentCount: Int { steps.reduce(0) { $0 + $1.inputs.count } }
  /// Bytes that are read.
  public var inputByteCount: UInt64 { steps.reduce(0) { $0 + $1.inputByteCount } }
  /// Bytes that are written again.
  public var liveByteCount: UInt64 { steps.reduce(0) { $0 + $1.liveByteCount } }
  /// Records that are copied or upgraded.
  public var liveRecordCount: UInt64 { steps.reduce(0) { $0 + $1.liveRecordCount } }
  /// Tombstones that are looked at, and copied if they are needed still.
  public var tombstoneCount: UInt64 { steps.reduce(0) { $0 + $1.tombstoneCount } }
  /// About what these take.
  public var tombstoneByteCount: UInt64 { steps.reduce(0) { $0 + $1.tombstoneByteCount } }
  /// Records that are to be upgraded.
  public var staleRecordCount: UInt64 { steps.reduce(0) { $0 + $1.staleRecordCount } }
}

extension CompactionPlan: CustomStringConvertible {
  /// One line for each step.
  public var description: String {
    if isEmpty { return "nothing to rewrite" }
    return steps.enumerated().map { "\($0 + 1). \($1)" }.joined(separator: "\n")
  }
}

extension CompactionPlan.Step: CustomStringConvertible {
  public var description: String {
    "segments \(inputs.map(\.description).joined(separator: ", ")): \(inputByteCount) bytes, "
      + "\(liveByteCount) live in \(liveRecordCount) records, \(staleRecordCount) to upgrade"
  }
}
